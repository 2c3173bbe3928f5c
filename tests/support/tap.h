/* SPDX-License-Identifier: Apache-2.0 */
/* The Test Anything Protocol for tests that make their cases as they go; Check serves the others.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>
#include <stdio.h>

static int tap_lines; /* cases printed so far */

/* Prints the line of one case, and detail when it failed. Returns good. */
static inline bool tap_ok(bool good, const char *name, const char *detail) {
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++tap_lines, name);
    if (!good && detail) printf("#   %s\n", detail);
    fflush(stdout);
    return good;
}

static inline void tap_skip(const char *name, const char *reason) {
    printf("ok %d - %s # SKIP %s\n", ++tap_lines, name, reason);
}

/* Prints how many cases there were; the exit status of the program, which is 0 since the reader of
 * TAP counts failures. */
static inline int tap_end(void) {
    printf("1..%d\n", tap_lines);
    return 0;
}

#endif
