/* SPDX-License-Identifier: Apache-2.0 */
/* The wire format of protocol buffers (protobuf_wire.h). */
#include "tokenizer/protobuf_wire.h"

#include <string.h>

/* Types of values (alcore__wire.type). */
enum { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2, FOUR_BYTES = 5 };

alcore__wire alcore__wire_of(const void *data, size_t length) {
    return (alcore__wire){.next = data, .end = (const unsigned char *)data + length};
}

/* Records the first error. */
static void fail(alcore__wire *wire, const char *error) {
    if (!wire->error) wire->error = error;
}

/* Reads an integer of 7 bits a byte, the lowest first; the highest bit says that more follow. */
static uint64_t read_varint(alcore__wire *wire) {
    uint64_t value = 0;
    const unsigned char *begin = wire->next;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (wire->next == wire->end) {
            fail(wire, "an integer is cut off");
            return 0;
        }
        const unsigned char byte = *wire->next++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    wire->next = begin;
    fail(wire, "an integer of more than ten bytes");
    return 0;
}

/* Moves `length` bytes on and returns the address of the first of them; NULL, with wire->error set:
 * the message has fewer, or something failed before. */
static const unsigned char *take(alcore__wire *wire, uint64_t length) {
    const unsigned char *begin = wire->next;
    if (wire->error || length > (uint64_t)(wire->end - begin)) {
        fail(wire, "a value ends behind the end of its message");
        return NULL;
    }
    wire->next += length;
    return begin;
}

/* Moves behind the value of the field. */
static void skip_value(alcore__wire *wire) {
    wire->value = false;
    if (wire->type == VARINT)
        (void)read_varint(wire);
    else if (wire->type == EIGHT_BYTES)
        (void)take(wire, 8);
    else if (wire->type == FOUR_BYTES)
        (void)take(wire, 4);
    else if (wire->type == BYTES)
        (void)take(wire, read_varint(wire));
    else
        fail(wire, "a field of an unknown type");
}

/* Skips a value that was not read, and reads the key of the next field: its number and, in
 * the lowest 3 bits, its type. */
bool alcore__wire_field(alcore__wire *wire) {
    if (wire->value) skip_value(wire);
    if (wire->error || wire->next == wire->end) return false;
    const uint64_t key = read_varint(wire);
    if (!wire->error && (key >> 3 == 0 || key >> 3 > 0x1FFFFFFF))
        fail(wire, "a field with an impossible number");
    wire->number = (uint32_t)(key >> 3);
    wire->type = (uint32_t)(key & 7);
    wire->value = !wire->error;
    return wire->value;
}

/* Marks the value as read; false, with wire->error set: it has another type. */
static bool begin_value(alcore__wire *wire, uint32_t type) {
    wire->value = false;
    if (wire->type == type) return true;
    fail(wire, "a value of another type is expected");
    return false;
}

uint64_t alcore__wire_varint(alcore__wire *wire) {
    return begin_value(wire, VARINT) ? read_varint(wire) : 0;
}

float alcore__wire_float(alcore__wire *wire) {
    const unsigned char *bytes = begin_value(wire, FOUR_BYTES) ? take(wire, 4) : NULL;
    float value = 0;
    if (!bytes) return 0;
    const uint32_t bits = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24;
    memcpy(&value, &bits, 4);
    return value;
}

const char *alcore__wire_bytes(alcore__wire *wire, size_t *length) {
    *length = 0;
    if (!begin_value(wire, BYTES)) return NULL;
    const uint64_t bytes = read_varint(wire);
    const unsigned char *begin = take(wire, bytes);
    if (begin) *length = (size_t)bytes;
    return (const char *)begin;
}
