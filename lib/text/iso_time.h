/* SPDX-License-Identifier: Apache-2.0 */
/* Times as tools write them (ISO 8601). */
#ifndef ALCORE__ISO_TIME_H
#define ALCORE__ISO_TIME_H

#include <stdbool.h>
#include <stdint.h>

enum { ALCORE__ISO_TIME_BYTES = 21 }; /* of what is printed, with the NUL */

/* Whether a text is a date and time, "2026-11-29T14:05", with or without seconds, fraction and
 * zone, or "20261129T140500Z", as translation memories have it; *out is the number of seconds since
 * 1970, of one without a zone as if it were of UTC. */
bool alcore__iso_time_read(const char *text, double *out);
/* Prints seconds since 1970 as "2026-11-29T14:05:09Z"; false: the year has not four digits, and
 * out is "". */
bool alcore__iso_time_print(int64_t seconds, char out[ALCORE__ISO_TIME_BYTES]);

#endif
