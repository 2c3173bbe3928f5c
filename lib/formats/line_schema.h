/* SPDX-License-Identifier: Apache-2.0 */
/* The key "schema" of lines of JSONL that libalcore writes: the name and the version of their form,
 * so that a later form is refused by name and not read as this one. */
#ifndef ALCORE__LINE_SCHEMA_H
#define ALCORE__LINE_SCHEMA_H

#include "formats/json_scan.h"
#include "formats/line_reader.h"

#define ALCORE__SELECTION_SCHEMA "alcore-selection-1"
#define ALCORE__REQUESTS_SCHEMA "alcore-requests-1"

bool alcore__is_line_schema(const char *key, size_t length);
/* Reads the value of the key. ALCORE_E_UNSUPPORTED for a form of libalcore's that is not read here;
 * any other value is the user's own and has no meaning. Malformed JSON sets json->error. */
alcore_status alcore__line_schema_check(alcore__json *json, const alcore__line_reader *lines);

#endif
