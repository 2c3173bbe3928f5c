/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The model: whatever turns texts into columns. The caller's own functions, the built-in n-gram
 * model, or files. docs/own-model.md shows how columns come from other tools. */
#ifndef ALCORE_MODEL_H
#define ALCORE_MODEL_H

#include "alcore/lm.h"
#include "alcore/pool_column.h"

ALCORE_BEGIN

/** A model. It may be used with several pools, one call at a time. */
typedef struct alcore_model alcore_model;

/** Some rows of a pool on their way to a model: views, valid during the call. */
typedef struct alcore_batch {
    size_t size;                  /**< sizeof(alcore_batch) */
    const int64_t *rows;          /**< [count] row numbers */
    const char *const *texts;     /**< [count] UTF-8, NUL-terminated */
    const size_t *lengths;        /**< [count] bytes */
    const char *const *languages; /**< [count] tags */
    int64_t count;                /**< rows */
} alcore_batch;

/** A function of a model: computes the batch and hands the result to
 * alcore_column_writer_put(out, batch->rows, ...). Runs on the thread that entered the call. The
 * pool may be read meanwhile, not changed.
 * @param[in] user the pointer of alcore_model_host
 * @param[in] batch borrowed: the rows to compute
 * @param[in,out] out borrowed: takes the values, in one put or several
 * @return ALCORE_OK or a failure (see alcore_error_set()), which ends the outer call; a positive
 * number counts as ALCORE_E_CALLBACK
 * @since 0.1 */
typedef alcore_status (*alcore_model_function)(void *user, const alcore_batch *batch,
                                               alcore_column_writer *out);

/** A caller's model. A function that is NULL is unsupported; asking for it names what is missing.
 */
typedef struct alcore_model_host {
    size_t size;                 /**< sizeof(alcore_model_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the model goes; may be NULL */
    /** Copied. Names the model in provenance: columns that a model of this name and version made
     * are used again, with the option "cache" of a request also by other processes. NULL: "host",
     * and every column is computed again each time */
    const char *name;
    int64_t batch_rows;          /**< rows of a batch at most, up to 2^24; 0: 256 */
    alcore_model_function embed; /**< "embeddings": float [count, dims] */
    /** "logprobs": float [tokens], natural logarithm, <= 0, lengths [count] */
    alcore_model_function token_logprobs;
    alcore_model_function class_probs; /**< "probs": float [count, classes], probabilities */
    /** "token_probs": float [tokens, classes], probabilities, lengths [count] */
    alcore_model_function token_probs;
    /** Returns a number that differs whenever the functions would answer differently, such as the
     * updates that a training made. It is asked before a column that the model made earlier is used
     * again, and a column of another version is computed anew, as is one of rows with other texts,
     * ids, languages, groups, costs or columns of the caller's. States, references and columns of
     * numbers whose names mean something (alcore/pool_column.h) change from round to round and are
     * not compared: functions that read them say so by the version. NULL: the model never changes.
     * Runs on the thread that entered the call. */
    uint64_t (*version)(void *user);
} alcore_model_host;
/** An alcore_model_host with its size set and everything else 0. */
#define ALCORE_MODEL_HOST_INIT ALCORE_INIT(alcore_model_host)

/** Makes a model of the caller's functions.
 * @param[in] ctx kept
 * @param[in] host kept: copied
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (batch_rows out of bounds too), ALCORE_E_NOMEM,
 * ALCORE_E_STRUCT_*; after a failure destroy is not called
 * @threadsafe
 * @since 0.1 */
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
 * model (see alcore/lm.h), "embeddings" by hashed character n-grams, weighted by TF-IDF and
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
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_new_ngram(alcore_ctx *ctx, alcore_pool *labeled,
                                                const alcore_ngram_options *options,
                                                alcore_model **out);

