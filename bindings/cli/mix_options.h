/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a training set that is mixed, which mix and project train share. */
#ifndef ALCORE_CLI_MIX_OPTIONS_H
#define ALCORE_CLI_MIX_OPTIONS_H

#include "inputs.h"

/* Reads --count and each -p NAME=VALUE. *span: a text that the options are a view of, or NULL; the
 * caller frees it, also after a failure. */
int mix_read_parameters(const arguments *args, alcore_mix_options *options, char **span);

#endif
