/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Tokenizers: how the texts of a Hugging Face model become token ids, and back.
 *
 * A tokenizer is read from the files that the model's folder has: tokenizer.json of any family
 * (WordPiece, byte-pair encoding, Unigram), else vocab.txt or sentencepiece models. Its ids and
 * spans are those of the Python package `tokenizers`. No model and no Python is needed.
 *
 * Tokenizers and tokens never change once they are made: any number of threads may read them. */
#ifndef ALCORE_EXTRA_TOKENIZER_H
#define ALCORE_EXTRA_TOKENIZER_H

#include "alcore/context.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** A tokenizer. Memory: two to five times the size of its file, and up to 5 MB that calls reuse. */
typedef struct alcore_tokenizer alcore_tokenizer;

/** The tokens of many texts. Memory: 33 bytes a token and 8 bytes a text. */
typedef struct alcore_tokens alcore_tokens;

/** How texts are encoded. Zero means default everywhere. */
typedef struct alcore_encode_options {
    size_t size;          /**< sizeof(alcore_encode_options) */
    const char *language; /**< borrowed: code of the texts' language, such as "deu_Latn", for models
                               that mark it; NULL: what the folder says */
    int64_t max_tokens;   /**< longer texts are cut, special tokens are kept; of a pair, the second
                               text is cut, then the first; 0: nothing is cut */
    int32_t without_special; /**< 1: special tokens such as [CLS] are not added */
    int32_t as_target;       /**< 1: the texts are outputs of a translation model */
} alcore_encode_options;
/** An alcore_encode_options with its size set and everything else 0. */
#define ALCORE_ENCODE_OPTIONS_INIT ALCORE_INIT(alcore_encode_options)

/** Kinds of vocabularies: which pieces alcore_tokenizer_train_vocabulary() chooses. */
enum alcore_vocabulary_kind {
    /** those under which the texts are most probable (Kudo 2018) */
    ALCORE_VOCABULARY_UNIGRAM = 6701,
    /** those of byte-pair encoding, which merges the most frequent pair again and again (Sennrich
     * et al. 2016) */
    ALCORE_VOCABULARY_BPE = 6702
};

/** How a vocabulary is trained. What is 0 or unset means the default. */
typedef struct alcore_vocabulary_options {
    size_t size;       /**< sizeof(alcore_vocabulary_options) */
    double coverage;   /**< share of the characters of the texts, counted as often as they occur,
                            that are tokens themselves, 0.98 to 1; unset: 0.9995 */
    int64_t tokens;    /**< ids, special tokens included; 0: 8000 */
    int64_t max_texts; /**< texts to train on, drawn by seed; 0: all */
    uint64_t seed;     /**< of the draw of max_texts */
    int32_t kind;      /**< ALCORE_VOCABULARY_*; 0: _UNIGRAM */
    int32_t byte_fallback; /**< 1: other characters become tokens of their bytes, which are 256 of
                                the tokens; 0: they become the unknown token */
} alcore_vocabulary_options;
/** An alcore_vocabulary_options with its size set, coverage unset and everything else 0. */
#define ALCORE_VOCABULARY_OPTIONS_INIT                                                             \
    ALCORE_INIT_1(alcore_vocabulary_options, coverage, ALCORE_UNSET)