/** Makes a model of a language model, so that scorers and strategies can use one that was trained
 * on other texts or read from a file: it computes "logprobs", the natural log-probability of every
 * word and of the end of each row.
 * @param[in] ctx kept
 * @param[in] lm kept
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM
 * @threadsafe
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_new_lm(alcore_ctx *ctx, alcore_lm *lm, alcore_model **out);

/** How the vectors of a text's tokens become the one vector of its embedding. */
enum {
    ALCORE_POOLING_AUTO = 0,   /**< what the folder says (modules.json), else the mean */
    ALCORE_POOLING_MEAN = 1,   /**< mean over all tokens, special tokens included */
    ALCORE_POOLING_FIRST = 2,  /**< the first token: [CLS], `<s>` */
    ALCORE_POOLING_POOLER = 3, /**< the model's own pooler: tanh of a dense layer of the first */
    ALCORE_POOLING_WORDS = 4,  /**< mean over the tokens that begin a word */
    ALCORE_POOLING_MAX = 5     /**< maximum of each dimension over the tokens */
};

/** What is done to the length of an embedding. */
enum {
    ALCORE_NORMALIZE_AUTO = 0, /**< what the folder says */
    ALCORE_NORMALIZE_UNIT = 1, /**< divided by its Euclidean norm */
    ALCORE_NORMALIZE_NONE = 2  /**< left as the model makes it */
};

/** How a model folder is opened. Zero means default everywhere. They are settings of a model that
 * computes; a folder of ready columns refuses every one but the devices "auto" and "cpu". */
