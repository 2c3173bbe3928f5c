/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a tool's file, which oracle --requests and mix --answers share. */
#ifndef ALCORE_CLI_TOOL_OPTIONS_H
#define ALCORE_CLI_TOOL_OPTIONS_H

#include "inputs.h"

/* Refuses the options that --tool reads where it is not given, a tool that does not exist, and of
 * id, --out or --answers, a path whose suffix is that of tools alone; exit code 2. */
int tool_check(const arguments *args, option_id id);

/* Whether --tool is given, and then its settings in *options, whose labels tool_clear() frees. */
int tool_read(const arguments *args, alcore_tool_options *options);
void tool_clear(alcore_tool_options *options);

#endif
