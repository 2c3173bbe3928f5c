/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Overlap of n-grams: how much of a test set the selected data, the data outside the domain, or
 * both cover, and which selected words are in-domain (docs/spec/analyses.md 8.1, 8.2).
 *
 * An overlap is made once, is given texts by role, and is asked as often as one likes. Texts are
 * added from memory or read from files, which are not kept: memory is that of the n-grams of the
 * roles that are kept, by default those of the test set, 60 to 100 bytes an n-gram. Words are the
 * maximal runs without ASCII space, tab, CR and LF; n-grams lie inside one text. A malformed UTF-8
 * sequence of a text in memory counts as U+FFFD; in a file it is an error. */
#ifndef ALCORE_EXTRA_OVERLAP_H
#define ALCORE_EXTRA_OVERLAP_H

#include "alcore/context.h"
#include "alcore/format.h"

ALCORE_BEGIN

/** The n-grams of texts by role. Made by alcore_overlap_new(). */
typedef struct alcore_overlap alcore_overlap;

/** Roles of texts; bits, so that several can be named at once. */
enum alcore_overlap_role {
    ALCORE_OVERLAP_SELECTED = 0x10000000, /**< data chosen for labeling */
    ALCORE_OVERLAP_OUTSIDE = 0x20000000,  /**< data outside the domain, which there was before */
    ALCORE_OVERLAP_TEST = 0x40000000,     /**< the test set */
    /** The data selected and outside, of alcore_coverage_options */
    ALCORE_OVERLAP_BOTH = 0x30000000
};

/** Sides of a translation. */
enum alcore_side {
    ALCORE_SIDE_SOURCE = 6301, /**< the text that is translated; where there is one side only */
    ALCORE_SIDE_TARGET = 6302  /**< its translation */
};

/** What is an in-domain word. */
enum alcore_in_domain {
    ALCORE_IN_DOMAIN_TEST = 6401,  /**< a word of the test set that is not outside the domain */
    ALCORE_IN_DOMAIN_UNSEEN = 6402 /**< any word that is not outside the domain */
};

/** Largest max_order. */
#define ALCORE_NGRAM_ORDER_MAX 16

/** Settings of an overlap. Zero means default everywhere. */
typedef struct alcore_overlap_options {
    size_t size;       /**< sizeof(alcore_overlap_options) */
    int32_t max_order; /**< longest n-gram, 1 to ALCORE_NGRAM_ORDER_MAX; 0: 4 */
    /** Roles whose n-grams are kept, ALCORE_OVERLAP_* bits; 0: ALCORE_OVERLAP_TEST. Texts of other
     * roles are only looked up in them. Precision and the Jaccard index need the roles of their
     * data, in-domain words ALCORE_OVERLAP_SELECTED. */
    int32_t kept;
    /** 1: n-grams of the source and of the target side are different ones even where they are equal
     * (tagged by their side), and their counts are added up; 0: they are united */
    int32_t tagged;
    int32_t reserved; /**< pads: 0, checked */
} alcore_overlap_options;
/** An alcore_overlap_options with its size set and everything else 0. */
#define ALCORE_OVERLAP_OPTIONS_INIT ALCORE_INIT(alcore_overlap_options)

/** Settings of the overlap of one order. Zero means default everywhere. */
typedef struct alcore_coverage_options {
    size_t size;  /**< sizeof(alcore_coverage_options) */
    int32_t data; /**< what covers the test set: ALCORE_OVERLAP_SELECTED, the default, _OUTSIDE or
                   * _BOTH */
    int32_t reserved; /**< pads: 0, checked */
} alcore_coverage_options;
/** An alcore_coverage_options with its size set and everything else 0. */
#define ALCORE_COVERAGE_OPTIONS_INIT ALCORE_INIT(alcore_coverage_options)

/** Overlap of the n-grams of one order. T: those of the test set, S: those of the data. */
typedef struct alcore_coverage_result {
    size_t size;           /**< sizeof(alcore_coverage_result) */
    double coverage;       /**< percent of the types of T that are in S; NaN without T */
    double token_coverage; /**< the same, each type weighted by its occurrences in the test set */
    double precision;      /**< percent of the types of S that are in T; NaN without S, or where a
                              role of the data is not kept */
    double jaccard;        /**< percent of the types of either that are in both; NaN as precision */
    int64_t test_types;    /**< distinct n-grams of T */
    int64_t test_tokens;   /**< occurrences of them in the test set */
    int64_t data_types;    /**< distinct n-grams of S; -1 where a role of the data is not kept */
    int64_t shared_types;  /**< distinct n-grams of both */
    int64_t shared_tokens; /**< occurrences of them in the test set */
} alcore_coverage_result;
/** An alcore_coverage_result with its size set and everything else 0. */
#define ALCORE_COVERAGE_RESULT_INIT ALCORE_INIT(alcore_coverage_result)