typedef struct alcore_model_options {
    size_t size; /**< sizeof(alcore_model_options) */
    /** Borrowed. Where the model runs: "auto", "cpu", "cuda", "cuda:1"; NULL: auto, a CUDA device
     * where there is one, else the CPU */
    const char *device;
    int32_t dtype;   /**< of the weights and the arithmetic: ALCORE_FLOAT32, ALCORE_BFLOAT16 or
                          ALCORE_FLOAT16; 0: float32 on the CPU, bfloat16 on CUDA */
    int32_t pooling; /**< ALCORE_POOLING_* */
    /** Block whose output embeddings are made of: k for block k, from 1; -1 for what enters the
     * first block; 0: the last block */
    int32_t layer;
    int32_t normalize;    /**< ALCORE_NORMALIZE_* */
    int64_t max_tokens;   /**< longer texts are cut after that many tokens, special tokens included;
                               0: what the folder allows */
    int64_t batch_tokens; /**< tokens of one pass, padding included; 0: chosen by the engine */
    /** Of question answering, where a context that is too long is cut into windows: how many of its
     * tokens two neighboring windows share; 0: 128, but at most half of max_tokens; -1: none. A
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
/** An alcore_model_options with its size set and everything else 0. */
#define ALCORE_MODEL_OPTIONS_INIT ALCORE_INIT(alcore_model_options)

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
 * ALCORE_E_NOMEM
 * @threadsafe
 * @callback files
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_open(alcore_ctx *ctx, const char *path,
                                           const alcore_model_options *options, alcore_model **out);

/** Whether folders of Hugging Face models can be opened here. Loads the engine on first use: a
 * libtorch that the process has already is the one it uses, so a program that imports torch does so
 * before.
 * @param[in] ctx borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_MODULE (the text says what was looked for and what
 * is there), ALCORE_E_UNSUPPORTED (an engine of another release), ALCORE_E_NOMEM
 * @threadsafe
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_check_engine(alcore_ctx *ctx);

/** Takes another reference.
 * @param[in] model the handle; NULL is allowed
 * @return owned: model itself; NULL for NULL
 * @threadsafe
 * @since 0.1 */
ALCORE_API alcore_model *alcore_model_ref(alcore_model *model);

/** Drops a reference; the last one releases the model.
 * @param[in] model the caller's reference; NULL is allowed
 * @threadsafe
 * @callback destroy of a host's model
 * @since 0.1 */
ALCORE_API void alcore_model_unref(alcore_model *model);

/** Name of the model, for provenance: that of the host, "ngram", "lm", or the folder.
 * @param[in] model borrowed
 * @return a view, valid until the model is released; NULL for NULL
 * @threadsafe
 * @since 0.1 */
ALCORE_API const char *alcore_model_name(const alcore_model *model);

/** Whether the model can produce a column.
 * @param[in] model borrowed; NULL can nothing
 * @param[in] column borrowed: "embeddings", "logprobs", "probs", "token_probs", ...
 * @return 1 or 0
 * @threadsafe
 * @since 0.1 */
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
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_set_cache(alcore_model *model, const char *folder,
                                                double max_age);

/** Computes a column of a pool with the model and gives it to the pool. Masked rows are left out;
 * but "embeddings" are computed for labeled rows too, which strategies keep away from.
 * @param[in] model borrowed; it learns when it is first asked
 * @param[in,out] pool borrowed, changed
 * @param[in] column borrowed: "embeddings", "logprobs", "probs", "token_probs", ...
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (names what is missing),
 * ALCORE_E_SHAPE, ALCORE_E_MISSING (names the first row that got no value), ALCORE_E_CALLBACK or
 * what the host's function returned, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per model and pool. The pool may be read meanwhile; it is changed at the end, when
 * the column is there. ALCORE_E_BUSY while another call uses the model, changes the pool, or reads
 * it at the end.
 * @callback the model's functions, progress, log, files
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_run(alcore_model *model, alcore_pool *pool,
                                          const char *column);

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
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_get_info(const alcore_model *model, alcore_model_info *out);

/** How outputs are searched for. Zero means default everywhere. */
typedef struct alcore_translate_options {
    size_t size;           /**< sizeof(alcore_translate_options) */
    int64_t max_tokens;    /**< of an output, its end included; 0: what the folder says */
    double length_penalty; /**< scores of hypotheses are divided by tokens^length_penalty; 0: what
                                the folder says; -1: not divided */
    double temperature;    /**< of sampling: logits are divided by it; 0: 1 */
    uint64_t seed;         /**< of sampling; the draws of a row depend on it and on the row */
    int32_t beams;         /**< hypotheses kept, 1 (greedy) to 64; 0: what the folder says */
    int32_t sample;        /**< 1: draws tokens in place of searching; beams is not looked at */
    /** Borrowed. Language of the outputs, for models of several: "de_DE" of mBART, "de" of M2M100,
     * "deu_Latn" of NLLB; NULL: that of alcore_model_set_language(), else what the folder says */
    const char *language;
    int32_t best;     /**< outputs of each text, 1 to 64, and no more than beams; 0: 1 */
    int32_t reserved; /**< pads: 0, checked */
} alcore_translate_options;
/** An alcore_translate_options with its size set and everything else 0. */
#define ALCORE_TRANSLATE_OPTIONS_INIT ALCORE_INIT(alcore_translate_options)

/** Sets the language of the outputs of a model of several, for the calls after it: of the outputs
 * whose log-probabilities the column "logprobs" has, of the references that alcore_model_score()
 * scores and that alcore_model_train() learns, and of the translations of calls that name none.
 * Columns "logprobs" that were made in another language are made anew when they are next needed.
 * @param[in,out] model borrowed, changed
 * @param[in] language borrowed, copied: as in alcore_translate_options; NULL: what the folder says
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model has no outputs),
 * ALCORE_E_PARAM (lists the languages that there are), ALCORE_E_NOMEM, ALCORE_E_BUSY; after a
 * failure the language is as before
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @since 0.1 */
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
 * model scores neither references nor masked words), ALCORE_E_BUSY
 * @serialized per model; ALCORE_E_BUSY while another call uses it.
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_set_dropout(alcore_model *model, int32_t on, uint64_t seed);

