/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the fields of a message of protocol buffers in its wire format
 * (https://protobuf.dev/programming-guides/encoding/): without a schema, without allocation.
 *
 *   alcore__wire wire = alcore__wire_of(data, length);
 *   while (alcore__wire_field(&wire))
 *       switch (wire.number) { case 1: text = alcore__wire_bytes(&wire, &bytes); ... }
 *   if (wire.error) report wire.error at wire.next - data
 *
 * The value of a field that is not read is skipped by the next call. */
#ifndef ALCORE__PROTOBUF_WIRE_H
#define ALCORE__PROTOBUF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct alcore__wire {
    const unsigned char *next, *end; /* what is left of the message */
    const char *error;               /* what is wrong at `next`; NULL: nothing so far */
    uint32_t number;                 /* of the field, from 1 */
    uint32_t type; /* of its value: 0 a varint, 1 eight bytes, 2 bytes with their length, 5 four
                    * bytes */
    bool value;    /* the value is still to be read */
} alcore__wire;

alcore__wire alcore__wire_of(const void *data, size_t length);
/* Moves to the next field; false at the end of the message and on an error. */
bool alcore__wire_field(alcore__wire *wire);
/* Read the value of the field. A value of another type is an error, after which they return 0. */
uint64_t alcore__wire_varint(alcore__wire *wire);
float alcore__wire_float(alcore__wire *wire);
/* *length: the bytes of the value, which is a text, raw bytes or a message. */
const char *alcore__wire_bytes(alcore__wire *wire, size_t *length);

#endif
