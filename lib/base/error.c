/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: the last error's status and text in the state of the thread (state.h), formatting without
 * the host's locale, and the nearest name for "did you mean". Nothing here allocates, so that the
 * error of a failed allocation can be set too. */
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/state.h"

_Thread_local alcore__thread alcore__this;

static const struct {
    alcore_status status;
    const char *name;
} names[] = {
    {ALCORE_OK, "ALCORE_OK"},
    {ALCORE_E_INVALID, "ALCORE_E_INVALID"},
    {ALCORE_E_PARAM, "ALCORE_E_PARAM"},
    {ALCORE_E_STRUCT_SIZE, "ALCORE_E_STRUCT_SIZE"},
    {ALCORE_E_STRUCT_NEWER, "ALCORE_E_STRUCT_NEWER"},
    {ALCORE_E_STRUCT_UNSET, "ALCORE_E_STRUCT_UNSET"},
    {ALCORE_E_DATA, "ALCORE_E_DATA"},
    {ALCORE_E_SHAPE, "ALCORE_E_SHAPE"},
    {ALCORE_E_MISSING, "ALCORE_E_MISSING"},
    {ALCORE_E_NOT_FOUND, "ALCORE_E_NOT_FOUND"},
    {ALCORE_E_NOMEM, "ALCORE_E_NOMEM"},
    {ALCORE_E_IO, "ALCORE_E_IO"},
    {ALCORE_E_CORRUPT, "ALCORE_E_CORRUPT"},
    {ALCORE_E_EXISTS, "ALCORE_E_EXISTS"},
    {ALCORE_E_UNSUPPORTED, "ALCORE_E_UNSUPPORTED"},
    {ALCORE_E_MODULE, "ALCORE_E_MODULE"},
    {ALCORE_E_BUSY, "ALCORE_E_BUSY"},
    {ALCORE_E_FORKED, "ALCORE_E_FORKED"},
    {ALCORE_E_CANCELLED, "ALCORE_E_CANCELLED"},
    {ALCORE_E_CALLBACK, "ALCORE_E_CALLBACK"},
    {ALCORE_E_INTERNAL, "ALCORE_E_INTERNAL"},
};

const char *alcore_status_name(alcore_status status) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].status == status) return names[i].name;
    return "unknown status";
}

const char *alcore_last_error(void) {
    return alcore__this.text;
}

const char *alcore__error_text(void) {
    return alcore__this.text;
}

/* After it the thread has no error: no text, ALCORE_OK, no remedy. */
void alcore__error_clear(void) {
    alcore__this.text[0] = 0;
    alcore__this.status = ALCORE_OK;
    alcore__this.remedy.kind = 0;
}

/* The length of text [length] without a code point of UTF-8 that its end cuts in two. */
static size_t whole_code_points(const char *text, size_t length) {
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0) return length;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t need = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    return need > length - (start - 1) ? start - 1 : length;
}

