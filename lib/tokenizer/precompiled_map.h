/* SPDX-License-Identifier: Apache-2.0 */
/* The character map that SentencePiece compiles into its models: a table from texts to the texts
 * that replace them. */
#ifndef ALCORE__PRECOMPILED_MAP_H
#define ALCORE__PRECOMPILED_MAP_H

#include "tokenizer/aligned_text.h"

/* What replaces a text: bytes [length] of the map; text NULL: nothing does. */
typedef struct alcore__replacement {
    const char *text;
    size_t length;
} alcore__replacement;

/* A map. It does not change once it is made. */
typedef struct alcore__precompiled_map {
    uint32_t *units; /* [units_count] the double-array trie, owned */
    size_t units_count;
    const char *texts; /* [texts_length] the replacements, each ended by a NUL; after the units, in
                        * the same memory */
    size_t texts_length;
    alcore__replacement ascii[128]; /* what replaces each character of ASCII */
} alcore__precompiled_map;

/* Makes a map of the bytes that a SentencePiece model has: the size of the trie in bytes, the trie,
 * the texts. ALCORE_E_DATA: they are no such map. */
alcore_status alcore__precompiled_map_make(alcore_ctx *ctx, const char *bytes, size_t length,
                                           alcore__precompiled_map *out);
/* The same for those bytes written in base64, as in tokenizer.json. */
alcore_status alcore__precompiled_map_decode(alcore_ctx *ctx, const char *base64, size_t length,
                                             alcore__precompiled_map *out);
void alcore__precompiled_map_clear(alcore_ctx *ctx, alcore__precompiled_map *map);

/* What replaces the longest beginning of text [length] that the map has; *bytes: how long that is,
 * not set where the map has none. */
alcore__replacement alcore__precompiled_map_longest(const alcore__precompiled_map *map,
                                                    const char *text, size_t length, size_t *bytes);

/* Appends the mapped text to *out, which has been started for it. changes: memory to work with. */
alcore_status alcore__precompiled_map_apply(alcore_ctx *ctx, const alcore__precompiled_map *map,
                                            const alcore__view *view, alcore__changes *changes,
                                            alcore__aligned *out);

#endif
