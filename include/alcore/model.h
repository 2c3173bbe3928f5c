/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The model: whatever turns texts into columns. The caller's own functions, the built-in n-gram
 * model, or files. docs/own-model.md shows how columns come from other tools. */
#ifndef ALCORE_MODEL_H
#define ALCORE_MODEL_H

#include "alcore/pool_column.h"

ALCORE_BEGIN

/** A model. It may be used with several pools, one call at a time. */
typedef struct alcore_model alcore_model;

/** Some rows of a pool on their way to a model: views, valid during the call. Whatever else the
 * pool has of them is read there: alcore_pool_row_id(), alcore_pool_group(),
 * alcore_pool_column_text() and the like. */
typedef struct alcore_batch {
    size_t size;                  /**< sizeof(alcore_batch) */
    const int64_t *rows;          /**< [count] row numbers, ascending */
    const char *const *texts;     /**< [count] UTF-8, NUL-terminated */
    const size_t *lengths;        /**< [count] bytes */
    const char *const *languages; /**< [count] tags */
    int64_t count;                /**< rows */
    const alcore_pool *pool;      /**< that the rows are of */
    /** [count] UTF-8, NUL-terminated; NULL for a row without one. NULL where
     * alcore_model_host.reads does not name "references"; alcore_model_score() gives one of every
     * row */
    const char *const *references;
    const size_t *reference_lengths; /**< [count] bytes; NULL with references */
    /** [count] the column of texts "qa_contexts", in which the answers to questions stand; NULL
     * where the pool has none, or alcore_model_host.reads leaves it out */
    const char *const *contexts;
    const size_t *context_lengths; /**< [count] bytes; NULL with contexts */
} alcore_batch;

struct alcore_model_info;

/** Computes columns of a batch in one pass of the model, and hands each to
 * alcore_column_writer_put(outs[i], batch->rows, ...), in one put or several: every row of the
 * batch needs a value of every column. Runs on the thread that entered the call. The pool may be
 * read meanwhile, not changed.
 * @param[in] user the pointer of alcore_model_host
 * @param[in] batch borrowed: the rows to compute
 * @param[in] columns borrowed: [count] names of columns, all different, that alcore_model_host.can
 *   confirmed: all that are still needed of these rows
 * @param[in,out] outs borrowed: [count] takes the values of each column
 * @param[in] count columns, 1 to 32
 * @return ALCORE_OK or a failure (see alcore_error_set()), which ends the outer call; a positive
 *   number counts as ALCORE_E_CALLBACK
 * @since 1.0 */
typedef alcore_status (*alcore_model_compute_function)(void *user, const alcore_batch *batch,
                                                       const char *const *columns,
                                                       alcore_column_writer *const *outs,
                                                       int64_t count);

/** Scores the references of a batch: hands the natural log-probability of each token of a row's
 * reference, the end included, given its text, to alcore_column_writer_put(out, batch->rows,
 * lengths, ...). Runs as alcore_model_compute_function does.
 * @param[in] user the pointer of alcore_model_host
 * @param[in] batch borrowed: the rows to compute; each has a reference
 * @param[in,out] out borrowed: takes the values
 * @return as alcore_model_compute_function
 * @since 1.0 */
typedef alcore_status (*alcore_model_score_function)(void *user, const alcore_batch *batch,
                                                     alcore_column_writer *out);

/** What a column is that a host's model makes. */
typedef struct alcore_model_column {
    size_t size;      /**< sizeof(alcore_model_column) */
    int32_t shape;    /**< ALCORE_COLUMN_*; as it is given: the usual one of the name, that is one
                           number a token of "margins", "confidences" and "entropies", and one a row
                           of a name without a meaning */
    int32_t meaning;  /**< ALCORE_MEANS_*; as it is given: 0, what its name says */
    int32_t per_word; /**< 1: of "logprobs", there is a value for each word of the text, words being
                           divided by white space, and one for its end, so that the reasons of a
                           selection can name words; as it is given: 0 */
    int32_t reserved; /**< pads: 0 */
} alcore_model_column;
/** An alcore_model_column with its size set and everything else 0. */
#define ALCORE_MODEL_COLUMN_INIT ALCORE_INIT(alcore_model_column)

