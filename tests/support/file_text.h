/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a file, for tests of what was written. */
#ifndef FILE_TEXT_H
#define FILE_TEXT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* All bytes of a file and a NUL behind them, valid until four calls later. */
static inline const char *file_text(const char *path) {
    static char *texts[4];
    static unsigned calls;
    char **text = &texts[calls++ % 4];
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s", path);
    size_t length = 0, room = 0, read;
    do {
        room += 4096 + length;
        *text = realloc(*text, room + 1);
        ck_assert_ptr_nonnull(*text);
        read = fread(*text + length, 1, room - length, file);
        length += read;
    } while (length == room);
    (*text)[length] = '\0';
    ck_assert_int_eq(fclose(file), 0);
    return *text;
}

#endif