/** Opens a tokenizer. The file of a sentencepiece model, if it is named itself, adds no special
 * tokens to a text; in a folder its family decides.
 * @param[in] ctx kept
 * @param[in] path borrowed: a model folder, or a file itself: tokenizer.json, vocab.txt, or a
 * sentencepiece model, whose name ends in .model or .spm
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO (no tokenizer there), ALCORE_E_DATA (names the
 *   file and what is wrong), ALCORE_E_UNSUPPORTED (names the part of a kind that is not known),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokenizer_open(alcore_ctx *ctx, const char *path,
                                               alcore_tokenizer **out);

/** Takes another reference.
 * @param[in] tokenizer the tokenizer; NULL is allowed
 * @return owned: tokenizer itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_tokenizer *alcore_tokenizer_ref(alcore_tokenizer *tokenizer);

/** Drops a reference; the last one releases the tokenizer.
 * @param[in] tokenizer the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_tokenizer_unref(alcore_tokenizer *tokenizer);

/** The number of ids: the vocabulary with the added tokens.
 * @param[in] tokenizer borrowed; NULL is allowed
 * @return ids are 0 to this number - 1; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_tokenizer_size(const alcore_tokenizer *tokenizer);

/** The id of a token, such as "[MASK]" or "##ing".
 * @param[in] tokenizer borrowed; NULL is allowed
 * @param[in] token borrowed; NULL is allowed
 * @return the id; -1: there is no such token
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_tokenizer_id(const alcore_tokenizer *tokenizer, const char *token);

/** The text of a token, as the vocabulary writes it.
 * @param[in] tokenizer borrowed
 * @param[in] id from 0
 * @param[out] out_text a view, not NUL-terminated, valid until tokenizer is released; NULL on
 * failure
 * @param[out] out_length its bytes; 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no token has that id)
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokenizer_token(const alcore_tokenizer *tokenizer, int64_t id,
                                                const char **out_text, size_t *out_length);

/** Encodes texts, or pairs of texts such as a question and its context. Bytes that are not UTF-8
 * are read as U+FFFD. The tokens are the same for every number of threads.
 * @param[in] tokenizer borrowed
 * @param[in] texts borrowed: [count] UTF-8; NULL entries only where the length is 0
 * @param[in] lengths borrowed: [count] bytes; NULL: texts are NUL-terminated
 * @param[in] pairs borrowed: [count] the second text of each pair; NULL, with pair_lengths: there
 * are no pairs
 * @param[in] pair_lengths borrowed: [count] bytes; NULL: pairs are NUL-terminated
 * @param[in] count texts, 0 or more
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (names the text), ALCORE_E_PARAM (no such language, or
 *   max_tokens below the number of special tokens, a flag that is neither 0 nor 1), ALCORE_E_DATA
 *   (a pattern of the tokenizer takes too long for a text: names the text where there are several),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokenizer_encode(const alcore_tokenizer *tokenizer,
                                                 const char *const *texts, const size_t *lengths,
                                                 const char *const *pairs,
                                                 const size_t *pair_lengths, int64_t count,
                                                 const alcore_encode_options *options,
                                                 alcore_tokens **out);

/** Trains a vocabulary on texts and writes it as a sentencepiece model, which
 * alcore_tokenizer_open() reads. Its ids 0 to 3 are `<pad>` `<s>` `</s>` `<unk>`. The same texts,
 * options and seed give the same bytes, with the same release of sentencepiece.
 *
 * The program spm_train of sentencepiece (Debian's package of that name) is found on PATH and runs
 * in a process of its own, with a copy of the texts in a temporary folder in $TMPDIR; a host that
 * waits for any child, as wait() does, may miss that one's end.
 * @param[in] ctx kept during the call
 * @param[in] texts borrowed: [count] UTF-8; bytes that are not UTF-8 are read as U+FFFD
 * @param[in] lengths borrowed: [count] bytes; NULL: the texts are NUL-terminated
 * @param[in] count texts; without any it is an error
 * @param[in] path borrowed: the file, by convention NAME.model; it appears whole or not at all
 * @param[in] options borrowed; NULL: defaults
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM, ALCORE_E_DATA (no text, or the texts do not
 *   allow as many tokens or so few; the text is that of sentencepiece), ALCORE_E_UNSUPPORTED (there
 *   is no spm_train; the package is named), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokenizer_train_vocabulary(
    alcore_ctx *ctx, const char *const *texts, const size_t *lengths, int64_t count,
    const char *path, const alcore_vocabulary_options *options);

/** The text that ids stand for. Ids that no token has are left out.
 * @param[in] tokenizer borrowed
 * @param[in] ids borrowed: [count]
 * @param[in] count ids, 0 or more
 * @param[in] special 1: special tokens such as [CLS] are written too; else 0
 * @param[in] buffer_bytes bytes of buffer
 * @param[out] buffer the first bytes of the text, without a NUL; NULL only where buffer_bytes is 0
 * @param[out] out_length bytes of the whole text, which may be more than buffer_bytes; 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM, ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokenizer_decode(const alcore_tokenizer *tokenizer,
                                                 const int64_t *ids, int64_t count, int32_t special,
                                                 size_t buffer_bytes, char *buffer,
                                                 size_t *out_length);

/** Takes another reference.
 * @param[in] tokens the tokens; NULL is allowed
 * @return owned: tokens itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_tokens *alcore_tokens_ref(alcore_tokens *tokens);

/** Drops a reference; the last one releases the tokens.
 * @param[in] tokens the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_tokens_unref(alcore_tokens *tokens);

/** The number of texts, or of pairs.
 * @param[in] tokens borrowed; NULL is allowed
 * @return texts; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_tokens_count(const alcore_tokens *tokens);

/** Bits of the marks of a token. */
enum alcore_token_mark {
    ALCORE_TOKEN_SPECIAL = 1, /**< the template adds it; it is no part of the text */
    ALCORE_TOKEN_WORD = 2     /**< the first token of a word: of what white space separates in the
                               * text */
};

/** The tokens as arrays: text i has the tokens offsets[i] .. offsets[i + 1] - 1.
 * @param[in] tokens borrowed
 * @param[out] out_offsets a view: int64 [texts + 1], host, valid until tokens is released; all 0 on
 * failure, as the others
 * @param[out] out_ids a view: int64 [tokens]
 * @param[out] out_types a view: int64 [tokens], the type that the model's template gives: for BERT
 * 1 for the second text of a pair and the special token behind it, else 0
 * @param[out] out_spans a view: int64 [tokens, 2], the bytes of the text, or of the second text of
 * a pair, that the token stems from: the first, and the one after the last; 0, 0 for special tokens
 * @param[out] out_marks a view: uint8 [tokens], ALCORE_TOKEN_* bits
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_tokens_get(const alcore_tokens *tokens, alcore_tensor *out_offsets,
                                           alcore_tensor *out_ids, alcore_tensor *out_types,
                                           alcore_tensor *out_spans, alcore_tensor *out_marks);

ALCORE_END

#endif
