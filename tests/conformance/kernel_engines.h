/* SPDX-License-Identifier: Apache-2.0 */
/* The engines of a conformance run: those of the CPU, and those of modules that are loaded; and the
 * host's side of their calls. */
#ifndef KERNEL_ENGINES_H
#define KERNEL_ENGINES_H

#include "kernel_entry.h"

enum { ENGINES = 7, MOST_DEVICES = 2 };
extern const char *const engine_names[ENGINES];
extern table *engines[ENGINES]; /* NULL: not of this machine */

void find_cpu_engines(void);
/* Returns 0 when the file is no module. A module without its device says why, and is absent. */
int load_module(const char *path);

extern int64_t workspace_held; /* blocks of workspace that engines did not give back */
extern char engine_error[256]; /* text of the last error */
extern int32_t engine_devices; /* that each engine of devices has, on which cases take turns; 0:
                                   there is no such engine */

/* How the emulation behaves, from its library; NULL without it. */
typedef struct emulation_control {
    void (*mode)(int order, uint64_t seed, int perturb);
    uint64_t (*arrivals)(void);
    void (*filters)(int always);
    void (*blas)(int use);
} emulation_control;
extern emulation_control emulation;

#endif