/** A caller's model: functions that compute columns, score references and tell about the model. One
 * that is NULL is unsupported; asking for it names what is missing. All run on the thread that
 * entered the call. alcore/extra/translating.h adds a function that translates. */
typedef struct alcore_model_host {
    size_t size;                 /**< sizeof(alcore_model_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the model goes; may be NULL */
    /** Copied. Names the model in provenance: columns that a model of this name and version made
     * are used again, with the option "cache" of a request also by other processes. NULL: "host",
     * and every column is computed again each time */
    const char *name;
    /** Copied, a list that ends with NULL: what the functions read of a row beside its text and
     * language: "ids", "groups", "costs", "references", and names of columns such as "qa_contexts".
     * Columns that were made of other ones are computed anew. NULL: ids, groups, costs and the
     * columns of the caller's, but those of numbers whose names mean something
     * (alcore/pool_column.h), which change from round to round as states and references do:
     * functions that read more say so here, or by the version. */
    const char *const *reads;
    int64_t batch_rows; /**< rows of a batch at most, up to 2^24; 0: 256 */
    /** Bytes of the texts of a batch at most, each counted as long as the longest one, as a padded
     * batch needs memory; one text is always allowed. 0: no limit. Rows are in the order of the
     * pool. */
    int64_t batch_bytes;
    /** 1: the functions can make the column; 0: they cannot. Needed with compute; always answers
     * the same. */
    int32_t (*can)(void *user, const char *column);
    alcore_model_compute_function compute; /**< makes columns; NULL: none */
    /** Changes what differs from the usual kind of a column; NULL: all are as usual. */
    void (*describe)(void *user, const char *column, alcore_model_column *out);
    alcore_model_score_function score; /**< the call of alcore_model_score(); NULL: no references */
    /** Returns a number that differs whenever the functions would answer differently, such as the
     * updates that a training made. It is asked before a column that the model made earlier is used
     * again, and a column of another version is computed anew, as is one of rows with other texts,
     * languages or what `reads` names. NULL: the model never changes. */
    uint64_t (*version)(void *user);
    /** Fills what is known: strings that live as long as the model. engine, translates, scores,
     * trains and saves are the library's. NULL: nothing is known. */
    void (*info)(void *user, struct alcore_model_info *out);
    /** The call of alcore_model_set_language(); the version differs then. NULL: unsupported */
    alcore_status (*set_language)(void *user, const char *language);
    /** The call of alcore_model_set_dropout(); the version differs then. NULL: unsupported */
    alcore_status (*set_dropout)(void *user, int32_t on, uint64_t seed);
} alcore_model_host;
/** An alcore_model_host with its size set and everything else 0. */
#define ALCORE_MODEL_HOST_INIT ALCORE_INIT(alcore_model_host)

/** Makes a model of the caller's functions.
 * @param[in] ctx kept
 * @param[in] host kept: copied
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (batch_rows or batch_bytes out of bounds, compute without
 * can), ALCORE_E_NOMEM, ALCORE_E_STRUCT_*; after a failure destroy is not called
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_new_host(alcore_ctx *ctx, const alcore_model_host *host,
                                               alcore_model **out);

/** Settings of the n-gram model. Zero means default. */
typedef struct alcore_ngram_options {
    size_t size;      /**< sizeof(alcore_ngram_options) */
    int64_t dims;     /**< of embeddings, up to 4096; 0: 256 */
    uint64_t seed;    /**< of the random projection */
    int32_t order;    /**< of the language model, 1 to 6; 0: 4 */
    int32_t reserved; /**< pads: 0, checked */
} alcore_ngram_options;
/** An alcore_ngram_options with its size set and everything else 0. */
#define ALCORE_NGRAM_OPTIONS_INIT ALCORE_INIT(alcore_ngram_options)

