/* SPDX-License-Identifier: Apache-2.0 */
/* The union of tags that tag_union.h describes; shards have few, so that they are compared one by
 * one. */
#include "pool/tag_union.h"

/* The length of a tag with NUL behind it, up to a multiple of 8. */
static size_t padded(size_t length) {
    return alcore__cursor_padded(length + 1);
}

alcore_status alcore__tags_write(alcore_ctx *ctx, const alcore_pool *pool, alcore__buffer *out) {
    static const char nothing[8];
    const char *const *tags;
    const int64_t count = alcore__pool_languages(pool, &tags);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t length = strlen(tags[i]);
        ALCORE__TRY(alcore__buffer_append(ctx, out, &length, sizeof length));
        ALCORE__TRY(alcore__buffer_append(ctx, out, tags[i], (size_t)length));
        ALCORE__TRY(alcore__buffer_append(ctx, out, nothing, padded(length) - (size_t)length));
    }
    return ALCORE_OK;
}

/* The number of a tag in the union, to which it is added if it is new. */
static alcore_status number_of(alcore_ctx *ctx, alcore__tag_union *tags, const char *tag,
                               int32_t *out) {
    const size_t length = strlen(tag);
    for (*out = 0; *out < tags->count; ++*out)
        if (strcmp(tags->tags[*out], tag) == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(ctx, &tags->tags, &tags->capacity, (size_t)tags->count + 1,
                             sizeof *tags->tags));
    char *copy = alcore__strndup(ctx, tag, length);
    if (!copy) return alcore__fail_memory(length + 1);
    tags->tags[tags->count++] = copy;
    return ALCORE_OK;
}

alcore_status alcore__tag_union_read(alcore_ctx *ctx, alcore__byte_cursor *cursor, int64_t count,
                                     alcore__tag_union *tags, int32_t **numbers, bool *complete) {
    *numbers = NULL;
    *complete = count >= 0 && (uint64_t)count <= cursor->left / 8; /* each has 8 bytes or more */
    if (!*complete) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof **numbers, numbers));
    for (int64_t i = 0; i < count && *complete; i++) {
        uint64_t length;
        const char *tag = NULL;
        if (alcore__cursor_read(cursor, &length, sizeof length) && length <= cursor->left)
            tag = alcore__cursor_take(cursor, padded((size_t)length), 1);
        *complete = tag && tag[length] == '\0';
        if (*complete) ALCORE__TRY(number_of(ctx, tags, tag, &(*numbers)[i]));
    }
    return ALCORE_OK;
}

void alcore__tag_union_clear(alcore_ctx *ctx, alcore__tag_union *tags) {
    for (int64_t i = 0; i < tags->count; i++) alcore__free(ctx, tags->tags[i]);
    alcore__free(ctx, tags->tags);
    *tags = (alcore__tag_union){0};
}