/** Translates the texts of a pool: the best outputs of a seq2seq model for each row. The answer is
 * a pool with `best` rows for each row, one after another and with its id: output k of row r, from
 * 0 and the best first, is row r * best + k. The texts are the outputs, the column "logprobs" has
 * the natural log-probability of each token of the output, its end included, and the column
 * "output_scores" what outputs are ranked by: the sum of the log-probabilities, divided by
 * tokens^length_penalty, where a token that the folder forces counts 0. Of equal scores the one
 * that the search finished first is better. Rows that are masked, and outputs that the search did
 * not find, have an empty text, no token and the score NaN.
 * @param[in] model borrowed
 * @param[in] pool borrowed; it may be read meanwhile
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model does not translate, or has
 * no tokenizer), ALCORE_E_PARAM (names an option out of bounds, or lists the languages that there
 * are), ALCORE_E_MISSING (names the first row without an output), ALCORE_E_DATA, ALCORE_E_NOMEM,
 * ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per model. ALCORE_E_BUSY while another call uses the model or changes the pool.
 * @callback progress, log
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_translate(alcore_model *model, alcore_pool *pool,
                                                const alcore_translate_options *options,
                                                alcore_pool **out);

/** Scores the references of a pool: its column "logprobs" becomes the natural log-probability of
 * each token of a row's reference (alcore_pool_reference()), the end included, given its text. A
 * column of that name is replaced. Masked rows are left out.
 * @param[in] model borrowed
 * @param[in,out] pool borrowed, changed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the model scores no pairs, or has no
 * tokenizer), ALCORE_E_MISSING (names the first row without a reference or a value),
 * ALCORE_E_DATA, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per model and pool, as alcore_model_run()
 * @callback progress, log
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_score(alcore_model *model, alcore_pool *pool);

/** Step sizes over the updates of a training. Update u = 1 .. updates of the warm-up has rate * u /
 * warmup; after it, with share = (u - 1 - warmup) / (updates - warmup): */
enum {
    ALCORE_SCHEDULE_CONSTANT = 0, /**< rate */
    ALCORE_SCHEDULE_LINEAR = 1,   /**< rate * (1 - share) */
    /** rate * sqrt(warmup / u); without a warm-up rate / sqrt(u) */
    ALCORE_SCHEDULE_INVERSE_SQRT = 2,
    ALCORE_SCHEDULE_COSINE = 3 /**< rate * (1 + cos(pi * share)) / 2 */
};

/** The optimizer of a training. */
enum {
    ALCORE_OPTIMIZER_ADAMW = 0, /**< decay is decoupled: weights shrink by rate * decay */
    ALCORE_OPTIMIZER_ADAM = 1   /**< decay * weight is added to the clipped gradient */
};

/** The number type of the products of a training: of those with weights, and of attention. Weights,
 * what the optimizer keeps, norms, sums and the loss are float32 in each case. */
enum {
    ALCORE_PRECISION_FLOAT32 = 0,
    ALCORE_PRECISION_BFLOAT16 = 1, /**< half of the memory of float32, 8 bits of precision */
    /** 11 bits of precision, up to 65504. Losses are multiplied by a scale, so that small gradients
     * do not become 0: an update whose gradient is not finite leaves the weights as they are and
     * halves the scale, and 2000 updates in a row that move them double it */
    ALCORE_PRECISION_FLOAT16 = 2
};

