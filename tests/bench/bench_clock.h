/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of this folder measure. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <sys/resource.h>
#include <time.h>

/* Seconds of a clock: CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID. */
static inline double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds on the wall and of the processor. */
typedef struct times {
    double wall, cpu;
} times;

static inline times now(void) {
    return (times){seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

/* What has passed since now() gave `begin`. */
static inline times since(times begin) {
    const times end = now();
    return (times){end.wall - begin.wall, end.cpu - begin.cpu};
}

/* The most memory that the process has had, in MiB. */
static inline double peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

#endif
