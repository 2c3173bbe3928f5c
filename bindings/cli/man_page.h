/* SPDX-License-Identifier: Apache-2.0 */
/* The man pages, from the tables of commands and options. */
#ifndef ALCORE_CLI_MAN_PAGE_H
#define ALCORE_CLI_MAN_PAGE_H

#include "options.h"

/* Prints alcore-COMMAND(1), or alcore(1) where command is NULL, of a date such as 2026-11-28. An
 * exit code. */
int man_page_print(const char *date, const char *command);

#endif