/** What a validation measures. */
enum {
    /** Cross-entropy of the references, without smoothing, in nats: the mean over their tokens; of
     * a classifier the mean over the texts or the labels. Lower is better. */
    ALCORE_VALIDATE_LOSS = 0,
    /** BLEU, 0 to 100, of greedy outputs of a translation model against the references, as
     * alcore_metric_compute_bleu() computes it by default. Higher is better. */
    ALCORE_VALIDATE_BLEU = 1,
    /** Share of the texts, or of the labels of tokens, 0 to 1, whose most probable class (the first
     * of equal ones) is the right one; for classifiers. Higher is better. */
    ALCORE_VALIDATE_ACCURACY = 2,
    /** Percent of the questions whose likeliest answer, of 30 tokens at most, is the reference, as
     * alcore_metric_compute_answers() compares them; for models of question answering. Higher is
     * better. */
    ALCORE_VALIDATE_EXACT_MATCH = 3,
    /** Mean F1 of the words of these answers, percent. Higher is better. */
    ALCORE_VALIDATE_F1 = 4,
    /** F1 of the spans of the most probable classes, 0 to 1, against those of the labels, as
     * alcore_metric_compute_spans() computes it by default; for classifiers of tokens whose classes
     * are called O, B-TYPE or I-TYPE (alcore_model_info.labels). Tokens without a label are left
     * out. Higher is better. */
    ALCORE_VALIDATE_SPAN_F1 = 5,
    /** The same in strict mode (IOB2): only B-TYPE begins a span. */
    ALCORE_VALIDATE_STRICT_SPAN_F1 = 6
};

/** How a model is trained. Zero means default everywhere. */
typedef struct alcore_train_options {
    size_t size;              /**< sizeof(alcore_train_options) */
    double rate;              /**< largest step size; 0: 5e-5 */
    double weight_decay;      /**< of matrices only; 0: none */
    double clip;              /**< largest norm of the gradient; 0: no limit */
    double label_smoothing;   /**< share of the loss that goes to all classes alike, below 1 */
    int64_t updates;          /**< steps of the optimizer; 0: one pass over the pool */
    int64_t warmup;           /**< updates of a linear rise from 0 */
    int64_t accumulate;       /**< passes per update; 0: 1 */
    int64_t batch_tokens;     /**< tokens of one pass, text and reference; 0: the engine's choice */
    int64_t checkpoint_every; /**< updates; 0: a checkpoint at the end only */
    uint64_t seed;            /**< of the order of examples and of dropout */
    const char *checkpoints;  /**< folder; training resumes from a checkpoint there; NULL: none */
    int32_t schedule;         /**< ALCORE_SCHEDULE_* */
    int32_t optimizer;        /**< ALCORE_OPTIMIZER_* */
    double beta1;             /**< of the mean of gradients, below 1; 0: 0.9 */
    double beta2;             /**< of the mean of their squares, below 1; 0: 0.999 */
    double epsilon;           /**< added to the root of that mean; 0: 1e-8 */
    /** Borrowed. Column of the pool with the weight of each row's loss, a number above 0; NULL: all
     * rows have the weight 1 */
    const char *weights;
    /** Borrowed. Texts and references that the model is measured on while it is trained, as in the
     * pool; it may be read meanwhile. NULL: none */
    alcore_pool *validation;
    /** Borrowed. With validation: the folder that the model is saved to, as by alcore_model_save(),
     * after each validation that is better than all before; NULL: nothing is saved */
    const char *best;
    int64_t validate_every; /**< updates; there is a validation after the last too; 0: only there */
    int64_t patience;  /**< validations in a row that are no better than the best before them, after
                           which the training ends; 0: it never ends early */
    int32_t metric;    /**< ALCORE_VALIDATE_* */
    int32_t precision; /**< ALCORE_PRECISION_* */
    /** 1: of each block only its input is kept, and the block is computed again when its gradient
     * is due (gradient checkpointing): less memory, about a third more time, the same result */
    int32_t recompute;
    int32_t reserved; /**< pads: 0, checked */
    /** Borrowed. For a model that classifies tokens: ragged column of integers, of the pool and of
     * validation, with the class of each token that "token_probs" has a row for (the first of each
     * word), from 0; -100: it has none. NULL: the references have them, as words with white space
     * between them, each the name of a class (alcore_model_info.labels), its number or -100. Of a
     * text that is cut the first ones count. For a model of question answering: column of integers
     * [rows], the character (code point) of the row's context, from 0, at which its reference, the
     * answer, begins. NULL for others */
    const char *labels;
} alcore_train_options;
/** An alcore_train_options with its size set and everything else 0. */
#define ALCORE_TRAIN_OPTIONS_INIT ALCORE_INIT(alcore_train_options)

