/* SPDX-License-Identifier: Apache-2.0 */
/* The annotation page of a selection: alcore select --out picks.html. */
#ifndef ALCORE_CLI_SELECT_PAGE_H
#define ALCORE_CLI_SELECT_PAGE_H

#include "inputs.h"

/* Whether an output is such a page, by its suffix. */
bool select_page_is(const char *path);
/* Refuses options of the page where --out is none; exit code 2. */
int select_page_check(const arguments *args);
/* Writes the picks as a page; an exit code. */
int select_page_write(const arguments *args, const inputs *in, const alcore_selection *picked,
                      const char *path);

#endif