/** Makes the built-in n-gram model: "logprobs" by an interpolated modified Kneser-Ney language
 * model (see alcore/extra/lm.h), "embeddings" by hashed character n-grams, weighted by TF-IDF and
 * projected at random from a seed. It is trained when it is first asked: on the labeled side;
 * without one, cross-fitted in five folds of the pool itself, so that no row is scored by a model
 * that saw its text.
 * @param[in] ctx kept
 * @param[in] labeled kept; NULL: cross-fitted
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (order, dims), ALCORE_E_NOMEM,
 * ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_new_ngram(alcore_ctx *ctx, alcore_pool *labeled,
                                                const alcore_ngram_options *options,
                                                alcore_model **out);

/** How the vectors of a text's tokens become the one vector of its embedding. */
enum alcore_pooling {
    ALCORE_POOLING_MEAN = 2301,  /**< mean over all tokens, special tokens included */
    ALCORE_POOLING_FIRST = 2302, /**< the first token: [CLS], `<s>` */
    /** The model's own pooler: tanh of a dense layer of the first */
    ALCORE_POOLING_POOLER = 2303,
    ALCORE_POOLING_WORDS = 2304, /**< mean over the tokens that begin a word */
    ALCORE_POOLING_MAX = 2305    /**< maximum of each dimension over the tokens */
};

/** What is done to the length of an embedding. */
enum alcore_normalization {
    ALCORE_NORMALIZE_UNIT = 2401, /**< divided by its Euclidean norm */
    ALCORE_NORMALIZE_NONE = 2402  /**< left as the model makes it */
};

/** How a model folder is opened. What is 0 or unset means the default. They are settings of a model
 * that computes; a folder of ready columns refuses every one but the devices "auto" and "cpu". */
typedef struct alcore_model_options {
    size_t size; /**< sizeof(alcore_model_options) */
    /** Borrowed. Where the model runs: "auto", "cpu", "cuda", "cuda:1"; NULL: auto, a CUDA device
     * where there is one, else the CPU */
    const char *device;
    int32_t dtype;   /**< of the weights and the arithmetic: ALCORE_FLOAT32, ALCORE_BFLOAT16 or
                          ALCORE_FLOAT16; 0: float32 on the CPU, bfloat16 on CUDA */
    int32_t pooling; /**< ALCORE_POOLING_*; 0: what the folder says (modules.json), else the mean */
    /** Whose output embeddings are made of, as hidden_states of transformers counts: k for block k,
     * from 1; 0 for what enters the first block; -1, as _INIT has it, for the last block */
    int32_t layer;
    int32_t normalize;    /**< ALCORE_NORMALIZE_*; 0: what the folder says */
    int64_t max_tokens;   /**< longer texts are cut after that many tokens, special tokens included;
                               0: what the folder allows */
    int64_t batch_tokens; /**< tokens of one pass, padding included; 0: chosen by the engine */
    /** Of question answering, where a context that is too long is cut into windows: how many of its
     * tokens two neighboring windows share; 0: none; unset: 128, but at most half of a window. A
     * window has max_tokens tokens, the question and special tokens included; where max_tokens is 0
     * it has 384, or what the folder allows if that is less */
    int64_t stride;
    /** Borrowed. A text, UTF-8, that is put in front of every text the model reads, as encode() of
     * sentence-transformers does: of embeddings and classes of texts, and of the sources of
     * translations, scores and trainings. "": none, also where the folder has a default. Columns
     * with a value for each token of a text are refused with it. NULL: for embeddings the default
     * prompt of the folder (default_prompt_name of config_sentence_transformers.json), if it has
     * one, else none */
    const char *prompt;
    /** Borrowed. In place of `prompt`: the name of a prompt of the folder (prompts of
     * config_sentence_transformers.json), such as "query"; NULL: none is named */
    const char *prompt_name;
} alcore_model_options;
/** An alcore_model_options with its size set, layer -1, stride unset and everything else 0. */
#define ALCORE_MODEL_OPTIONS_INIT                                                                  \
    ALCORE_INIT_2(alcore_model_options, layer, -1, stride, ALCORE_UNSET_INT)