locale_t alcore__c_locale(void) {
    /* The C locale object is static in glibc and musl: nothing is allocated, nothing to free. */
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* vsnprintf() with '.' as decimal point, whatever the host's locale is: the thread's locale is
 * changed for the call only where it has another one. A text that is cut ends at a whole code
 * point. */
int alcore__format_v(char *out, size_t bytes, const char *format, va_list args) {
    /* A host's setlocale() must not put a comma into a number. */
    bool foreign = strcmp(nl_langinfo(RADIXCHAR), ".") != 0;
    locale_t before = foreign ? uselocale(alcore__c_locale()) : (locale_t)0;
    int length = vsnprintf(out, bytes, format, args);
    if (foreign) uselocale(before);
    if (length < 0) {
        if (bytes) out[0] = 0;
        return length;
    }
    if (bytes && (size_t)length >= bytes) out[whole_code_points(out, bytes - 1)] = 0;
    return length;
}

int alcore__format(char *out, size_t bytes, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = alcore__format_v(out, bytes, format, args);
    va_end(args);
    return length;
}

/* Makes text [length] the thread's error text, cut to whole code points, and drops the remedy of
 * the error before. text may lie inside the present text, hence memmove(). */
alcore_status alcore_error_set(alcore_status status, const char *text, size_t length) {
    alcore__thread *self = &alcore__this;
    if (!text) length = 0;
    if (length > ALCORE__TEXT_BYTES - 1) length = whole_code_points(text, ALCORE__TEXT_BYTES - 1);
    if (length) memmove(self->text, text, length);
    self->text[length] = 0;
    self->status = status;
    self->remedy.kind = 0;
    return status;
}

alcore_status alcore__fail_v(alcore_status status, const char *format, va_list args) {
    char text[ALCORE__TEXT_BYTES]; /* the arguments may point into the present text */
    alcore__format_v(text, sizeof text, format, args);
    return alcore_error_set(status, text, strlen(text));
}

alcore_status alcore__fail(alcore_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(status, format, args);
    va_end(args);
    return status;
}

alcore_status alcore__fail_memory(size_t bytes) {
    return alcore__fail(ALCORE_E_NOMEM, "out of memory (%zu bytes asked for)", bytes);
}

/* Puts "prefix: " before the present error text; a text that gets too long is cut at its end. What
 * mends the error still does, so the remedy stays. */
alcore_status alcore__fail_within(alcore_status status, const char *format, ...) {
    char prefix[ALCORE__TEXT_BYTES];
    va_list args;
    va_start(args, format);
    alcore__format_v(prefix, sizeof prefix, format, args);
    va_end(args);
    const alcore_remedy remedy = alcore__this.remedy;
    alcore__fail(status, "%s: %s", prefix, alcore__this.text);
    alcore__this.remedy = remedy;
    return status;
}

/* The new text is formatted before it replaces the one that its arguments point into. */
alcore_status alcore__fail_renamed(alcore_status status, const char *temporary, const char *path) {
    const char *text = alcore__this.text, *found = strstr(text, temporary);
    if (found)
        alcore__fail(status, "%.*s%s%s", (int)(found - text), text, path,
                     found + strlen(temporary));
    return status;
}

/* The error of a callback that returned `status`. A positive one is a number of the callback's own:
 * the status that goes with its text replaces it, or ALCORE_E_CALLBACK where it set no text. */
alcore_status alcore__fail_callback(alcore_status status, const char *what) {
    const alcore_status text_status = alcore__this.text[0] ? alcore__this.status : ALCORE_OK;
    /* A text of another status is left over from a failure that the callback handled itself. */
    if (text_status < 0 && (status > 0 || status == text_status)) return text_status;
    if (status > 0) status = ALCORE_E_CALLBACK;
    return alcore__fail(status, "%s failed", what);
}

/* The smallest number of edits (insert, delete, replace a character, swap two neighbors) that turn
 * a into b, both at most 63 bytes. rows [3][64]: row i, for the first i characters of a, stands at
 * i % 3; column j is for the first j characters of b. above is row i - 1, second is row i - 2,
 * which a swap of two neighbors looks at. */
static size_t edit_distance(const char *a, size_t length_a, const char *b, size_t length_b) {
    size_t rows[3][64];
    for (size_t j = 0; j <= length_b; j++) rows[0][j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            size_t edits = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < edits) edits = above[j] + 1;
            if (row[j - 1] + 1 < edits) edits = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                second[j - 2] + 1 < edits)
                edits = second[j - 2] + 1;
            row[j] = edits;
        }
    }
    return rows[length_a % 3][length_b];
}

/* The candidate with the smallest edit distance to text, if that is at most 1 + a quarter of the
 * longer name and below its length: "did you mean". The first one in ties; names above 63 bytes are
 * left out. */
const char *alcore__nearest_name(const char *text, const char *const *candidates, size_t count) {
    size_t length = text ? strlen(text) : 0, nearest_distance = SIZE_MAX;
    const char *nearest = NULL;
    if (length == 0 || length > 63) return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > 63) continue;
        size_t distance = edit_distance(text, length, candidates[i], candidate_length);
        size_t longer = length > candidate_length ? length : candidate_length;
        if (distance < nearest_distance && distance <= 1 + longer / 4 && distance < longer) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
