/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the texts of a translation metric once, so that the loops over them need no checks. Two
 * passes over the pointers, none over the bytes. */
#include "extra/metric/segment_pairs.h"

#include <string.h>

/* Whether a text is not there: NULL, unless its length was given as 0, which is an empty text. */
static bool is_missing(const char *const *texts, const size_t *lengths, int64_t i) {
    return !texts[i] && (!lengths || lengths[i] != 0);
}

alcore_status alcore__segment_texts_check(const char *const *texts, const size_t *lengths,
                                          int64_t count, const char *what) {
    for (int64_t i = 0; i < count; i++)
        if (is_missing(texts, lengths, i))
            return alcore__fail(ALCORE_E_INVALID, "line %lld of the %s is NULL", (long long)i + 1,
                                what);
    return ALCORE_OK;
}

/* Each segment has a reference; sets pairs->varied. */
static alcore_status check_references(alcore__segment_pairs *pairs) {
    for (int64_t i = 0; i < pairs->count; i++) {
        int64_t missing = 0;
        for (int64_t set = 0; set < pairs->sets; set++)
            missing +=
                is_missing(pairs->references, pairs->reference_lengths, set * pairs->count + i);
        if (missing == pairs->sets)
            return alcore__fail(ALCORE_E_INVALID, "line %lld has no reference", (long long)i + 1);
        pairs->varied = pairs->varied || missing > 0;
    }
    return ALCORE_OK;
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
    ALCORE__TRY(alcore__segment_texts_check(texts->hypotheses, texts->hypothesis_lengths, count,
                                            "hypotheses"));
    return check_references(out);
}

/* Segment and part are in range. */
const char *alcore__segment_pairs_text(const alcore__segment_pairs *pairs, int64_t segment,
                                       int64_t part, size_t *length) {
    const int64_t place = part == 0 ? segment : (part - 1) * pairs->count + segment;
    const char *const *texts = part == 0 ? pairs->hypotheses : pairs->references;
    const size_t *lengths = part == 0 ? pairs->hypothesis_lengths : pairs->reference_lengths;
    *length = 0;
    if (is_missing(texts, lengths, place)) return NULL;
    if (!texts[place]) return ""; /* of 0 bytes */
    *length = lengths ? lengths[place] : strlen(texts[place]);
    return texts[place];
}
