/* SPDX-License-Identifier: Apache-2.0 */
/* The step by which models run, for somebody whose torch is installed and only not named. */
#ifndef ALCORE_CLI_TORCH_STEP_H
#define ALCORE_CLI_TORCH_STEP_H

#include <stdbool.h>
#include <stdio.h>

/* Prints the error of a call that found no libtorch (alcore_last_error()) with the one step that is
 * missing, where a torch that models run on lies in an environment that torch_search() looks in, or
 * near the folder that $ALCORE_TORCH_LIBDIR names. Nothing is loaded for it. false: the error is
 * another one, or the step is what its own text says; then nothing is printed. */
bool torch_step_print(FILE *stream);

#endif