/** What a training did. */
typedef struct alcore_train_result {
    size_t size;     /**< sizeof(alcore_train_result) */
    int64_t updates; /**< made in all, those before a checkpoint included */
    int64_t tokens;  /**< read by this call, of texts and references */
    double loss;     /**< mean per token (per text with a classifier of texts, per label with one of
                          tokens) in the last update, nats */
    double seconds;  /**< of this call */
    int64_t resumed; /**< updates that were made before, by the checkpoint; 0: none */
    int64_t best_update; /**< after which the best validation was made; 0: there was none */
    double best_value;   /**< of the metric then; 0 without validation */
    int32_t stopped;     /**< 1: patience ended the training */
    int32_t reserved;    /**< pads: 0 */
} alcore_train_result;
/** An alcore_train_result with its size set and everything else 0. */
#define ALCORE_TRAIN_RESULT_INIT ALCORE_INIT(alcore_train_result)

/** Trains a model in place on the pairs of a pool: a translation model on texts and references
 * (alcore_pool_reference()), a classifier of texts on references that are names of classes or
 * their numbers, from 0 (a text that is both is the name), a classifier of tokens on texts and a
 * column of labels, or references that are the labels of their words, a model of question
 * answering on questions, the column of texts "qa_contexts", references that are the answers, and
 * a column of labels. A context is cut into windows as for "qa_start"; one without the whole
 * answer learns its first token ("no answer"). Masked rows are left out. On the CPU the same pool,
 * options and number of threads give the same weights. After a failure or a cancellation the
 * weights are those of the last finished update, and so they are with validation: the best ones
 * are in the folder `best`. With checkpoints the validations are kept there too (validations.tsv),
 * so that a training that goes on ends where it would have ended.
 * @param[in,out] model borrowed, changed
 * @param[in] pool borrowed; it may be read meanwhile
 * @param[in] options borrowed; NULL: defaults
 * @param[in,out] out NULL: not wanted; else its size is read, the rest is filled
 * @return ALCORE_OK, ALCORE_E_INVALID (also: the checkpoint is of another training; the text names
 * the difference), ALCORE_E_UNSUPPORTED (the model is not trained, lacks what the metric needs, or
 * has no tokenizer), ALCORE_E_PARAM (names an option out of bounds), ALCORE_E_NOT_FOUND (no column
 * of weights or labels), ALCORE_E_MISSING (names the first row without a reference), ALCORE_E_DATA
 * (a reference or a label is no class; an answer does not stand where its label says; a weight is
 * no number above 0; the gradient is not finite),
 * ALCORE_E_SHAPE (a row has not as many labels as tokens), ALCORE_E_CORRUPT (a damaged
 * checkpoint), ALCORE_E_IO, ALCORE_E_NOMEM,
 * ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per model. ALCORE_E_BUSY while another call uses the model or changes a pool.
 * @callback progress, log, files
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_train(alcore_model *model, alcore_pool *pool,
                                            const alcore_train_options *options,
                                            alcore_train_result *out);

/** Writes a model as a folder that alcore_model_open() and transformers read: weights, settings and
 * files of the tokenizer, each file whole or not at all. The folder that the model was opened from
 * must still be there, with the same config.json.
 * @param[in] model borrowed
 * @param[in] path of the folder; it is made where there is none
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (models of this kind are not saved),
 * ALCORE_E_IO, ALCORE_E_DATA (it has another), ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per model. ALCORE_E_BUSY while another call uses the model.
 * @callback progress, log, files
 * @since 0.1 */
ALCORE_API alcore_status alcore_model_save(alcore_model *model, const char *path);

ALCORE_END

#endif
