/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that every string passes on its way into a pool (pool_strings.h): at most the pool's
 * max_text_bytes, UTF-8, no NUL; a pool made with ALCORE_UTF8_REPLACE repairs instead of refusing.
 */
#include "pool/pool_strings.h"

#include <inttypes.h>
#include <string.h>

#include "pool/text_scan.h"
#include "text/utf8.h"

/* Copies text to check->repaired with U+FFFD in place of every malformed sequence and every NUL. */
static alcore_status repair(alcore__string_check *check, const char *text, size_t length) {
    alcore_ctx *ctx = check->pool->object.ctx;
    check->repaired.length = 0;
    for (size_t start = 0;;) {
        const char *nul = length > start ? memchr(text + start, 0, length - start) : NULL;
        const size_t end = nul ? (size_t)(nul - text) : length;
        int64_t count;
        ALCORE__TRY(alcore__utf8_repair(ctx, text + start, end - start, &check->repaired, &count));
        check->replaced += count;
        if (!nul) return ALCORE_OK;
        ALCORE__TRY(alcore__buffer_append(ctx, &check->repaired, "\xEF\xBF\xBD", 3));
        check->replaced++;
        start = end + 1;
    }
}

/* Called for every string that enters a pool. Texts of ASCII without NUL, the usual case, need one
 * scan. */
alcore_status alcore__string_check_next(alcore__string_check *check, const char *noun,
                                        const char **text, size_t *length, int64_t *out_words) {
    const int64_t limit = check->pool->max_text_bytes;
    if (*length > (uint64_t)limit)
        return alcore__fail(ALCORE_E_DATA, "the %s has %zu bytes; max_text_bytes is %" PRId64, noun,
                            *length, limit);
    alcore__text_stats stats = alcore__text_scan(*text, *length);
    const size_t bad = stats.ascii ? *length : alcore__utf8_check(*text, *length);
    if (bad < *length || stats.nul) {
        if (check->pool->utf8 == ALCORE_UTF8_REFUSE) {
            const char *nul = stats.nul ? memchr(*text, 0, *length) : NULL;
            if (nul && (size_t)(nul - *text) < bad)
                return alcore__fail(ALCORE_E_DATA, "the %s has a NUL at byte %zu", noun,
                                    (size_t)(nul - *text));
            return alcore__fail(ALCORE_E_DATA, "the %s is not valid UTF-8 at byte %zu (byte %02X)",
                                noun, bad, (unsigned)(unsigned char)(*text)[bad]);
        }
        ALCORE__TRY(repair(check, *text, *length));
        *text = check->repaired.data;
        *length = check->repaired.length;
        stats = alcore__text_scan(*text, *length);
    }
    if (out_words) *out_words = stats.words;
    return ALCORE_OK;
}

/* Called once a call, when all of its strings were stored. */
void alcore__string_check_report(const alcore__string_check *check) {
    if (check->replaced > 0)
        alcore__log(check->pool->object.ctx, ALCORE_LOG_WARN, "pool", NULL,
                    "%" PRId64 " malformed sequences of bytes became U+FFFD", check->replaced);
}

void alcore__string_check_clear(alcore__string_check *check) {
    alcore__buffer_clear(check->pool->object.ctx, &check->repaired);
}

/* Memory for a string, behind `head` bytes of what stands in front of it: copies it, with a NUL. */
static alcore_status copy_behind(alcore_pool *pool, size_t head, const char *text, size_t length,
                                 char **out) {
    char *copy = length < SIZE_MAX / 2
                     ? alcore__chunks_alloc(pool->object.ctx, &pool->texts, head + length + 1)
                     : NULL;
    if (!copy) return alcore__fail_memory(length);
    copy += head;
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    *out = copy;
    return ALCORE_OK;
}

/* It is freed with the pool or by rolling back. */
alcore_status alcore__pool_copy_string(alcore_pool *pool, const char *text, size_t length,
                                       const char **out) {
    char *copy = NULL;
    ALCORE__TRY(copy_behind(pool, 0, text, length, &copy));
    *out = copy;
    return ALCORE_OK;
}

alcore_status alcore__pool_copy_text(alcore_pool *pool, const char *text, size_t length,
                                     int64_t words, const char **out) {
    const bool is_long = length >= ALCORE__LONG_TEXT;
    const alcore__text_size size = {.length = (int64_t)length, .words = words};
    const alcore__text_head head = {.length = is_long ? ALCORE__LONG_TEXT : (uint16_t)length,
                                    .words = is_long ? ALCORE__LONG_TEXT : (uint16_t)words};
    char *copy = NULL;
    ALCORE__TRY(copy_behind(pool, sizeof head + (is_long ? sizeof size : 0), text, length, &copy));
    memcpy(copy - sizeof head, &head, sizeof head);
    if (is_long) memcpy(copy - sizeof head - sizeof size, &size, sizeof size);
    *out = copy;
    return ALCORE_OK;
}
