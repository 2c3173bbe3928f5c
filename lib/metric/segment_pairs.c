/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the texts of a translation metric once, so that the loops over them need no checks. Two
 * passes over the pointers, none over the bytes. */
#include "metric/segment_pairs.h"

#include <string.h>

/* The index of the first text of texts [count] that is NULL; count when none is. A text with a
 * given length of 0 may be NULL. */
static int64_t first_missing(const char *const *texts, const size_t *lengths, int64_t count) {
    int64_t i = 0;
    while (i < count && (texts[i] || (lengths && lengths[i] == 0))) i++;
    return i;
}

/* The number of references must be a multiple of the number of hypotheses, at least once (no
 * hypotheses: no references). Messages count lines and sets from 1. The texts are borrowed. */
alcore_status alcore__segment_pairs_check(const alcore__segment_texts *texts,
                                          alcore__segment_pairs *out) {
    const long long count = texts->hypothesis_count, given = texts->reference_count;
    if (count < 0 || given < 0 || (count > 0 && !texts->hypotheses) ||
        (given > 0 && !texts->references))
        return alcore__fail(ALCORE_E_INVALID, "a count is negative or its texts are NULL");
    if (count == 0 ? given != 0 : given == 0 || given % count != 0) {
        if (given < count)
            return alcore__fail(ALCORE_E_SHAPE,
                                "%lld hypotheses, %lld references: line %lld of the hypotheses has "
                                "no reference",
                                count, given, given + 1);
        return alcore__fail(ALCORE_E_SHAPE,
                            "%lld hypotheses, %lld references: line %lld of set %lld of the "
                            "references has no counterpart; each set has as many lines as the "
                            "hypotheses",
                            count, given, count == 0 ? 1 : given % count,
                            count == 0 ? 1 : given / count + 1);
    }
    *out = (alcore__segment_pairs){.hypotheses = texts->hypotheses,
                                   .hypothesis_lengths = texts->hypothesis_lengths,
                                   .references = texts->references,
                                   .reference_lengths = texts->reference_lengths,
                                   .count = count,
                                   .sets = count == 0 ? 1 : given / count};
    const int64_t missing = first_missing(texts->hypotheses, texts->hypothesis_lengths, count);
    if (missing < count)
        return alcore__fail(ALCORE_E_INVALID, "line %lld of the hypotheses is NULL",
                            (long long)missing + 1);
    const int64_t lost = first_missing(texts->references, texts->reference_lengths, given);
    if (lost < given)
        return alcore__fail(ALCORE_E_INVALID, "line %lld of set %lld of the references is NULL",
                            (long long)(lost % count) + 1, (long long)(lost / count) + 1);
    return ALCORE_OK;
}

/* Segment and part are in range. A text whose length was given as 0 may be NULL: no byte is read.
 */
const char *alcore__segment_pairs_text(const alcore__segment_pairs *pairs, int64_t segment,
                                       int64_t part, size_t *length) {
    const int64_t place = part == 0 ? segment : (part - 1) * pairs->count + segment;
    const char *text = part == 0 ? pairs->hypotheses[place] : pairs->references[place];
    const size_t *lengths = part == 0 ? pairs->hypothesis_lengths : pairs->reference_lengths;
    *length = lengths ? lengths[place] : strlen(text);
    return text;
}