/** Opens a model folder: a Hugging Face model (docs/models.md lists the families), whose
 * tokenizer is opened with it, or a folder of ready columns, with one entry per row of the pool. A
 * ready column is NAME.npy or the tensor NAME of columns.safetensors, and beside it, where each row
 * has tokens, NAME.offsets (int64 [rows + 1]) in either form. The names are those of the input
 * columns that alcore_pool_set_column() lists.
 * @param[in] ctx kept
 * @param[in] path borrowed: the folder
 * @param[in] options borrowed; NULL: all defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO (no such column there), ALCORE_E_DATA (offsets
 * are missing; a file of the model is damaged), ALCORE_E_PARAM (an option out of bounds, or one
 * that this kind of folder does not use: names it), ALCORE_E_UNSUPPORTED (an architecture, a part
 * of a tokenizer or a device that is not known, a key of a JSON file of the folder that is not
 * computed here and would change what is, or no engine loads), ALCORE_E_STRUCT_*,
 * ALCORE_E_CANCELLED, ALCORE_E_NOMEM
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_open(alcore_ctx *ctx, const char *path,
                                           const alcore_model_options *options, alcore_model **out);

/** Whether folders of Hugging Face models can be opened here. Loads the engine on first use: a
 * libtorch that the process has already is the one it uses, so a program that imports torch does so
 * before.
 * @param[in] ctx borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_MODULE (the text says what was looked for and what
 * is there), ALCORE_E_UNSUPPORTED (an engine of another release), ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_check_engine(alcore_ctx *ctx);

/** Takes another reference.
 * @param[in] model the handle; NULL is allowed
 * @return owned: model itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_model *alcore_model_ref(alcore_model *model);

/** Drops a reference; the last one releases the model.
 * @param[in] model the caller's reference; NULL is allowed
 * @threadsafe
 * @callback destroy of a host's model
 * @since 1.0 */
ALCORE_API void alcore_model_unref(alcore_model *model);

/** Name of the model, for provenance: that of the host, "ngram", "lm", or the folder.
 * @param[in] model borrowed
 * @return a view, valid until the model is released; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_model_name(const alcore_model *model);

/** Whether the model can produce a column.
 * @param[in] model borrowed; NULL can nothing
 * @param[in] column borrowed: "embeddings", "logprobs", "probs", "token_probs", ...
 * @return 1 or 0
 * @threadsafe
 * @callback can of a host's model
 * @since 1.0 */
ALCORE_API int32_t alcore_model_can(const alcore_model *model, const char *column);

/** Keeps the columns that the model computes in a folder, from which a later run of this or another
 * process takes them, as the option "cache" of a request does (docs/loop.md); for calls without a
 * request, such as alcore_model_run() and alcore_scorer_run(), and for requests without that
 * option. A model without a name of its own keeps nothing, nor does one that computes no slower
 * than a file is read.
 * @param[in,out] model borrowed, changed
 * @param[in] folder borrowed, copied: made with the first file where it is missing; NULL or "":
 *   nothing is kept any more
 * @param[in] max_age seconds, 0 or more, after which what was kept is computed again; INFINITY:
 *   never
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (max_age), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_set_cache(alcore_model *model, const char *folder,
                                                double max_age);

/** Computes a column of a pool with the model and gives it to the pool. Masked rows are left out;
 * but "embeddings" are computed for labeled rows too, which strategies keep away from.
 * @param[in] model borrowed; it learns when it is first asked
 * @param[in,out] pool borrowed, changed
 * @param[in] column borrowed: "embeddings", "logprobs", "probs", "token_probs", ...
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (names what is missing),
 * ALCORE_E_SHAPE, ALCORE_E_MISSING (names the first row that got no value), ALCORE_E_DATA (there is
 * nothing to learn from), ALCORE_E_CALLBACK or what the host's function returned, ALCORE_E_IO,
 * ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per model. The pool is read meanwhile: other calls may read it too, those that change
 * it are ALCORE_E_BUSY. So is this call while another one uses the model or changes the pool, and
 * at the end, when the column is given to the pool, where another one reads it.
 * @callback the model's functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_run(alcore_model *model, alcore_pool *pool,
                                          const char *column);

/** Computes several columns of a pool as alcore_model_run() does. A host's model makes them in one
 * pass; other models make one after the other. After a failure some of the columns may be there.
 * @param[in] model borrowed; it learns when it is first asked
 * @param[in,out] pool borrowed, changed
 * @param[in] columns borrowed: [count] names, all different
 * @param[in] count columns, 1 or more
 * @return as alcore_model_run(); ALCORE_E_INVALID also for a name that is NULL or given twice
 * @serialized per model and pool, as alcore_model_run()
 * @callback the model's functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_run_columns(alcore_model *model, alcore_pool *pool,
                                                  const char *const *columns, int64_t count);

/** What a model is. Strings are views, valid until the model is trained or released; NULL where the
 * kind of model has none. Numbers are 0 where they are not known. */
