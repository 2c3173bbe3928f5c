/* SPDX-License-Identifier: Apache-2.0 */
/* Size-first structs: a caller built against an older or newer header works, or is told why not. */
#include <string.h>

#include "base/base.h"

/* Bytes; a size above this is that of a struct that was never initialized. */
#define LARGEST_STRUCT 4096

/* Whether byte i of a struct says nothing: it is 0, or in a number that is ALCORE_UNSET or
 * ALCORE_UNSET_INT, which the macros of a newer header write too. */
static bool is_unset(const unsigned char *bytes, size_t i, size_t size) {
    const double unset = ALCORE_UNSET;
    const int64_t whole = ALCORE_UNSET_INT;
    const int32_t half = ALCORE_UNSET_INT;
    const size_t word = i & ~(size_t)7, part = i & ~(size_t)3;
    if (bytes[i] == 0) return true;
    if (part + 4 <= size && memcmp(bytes + part, &half, 4) == 0) return true;
    return word + 8 <= size &&
           (memcmp(bytes + word, &unset, 8) == 0 || memcmp(bytes + word, &whole, 8) == 0);
}

/* Checks the size member of a caller's struct, and that the bytes this library does not know are 0;
 * *out_size: the size. */
static alcore_status check(const void *theirs, size_t full_size, size_t first_size,
                           const char *name, size_t *out_size) {
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size == 0)
        return alcore__fail(ALCORE_E_STRUCT_UNSET,
                            "%s: size is 0; begin with its _INIT macro or alcore_struct_begin()",
                            name);
    if (size < first_size || size > LARGEST_STRUCT)
        return alcore__fail(ALCORE_E_STRUCT_SIZE, "%s: size %zu is not from %zu to %d", name, size,
                            first_size, LARGEST_STRUCT);
    for (size_t i = full_size; i < size; i++)
        if (!is_unset((const unsigned char *)theirs, i, size))
            return alcore__fail(ALCORE_E_STRUCT_NEWER,
                                "%s: byte %zu is set, but this library knows only %zu bytes: the "
                                "program was built for a newer libalcore",
                                name, i, full_size);
    *out_size = size;
    return ALCORE_OK;
}

/* Copies a caller's struct, of any valid size, into `ours` of full_size bytes; what the caller
 * lacks is 0, or as it was. theirs NULL: that is all of it but the size. */
alcore_status alcore__struct_read(void *ours, size_t full_size, size_t first_size,
                                  const void *theirs, const char *name) {
    memset(ours, 0, full_size);
    return alcore__struct_read_over(ours, full_size, first_size, theirs, name);
}

alcore_status alcore__struct_read_over(void *ours, size_t full_size, size_t first_size,
                                       const void *theirs, const char *name) {
    size_t size = 0;
    if (theirs) {
        ALCORE__TRY(check(theirs, full_size, first_size, name, &size));
        memcpy(ours, theirs, size < full_size ? size : full_size);
    }
    memcpy(ours, &full_size, sizeof full_size);
    return ALCORE_OK;
}

alcore_status alcore__struct_empty(const void *theirs, const char *name) {
    size_t size;
    return alcore__struct_read(&size, sizeof size, sizeof size, theirs, name);
}

alcore_status alcore__struct_reserved(int32_t reserved, const char *name) {
    if (reserved == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_STRUCT_NEWER,
                        "%s: reserved is %d, not 0: it has no meaning in this libalcore", name,
                        (int)reserved);
}

/* Looks a struct up by its name; NULL: no table has it. */
static const alcore__struct_image *
find_image(const char *name, const alcore__struct_image *const *tables, int count) {
    for (int t = 0; t < count; t++)
        for (const alcore__struct_image *image = tables[t]; image->name; image++)
            if (strcmp(image->name, name) == 0) return image;
    return NULL;
}

/* alcore__struct_begin() within a call. A struct of an older header is shorter than the image, one
 * of a newer header longer. */
static alcore_status struct_begin(void *any_struct, size_t size, const char *name,
                                  const alcore__struct_image *const *tables, int count) {
    if (!any_struct || !name) return alcore__fail(ALCORE_E_INVALID, "any_struct or name is NULL");
    const alcore__struct_image *image = find_image(name, tables, count);
    if (!image)
        return alcore__fail(ALCORE_E_NOT_FOUND, "no struct of this library is called '%s'", name);
    if (size < sizeof size || size > LARGEST_STRUCT)
        return alcore__fail(ALCORE_E_STRUCT_SIZE, "the struct's size %zu is not from %zu to %d",
                            size, sizeof size, LARGEST_STRUCT);
    memset(any_struct, 0, size);
    memcpy(any_struct, image->initial, size < image->size ? size : image->size);
    memcpy(any_struct, &size, sizeof size);
    return ALCORE_OK;
}

alcore_status alcore__struct_begin(void *any_struct, size_t size, const char *name,
                                   const alcore__struct_image *const *tables, int count) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, struct_begin(any_struct, size, name, tables, count));
}

/* Copies a result into the caller's struct: as many bytes as both have, all but the size member,
 * which the caller has set. */
alcore_status alcore__struct_write(void *theirs, const void *ours, size_t full_size,
                                   size_t first_size, const char *name) {
    size_t size = 0;
    if (!theirs) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", name);
    ALCORE__TRY(check(theirs, full_size, first_size, name, &size));
    size_t bytes = size < full_size ? size : full_size;
    memcpy((char *)theirs + sizeof size, (const char *)ours + sizeof size, bytes - sizeof size);
    return ALCORE_OK;
}
