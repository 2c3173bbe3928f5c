/* SPDX-License-Identifier: Apache-2.0 */
/* Times as tools write them (ISO 8601), to know which of two is later. */
#ifndef ALCORE__PROJECT_ISO_TIME_H
#define ALCORE__PROJECT_ISO_TIME_H

#include <stdbool.h>

/* Whether a text is a date and time, "2026-11-29T14:05", with or without seconds, fraction and
 * zone; *out is the number of seconds since 1970, of one without a zone as if it were of UTC. */
bool alcore__iso_time(const char *text, double *out);

#endif
