/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Word alignment: which word of a sentence translates which word of its translation.
 *
 * A sentence pair is a source text and the target text that translates it. A link joins word i of
 * the source with word j of the target, both counted from 0; words are the maximal runs without
 * ASCII space, tab, CR and LF. An aligner is trained on sentence pairs, in one direction: every
 * target word is linked to at most one source word (forward), or every source word to at most one
 * target word (reverse). The links of both directions are symmetrized into one set, in which a word
 * may have any number of links. alcore_align() does all of it in one call.
 *
 * The models are IBM Model 1 (Brown et al. 1993, "The Mathematics of Statistical Machine
 * Translation", section 4.2) and the diagonal Model 2 of Dyer, Chahuneau and Smith (2013, "A
 * Simple, Fast, and Effective Reparameterization of IBM Model 2"), trained by expectation
 * maximization; docs/spec/aligner.md has the formulas. The links are the same for every number of
 * threads. Links travel in files of Pharaoh's notation (`0-0 1-2`, a line a pair), which other
 * aligners write too.
 *
 * Aligners and links never change once they are made: any number of threads may read them. */
#ifndef ALCORE_EXTRA_ALIGNER_H
#define ALCORE_EXTRA_ALIGNER_H

#include "alcore/context.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** A trained model of one direction. Made by alcore_aligner_new_trained() or alcore_aligner_open().
 * Memory: about 27 bytes for each different pair of a source word and a target word that occur in
 * one sentence pair, 1 MB, and of a trained one about 9 bytes a word of its training pairs. */
typedef struct alcore_aligner alcore_aligner;

/** The links of many sentence pairs. Memory: 8 bytes a link and 8 bytes a pair. */
typedef struct alcore_links alcore_links;

/** Which words are explained. */
enum alcore_direction {
    ALCORE_DIRECTION_FORWARD = 5401, /**< each target word by one source word or none */
    ALCORE_DIRECTION_REVERSE = 5402  /**< each source word by one target word or none */
};

/** Where a model expects the partner of a word. */
enum alcore_alignment_model {
    ALCORE_ALIGNER_DIAGONAL = 5501, /**< near the same relative position (Dyer et al. 2013) */
    ALCORE_ALIGNER_IBM1 = 5502      /**< anywhere (Model 1 of Brown et al. 1993) */
};

/** How the translation probabilities follow from the expected counts. */
enum alcore_estimate {
    ALCORE_ESTIMATE_BAYES = 5601, /**< variational Bayes: rare words are not overrated */
    ALCORE_ESTIMATE_COUNTS = 5602 /**< the ratio of the counts, which maximizes the likelihood */
};

/** How lambda, by which the diagonal model prefers the diagonal, changes in the training. */
enum alcore_tension {
    ALCORE_TENSION_OFF = 5701,      /**< it does not */
    ALCORE_TENSION_GRADIENT = 5702, /**< it ascends the gradient of the log-likelihood */
    ALCORE_TENSION_PUBLIC = 5703    /**< as in the public tool fast_align, its slips included */
};

/** Settings of an aligner. What is 0 or unset means the default. */
typedef struct alcore_aligner_options {
    size_t size; /**< sizeof(alcore_aligner_options) */
    /** ALCORE_DIRECTION_*; 0: _FORWARD; alcore_align() trains both and refuses any but 0 */
    int32_t direction;
    int32_t model;      /**< ALCORE_ALIGNER_*; 0: _DIAGONAL */
    int32_t estimate;   /**< ALCORE_ESTIMATE_*; 0: _BAYES */
    int32_t tension;    /**< ALCORE_TENSION_*; 0: _OFF; the others need the diagonal model */
    int32_t iterations; /**< passes over the pairs, the last of which links the words; 1 to 1000;
                           0: 5 */
    int32_t reserved;   /**< pads: 0, checked */
    double p0;     /**< prior probability that a word has no partner, from 0, below 1; unset: 0.08.
                      Model 1 does not read it */
    double lambda; /**< how strongly links keep to the diagonal, 0 to 100; unset: 4. With a tension
                      the value that the training begins with. Model 1 does not read it */
    double alpha;  /**< pseudo count of variational Bayes, 1e-6 to 1e6; unset: 0.01 */
} alcore_aligner_options;
/** An alcore_aligner_options with its size set, p0, lambda and alpha unset and everything else
 * 0. */
#define ALCORE_ALIGNER_OPTIONS_INIT                                                                \
    ALCORE_INIT_4(alcore_aligner_options, p0, ALCORE_UNSET, lambda, ALCORE_UNSET, alpha,           \
                  ALCORE_UNSET, reserved, 0)

/* ---- aligners ---- */

/** Trains an aligner. A pair of which one text has no word takes no part and gets no links.
 * @param[in] ctx kept
 * @param[in] sources borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] source_lengths borrowed: [count] bytes; NULL: the sources are NUL-terminated
 * @param[in] targets borrowed: [count] UTF-8, text i translates source i; NULL only if count is 0
 * @param[in] target_lengths borrowed: [count] bytes; NULL: the targets are NUL-terminated
 * @param[in] count sentence pairs, 0 or more
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (an option out of range),
 *   ALCORE_E_UNSUPPORTED (names the first pair whose numbers of words have a product above 2^24,
 *   such as two texts of 4097 words; 2^32 - 2 words in all), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_new_trained(alcore_ctx *ctx, const char *const *sources,
                                                    const size_t *source_lengths,
                                                    const char *const *targets,
                                                    const size_t *target_lengths, int64_t count,
                                                    const alcore_aligner_options *options,
                                                    alcore_aligner **out);

/** Reads an aligner that alcore_aligner_write() wrote: it links other pairs exactly as the one that
 * was written does. It has no training pairs, so alcore_aligner_links() refuses it.
 * @param[in] ctx kept
 * @param[in] path borrowed: a file; it is not decompressed
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_CORRUPT (names the file: not of an
 *   aligner, cut off, or damaged), ALCORE_E_UNSUPPORTED (a later version of the format, or a pipe),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_open(alcore_ctx *ctx, const char *path,
                                             alcore_aligner **out);

/** Writes an aligner without its training pairs: 12 bytes for each pair of words that occurred
 * together, and the words. The file appears whole or not at all; its bytes do not depend on the
 * number of threads, and docs/spec/aligner.md describes them.
 * @param[in] aligner borrowed
 * @param[in] path borrowed; "-" is standard output; not compressed, whatever its suffix
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_UNSUPPORTED (2^63 bytes or more),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_write(const alcore_aligner *aligner, const char *path);

/** Takes another reference.
 * @param[in] aligner the aligner; NULL is allowed
 * @return owned: aligner itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_aligner *alcore_aligner_ref(alcore_aligner *aligner);

/** Drops a reference; the last one releases the aligner.
 * @param[in] aligner the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_aligner_unref(alcore_aligner *aligner);

/** The log-likelihood of the training pairs in each iteration, with the parameters that it began
 * with: the sum over the explained words of ln(sum over their possible partners of prior times
 * translation probability). With ALCORE_ESTIMATE_COUNTS and without a tension it never falls.
 * @param[in] aligner borrowed
 * @param[out] out a view: float64 [iterations], host, valid until the aligner is released; all 0 on
 * failure
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_log_likelihoods(const alcore_aligner *aligner,
                                                        alcore_tensor *out);

/** Which words the aligner explains.
 * @param[in] aligner borrowed
 * @return ALCORE_DIRECTION_*; ALCORE_DIRECTION_FORWARD for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_aligner_direction(const alcore_aligner *aligner);

/** The value of lambda after the training: that of the options unless a tension changed it.
 * @param[in] aligner borrowed
 * @return lambda; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_aligner_lambda(const alcore_aligner *aligner);

/** Translation probability of a pair of words after the training. Forward: t(target | source), the
 * probability that a source word translates into this target word. Reverse: t(source | target).
 * @param[in] aligner borrowed
 * @param[in] source borrowed: a word, NUL-terminated; NULL (forward only): no source word, which
 * explains target words without a partner
 * @param[in] target borrowed: a word, NUL-terminated; NULL (reverse only): no target word
 * @param[out] out the probability; 1e-9 for words that never occurred in one sentence pair; 0 on
 * failure
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_probability(const alcore_aligner *aligner,
                                                    const char *source, const char *target,
                                                    double *out);

/** The most probable links of the training pairs; pair i of the links is pair i of the training.
 * @param[in] aligner borrowed
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (NULL, or an aligner that was read from a file),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_links(const alcore_aligner *aligner, alcore_links **out);

/** The most probable links of other sentence pairs. Words that never occurred in one training pair
 * have the translation probability 1e-9.
 * @param[in] aligner borrowed
 * @param[in] sources borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] source_lengths borrowed: [count] bytes; NULL: the sources are NUL-terminated
 * @param[in] targets borrowed: [count] UTF-8, text i translates source i; NULL only if count is 0
 * @param[in] target_lengths borrowed: [count] bytes; NULL: the targets are NUL-terminated
 * @param[in] count sentence pairs, 0 or more
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (as alcore_aligner_new_trained()),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_aligner_apply(
    const alcore_aligner *aligner, const char *const *sources, const size_t *source_lengths,
    const char *const *targets, const size_t *target_lengths, int64_t count, alcore_links **out);

/** Aligns sentence pairs: trains an aligner forward and one in reverse, one after the other so that
 * one is in memory at a time, and symmetrizes their links. "forward" and "reverse" train that
 * direction only.
 * @param[in] ctx kept
 * @param[in] sources borrowed: [count] UTF-8; NULL only if count is 0
 * @param[in] source_lengths borrowed: [count] bytes; NULL: the sources are NUL-terminated
 * @param[in] targets borrowed: [count] UTF-8, text i translates source i; NULL only if count is 0
 * @param[in] target_lengths borrowed: [count] bytes; NULL: the targets are NUL-terminated
 * @param[in] count sentence pairs, 0 or more
 * @param[in] symmetrization borrowed: a name of alcore_symmetrization_builtin_name(); NULL:
 * "grow-diag-final-and"
 * @param[in] options borrowed: of both aligners; NULL: defaults
 * @param[in] out_log_likelihoods borrowed: float64 [2, iterations], host, contiguous; the
 * log-likelihoods of the forward and of the reverse aligner, NaN for one that is not trained;
 * undefined after a failure; NULL: not wanted
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (an option out of range, or no such
 *   symmetrization), ALCORE_E_SHAPE (out_log_likelihoods), ALCORE_E_UNSUPPORTED (as
 *   alcore_aligner_new_trained()), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_align(alcore_ctx *ctx, const char *const *sources,
                                      const size_t *source_lengths, const char *const *targets,
                                      const size_t *target_lengths, int64_t count,
                                      const char *symmetrization,
                                      const alcore_aligner_options *options,
                                      const alcore_tensor *out_log_likelihoods, alcore_links **out);

/* ---- links ---- */

/** Makes links from arrays, of another aligner for instance.
 * @param[in] ctx kept
 * @param[in] offsets borrowed: int64 [pairs + 1], host, contiguous: pair r has the links offsets[r]
 * .. offsets[r + 1] - 1; the first is 0
 * @param[in] links borrowed: int32 [offsets[pairs], 2], host, contiguous: source word and target
 * word of each link, from 0 to 2^24 - 1; in each pair ascending by source word, then by target
 * word, none twice
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE, ALCORE_E_DATA (names the pair),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_links_new(alcore_ctx *ctx, const alcore_tensor *offsets,
                                          const alcore_tensor *links, alcore_links **out);

/** Reads links in Pharaoh's notation: a line for each sentence pair, empty for one without links;
 * `i-j` is a link, spaces stand between links. They may come in any order and more than once.
 * @param[in] ctx kept
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed
 * @param[in] pairs lines that the file is to have; -1: any number
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file, line and what is
 *   wrong: no link, or another number of lines), ALCORE_E_UNSUPPORTED (a compression that this
 *   build lacks), ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_links_open(alcore_ctx *ctx, const char *path, int64_t pairs,
                                           alcore_links **out);

/** Writes links in Pharaoh's notation, each pair's in the order of source word and target word. The
 * file appears whole or not at all.
 * @param[in] links borrowed
 * @param[in] path borrowed; "-" is standard output; no compressed suffix
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (a compressed suffix), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_links_write(const alcore_links *links, const char *path);

/** Takes another reference.
 * @param[in] links the links; NULL is allowed
 * @return owned: links itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_links *alcore_links_ref(alcore_links *links);

/** Drops a reference; the last one releases the links.
 * @param[in] links the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_links_unref(alcore_links *links);

/** The links as arrays: pair r has the links offsets[r] .. offsets[r + 1] - 1, in the order of
 * source word and target word, none twice.
 * @param[in] links borrowed
 * @param[out] out_offsets a view: int64 [pairs + 1], host, valid until links is released; all 0 on
 * failure
 * @param[out] out_links a view: int32 [offsets[pairs], 2], host, valid until links is released:
 * source word and target word of each link, from 0; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_links_get(const alcore_links *links, alcore_tensor *out_offsets,
                                          alcore_tensor *out_links);

/** Combines the links of the two directions pair by pair (Koehn, Och and Marcu 2003, "Statistical
 * Phrase-Based Translation", section 2.1, in the order of fast_align's atools;
 * docs/spec/aligner.md).
 * @param[in] forward borrowed
 * @param[in] reverse borrowed: of the same pairs
 * @param[in] symmetrization borrowed: a name of alcore_symmetrization_builtin_name(); NULL:
 * "grow-diag-final-and"
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (no such symmetrization), ALCORE_E_SHAPE
 *   (different numbers of pairs), ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_links_symmetrize(const alcore_links *forward,
                                                 const alcore_links *reverse,
                                                 const char *symmetrization, alcore_links **out);

/** The names of the symmetrizations: "intersection", "union", "grow-diag", "grow-diag-final",
 * "grow-diag-final-and", "forward" and "reverse".
 * @param[in] index from 0
 * @return a static text; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_symmetrization_builtin_name(int64_t index);

ALCORE_END

#endif