typedef struct alcore_model_info {
    size_t size;         /**< sizeof(alcore_model_info) */
    const char *engine;  /**< what runs it: "torch-2.11", "cpu", "host" */
    const char *family;  /**< architecture: "bert", "marian", ... */
    const char *device;  /**< where it runs: "cpu", "cuda:0" */
    const char *version; /**< differs where the same texts may give other values: a hash of weights,
                              options and tokenizer */
    const char *json;    /**< a description by the engine as a JSON object: family, head, sizes */
    int64_t dims;        /**< components of an embedding */
    int64_t classes;     /**< of "probs" or "token_probs" */
    int64_t max_tokens;  /**< longest input, special tokens and prompt included: longer texts are
                              cut there; 0: not known, or there is no limit */
    int64_t vocabulary;  /**< ids of tokens are 0 .. vocabulary - 1 */
    int32_t translates;  /**< 1: alcore_model_translate() can be called */
    int32_t scores;      /**< 1: alcore_model_score() can be called */
    int32_t trains;      /**< 1: alcore_model_train() can be called: the model translates, gives
                              classes of texts or of tokens, or answers questions, and its weights
                              are float32 */
    int32_t saves;       /**< 1: alcore_model_save() can be called */
    /** [classes] names of the classes, such as "B-PER": id2label of config.json; NULL: the folder
     * does not name them */
    const char *const *labels;
    /** [warning_count] keys of the folder's JSON files that are not known and not obeyed, each as a
     * text; NULL where there is none */
    const char *const *warnings;
    int64_t warning_count; /**< texts of `warnings` */
    const char *prompt;    /**< what stands in front of texts that are embedded; NULL: nothing */
} alcore_model_info;
/** An alcore_model_info with its size set and everything else 0. */
#define ALCORE_MODEL_INFO_INIT ALCORE_INIT(alcore_model_info)

/** Tells what a model is.
 * @param[in] model borrowed
 * @param[in,out] out its size is read, the rest is filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback info of a host's model
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_get_info(const alcore_model *model, alcore_model_info *out);

/** Sets the language of the outputs of a model of several, for the calls after it: of the outputs
 * whose log-probabilities the column "logprobs" has, of the references that alcore_model_score()
 * scores and that alcore_model_train() learns, and of the translations of calls that name none.
 * Columns "logprobs" that were made in another language are made anew when they are next needed.
 * @param[in,out] model borrowed, changed
 * @param[in] language borrowed, copied: "de_DE" of mBART, "de" of M2M100, "deu_Latn" of NLLB; NULL:
 * what the folder says
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model has no outputs),
 * ALCORE_E_PARAM (lists the languages that there are), ALCORE_E_CALLBACK or what the host's
 * function returned, ALCORE_E_NOMEM, ALCORE_E_BUSY; after a failure the language is as before
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @callback set_language of a host's model
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_set_language(alcore_model *model, const char *language);

/** Leaves dropout on in what the model scores after this call (Monte Carlo dropout, Gal and
 * Ghahramani 2016): in the log-probabilities of references, alcore_model_score(), and in the losses
 * of masked words, the column "mlm_losses". The variance over passes with several seeds tells how
 * sure the model is. The rates are those with which it was trained, of its folder. The model's own
 * outputs are searched for without dropout: while it is on, their column "logprobs" is refused.
 * Columns that were made with another setting are made anew when they are next needed.
 * @param[in,out] model borrowed, changed
 * @param[in] on 1 or 0
 * @param[in] seed of the draws; the same seed and the same set of rows give the same numbers
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (on is not 0 or 1), ALCORE_E_UNSUPPORTED (the
 * model scores neither references nor masked words), ALCORE_E_CALLBACK or what the host's function
 * returned, ALCORE_E_BUSY
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @callback set_dropout of a host's model
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_set_dropout(alcore_model *model, int32_t on, uint64_t seed);

/** Scores the references of a pool: its column "logprobs" becomes the natural log-probability of
 * each token of a row's reference (alcore_pool_reference()), the end included, given its text. A
 * column of that name is replaced. Masked rows are left out.
 * @param[in] model borrowed
 * @param[in,out] pool borrowed, changed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model scores no pairs, or has no
 * tokenizer), ALCORE_E_MISSING (names the first row without a reference or a value),
 * ALCORE_E_DATA, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per model, and as alcore_model_run() of the pool
 * @callback score and version of a host's model, progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_score(alcore_model *model, alcore_pool *pool);

ALCORE_END

#endif