/** Settings of in-domain words. Zero means default everywhere. */
typedef struct alcore_in_domain_options {
    size_t size;        /**< sizeof(alcore_in_domain_options) */
    int32_t definition; /**< ALCORE_IN_DOMAIN_*; 0: _TEST */
    int32_t reserved;   /**< pads: 0, checked */
} alcore_in_domain_options;
/** An alcore_in_domain_options with its size set and everything else 0. */
#define ALCORE_IN_DOMAIN_OPTIONS_INIT ALCORE_INIT(alcore_in_domain_options)

/** In-domain words of the selected data. */
typedef struct alcore_in_domain_result {
    size_t size;             /**< sizeof(alcore_in_domain_result) */
    double type_share;       /**< percent of the distinct words that are in-domain; NaN without */
    double word_share;       /**< percent of the words that are in-domain; NaN without words */
    int64_t in_domain_types; /**< distinct in-domain words (IDWT) */
    int64_t types;           /**< distinct words (WT) */
    int64_t in_domain_words; /**< occurrences of in-domain words (IDWC) */
    int64_t words;           /**< words (WC) */
} alcore_in_domain_result;
/** An alcore_in_domain_result with its size set and everything else 0. */
#define ALCORE_IN_DOMAIN_RESULT_INIT ALCORE_INIT(alcore_in_domain_result)

/** Makes an overlap without texts.
 * @param[in] ctx kept
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range), ALCORE_E_NOMEM,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_overlap_new(alcore_ctx *ctx, const alcore_overlap_options *options,
                                            alcore_overlap **out);

/** Adds texts of a role. Roles that are kept come before the others; a role may be added in several
 * calls. After a failure in the middle of the texts the overlap refuses further calls.
 * @param[in,out] overlap borrowed
 * @param[in] role ALCORE_OVERLAP_SELECTED, _OUTSIDE or _TEST
 * @param[in] side ALCORE_SIDE_*; only a tagged overlap tells them apart
 * @param[in] texts borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: NUL-terminated
 * @param[in] count texts, 0 or more
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL text, an unknown role or side, a kept role behind one
 *   that is not, an earlier failure), ALCORE_E_UNSUPPORTED (more than 2^32 - 2 distinct n-grams of
 *   an order), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_overlap_add(alcore_overlap *overlap, int32_t role, int32_t side,
                                            const char *const *texts, const size_t *lengths,
                                            int64_t count);

/** Adds the texts of a file, which is read in blocks: memory does not depend on its length.
 * @param[in,out] overlap borrowed
 * @param[in] role ALCORE_OVERLAP_SELECTED, _OUTSIDE or _TEST
 * @param[in] side ALCORE_SIDE_*; only a tagged overlap tells them apart
 * @param[in] path borrowed; compressed or not, "-" is standard input
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out_texts texts of the file, empty ones too; NULL: not wanted
 * @return what alcore_overlap_add() returns (ALCORE_E_INVALID also for references, their column, a
 *   language or by: one side is read), ALCORE_E_IO, ALCORE_E_DATA (names file and line: no record,
 *   malformed UTF-8, a column that the file lacks), ALCORE_E_PARAM (an option that the format has
 *   not), ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_overlap_read(alcore_overlap *overlap, int32_t role, int32_t side,
                                             const char *path, const alcore_read_options *options,
                                             int64_t *out_texts);

/** Overlap of the n-grams of one order (PHR Table 3, HUDS Table 5).
 * @param[in] overlap borrowed; it keeps the role ALCORE_OVERLAP_TEST
 * @param[in] order 1 to max_order
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_overlap_compute_coverage(const alcore_overlap *overlap,
                                                         int32_t order,
                                                         const alcore_coverage_options *options,
                                                         alcore_coverage_result *out);

/** In-domain words of the selected data (PHR Table 5).
 * @param[in] overlap borrowed; it keeps the role ALCORE_OVERLAP_SELECTED
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out size-first
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_overlap_compute_in_domain(const alcore_overlap *overlap,
                                                          const alcore_in_domain_options *options,
                                                          alcore_in_domain_result *out);

/** Takes another reference.
 * @param[in] overlap the overlap; NULL is allowed
 * @return owned: overlap itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_overlap *alcore_overlap_ref(alcore_overlap *overlap);

/** Drops a reference; the last one releases the overlap.
 * @param[in] overlap the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_overlap_unref(alcore_overlap *overlap);

ALCORE_END

#endif
