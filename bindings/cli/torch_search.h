/* SPDX-License-Identifier: Apache-2.0 */
/* Where Python packages of torch lie on this machine, and whether models run on them, for
 * `alcore doctor --torch`. Nothing is imported and no interpreter is started. */
#ifndef ALCORE_CLI_TORCH_SEARCH_H
#define ALCORE_CLI_TORCH_SEARCH_H

#include <stdbool.h>

#include "torch_setting.h"

typedef struct torch_copy {
    char folder[TORCH_SETTING_BYTES]; /* with libtorch_cpu.so; an absolute path */
    char version[64];                 /* as its version.py says, "2.11.0+cpu"; "": it does not */
    char reason[1024];                /* why models do not run on it; "": they do */
} torch_copy;

enum { TORCH_COPIES = 16 };

/* The copies of libtorch that programs here would use, the likeliest first, each once:
 * $ALCORE_TORCH_LIBDIR, $VIRTUAL_ENV, $CONDA_PREFIX, the environment that this command is installed
 * in, the prefixes of $PATH, and the packages of the user. Fills version and folder; returns how
 * many there are, at most TORCH_COPIES. */
int torch_search(torch_copy copies[TORCH_COPIES]);

/* Fills *copy with the libtorch that a folder means (torch_folder_find()); false: there is none. */
bool torch_copy_at(const char *folder, torch_copy *copy);

/* Fills the reason of a copy: opens the engine with it in a process of its own, since a libtorch
 * that is loaded stays, and a second one is refused. Call it before there are threads. */
void torch_try(torch_copy *copy);

#endif
