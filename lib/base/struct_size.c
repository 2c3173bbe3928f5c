/* SPDX-License-Identifier: Apache-2.0 */
/* Size-first structs: a caller built against an older or newer header works, or is told why not. */
#include <string.h>

#include "base/base.h"

/* Bytes; a size above this is that of a struct that was never initialized. */
#define LARGEST_STRUCT 4096

/* Checks the size member of a caller's struct, and that the bytes this library does not know are 0;
 * *out_size: the size. */
static alcore_status check(const void *theirs, size_t full_size, size_t first_size,
                           const char *name, size_t *out_size) {
    size_t size;
    memcpy(&size, theirs, sizeof size);
    if (size == 0)
        return alcore__fail(ALCORE_E_STRUCT_UNSET,
                            "%s: size is 0; begin with its _INIT macro or alcore_struct_init()",
                            name);
    if (size < first_size || size > LARGEST_STRUCT)
        return alcore__fail(ALCORE_E_STRUCT_SIZE, "%s: size %zu is not from %zu to %d", name, size,
                            first_size, LARGEST_STRUCT);
    for (size_t i = full_size; i < size; i++)
        if (((const unsigned char *)theirs)[i])
            return alcore__fail(ALCORE_E_STRUCT_NEWER,
                                "%s: byte %zu is set, but this library knows only %zu bytes: the "
                                "program was built for a newer libalcore",
                                name, i, full_size);
    *out_size = size;
    return ALCORE_OK;
}

/* Copies a caller's struct, of any valid size, into `ours` of full_size bytes; what the caller
 * lacks is 0. theirs NULL: all zeros but for the size. */
alcore_status alcore__struct_read(void *ours, size_t full_size, size_t first_size,
                                  const void *theirs, const char *name) {
    size_t size = 0;
    memset(ours, 0, full_size);
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

/* alcore_struct_init() within a call: zeros, and the size in the first member. */
static alcore_status struct_init(void *any_struct, size_t size) {
    if (!any_struct) return alcore__fail(ALCORE_E_INVALID, "the struct is NULL");
    if (size < sizeof size || size > LARGEST_STRUCT)
        return alcore__fail(ALCORE_E_STRUCT_SIZE, "the struct's size %zu is not from %zu to %d",
                            size, sizeof size, LARGEST_STRUCT);
    memset(any_struct, 0, size);
    memcpy(any_struct, &size, sizeof size);
    return ALCORE_OK;
}

alcore_status alcore_struct_init(void *any_struct, size_t size) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, struct_init(any_struct, size));
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
