/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The model table: what a module fills that runs models, such as libalcore-torch-2.11.so.
 *
 * The library finds the folder, cuts texts into tokens, chooses the rows and stores the results;
 * the module has the weights, architectures and devices. Files, memory, threads, progress,
 * cancellation, log and error texts are services of the host table (host.h). Only plain C data and
 * functions pass between the two; a module lets no exception out.
 *
 * Every output of many values goes through a sink, item by item in any order, so that an engine may
 * sort items by length, and so that memory does not grow with the call. Values do not depend on
 * which items share a call beyond the rounding of sums (1e-5 in float32).
 *
 * Structs are size-first and zero means default. A NULL entry of the table means that the engine
 * lacks it; alcore_sys_model_info.calls says what the opened model has. System tier: stable within
 * a minor release. */
#ifndef ALCORE_SYS_MODEL_H
#define ALCORE_SYS_MODEL_H

#include "alcore/sys/host.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** An opened model of a module. */
typedef struct alcore_sys_model alcore_sys_model;

/** The kernel table (alcore/sys/kernel.h). */
struct alcore_sys_kernels;

/** The calls that a model supports: bits of alcore_sys_model_info.calls. */
enum alcore_sys_model_call {
    ALCORE_SYS_MODEL_EMBED = 1,          /**< embed() */
    ALCORE_SYS_MODEL_TOKEN_LOGPROBS = 2, /**< token_logprobs() */
    ALCORE_SYS_MODEL_CLASS_PROBS = 4,    /**< class_probs() */
    ALCORE_SYS_MODEL_TOKEN_PROBS = 8,    /**< token_probs() */
    ALCORE_SYS_MODEL_QA_PROBS = 16,      /**< qa_probs() */
    ALCORE_SYS_MODEL_MLM_LOSSES = 32,    /**< mlm_losses() */
    ALCORE_SYS_MODEL_TRANSLATE = 64,     /**< translate() */
    ALCORE_SYS_MODEL_TRAIN = 128,        /**< train() */
    ALCORE_SYS_MODEL_SAVE = 256,         /**< save() */
    /** Of a language model: token_logprobs() without targets scores the text itself, and outputs of
     * translate() continue it. */
    ALCORE_SYS_MODEL_CONTINUES = 512,
    /** No call: the adapter of alcore_sys_model_options was merged into the weights. */
    ALCORE_SYS_MODEL_ADAPTED = 1024,
    /** train() trains adapters: alcore_sys_model_training.lora_rank. */
    ALCORE_SYS_MODEL_TRAIN_LORA = 2048
};

/** A number type of models that no array has: alcore_sys_model_options.dtype, beside those of
 * alcore_number_type. Products are of 8-bit integers, weights with a scale for each row and inputs
 * with one for each token. */
enum alcore_sys_narrow_type {
    ALCORE_SYS_INT8 = 7800 /**< ALCORE_INT8 of alcore/extra/narrow_type.h */
};

/** How the vectors of a text's tokens become one vector. */
enum alcore_sys_pooling {
    ALCORE_SYS_POOLING_AUTO = 0,   /**< the engine's choice; the folder's modules.json names none */
    ALCORE_SYS_POOLING_MEAN = 1,   /**< mean over all tokens, special ones included */
    ALCORE_SYS_POOLING_FIRST = 2,  /**< the first token (`[CLS]`, `<s>`) */
    ALCORE_SYS_POOLING_POOLER = 3, /**< the model's own pooler: tanh of a layer on the first */
    ALCORE_SYS_POOLING_WORDS = 4,  /**< mean over the tokens that begin a word */
    ALCORE_SYS_POOLING_MAX = 5,    /**< largest value of each dimension */
    ALCORE_SYS_POOLING_ROOT = 6,   /**< sum divided by the root of the number of tokens */
    ALCORE_SYS_POOLING_RISING = 7, /**< mean with the weights 1, 2, ... of the tokens of a text */
    ALCORE_SYS_POOLING_LAST = 8    /**< the last token */
};

/** What vectors go through behind the transformer. */
enum alcore_sys_module_kind {
    ALCORE_SYS_MODULE_NORMALIZE = 0,  /**< divided by its Euclidean norm */
    ALCORE_SYS_MODULE_DENSE = 1,      /**< Dense of sentence-transformers */
    ALCORE_SYS_MODULE_LAYER_NORM = 2, /**< LayerNorm of sentence-transformers */
    /** Of vectors of tokens, before the pooling, and directly behind the transformer:
     * WeightedLayerPooling of sentence-transformers, the weighted mean of its layers. */
    ALCORE_SYS_MODULE_WEIGHTED_LAYERS = 3,
    ALCORE_SYS_MODULE_CNN = 4 /**< of vectors of tokens too: CNN of sentence-transformers */
};

/** A module of sentence-transformers behind the transformer; those of tokens come first. */
typedef struct alcore_sys_model_module {
    int32_t kind;       /**< ALCORE_SYS_MODULE_* */
    const char *folder; /**< path of the folder with its config and weights */
} alcore_sys_model_module;

/** What is done to the length of an embedding. */
enum alcore_sys_normalization {
    ALCORE_SYS_NORMALIZE_AUTO = 0, /**< the engine's choice */
    ALCORE_SYS_NORMALIZE_UNIT = 1, /**< divided by its Euclidean norm */
    ALCORE_SYS_NORMALIZE_NONE = 2  /**< left as the model makes it */
};

/** Properties of a token: bits of alcore_sys_model_texts.marks. */
enum alcore_sys_token_mark {
    ALCORE_SYS_TOKEN_SPECIAL = 1, /**< no part of the text, such as [CLS] and [SEP] */
    ALCORE_SYS_TOKEN_WORD = 2,    /**< the first token of a word */
    /** Of question answering: a token that stands for "the answer is not in this text", such as
     * [CLS]. qa_probs() and training treat it as one of the tokens of an answer, although it is
     * special and not of part 1. Without it the answer is always in the text. */
    ALCORE_SYS_TOKEN_NO_ANSWER = 4,
    /** A token, such as one of a prompt, that the other tokens attend to, but that embed() leaves
     * out when it makes one vector of those of a text. */
    ALCORE_SYS_TOKEN_LEFT_OUT = 8
};

/** The files of a folder by which the library cuts texts into tokens, as elements of an array of
 * strings. A folder has a few of them, by its family. Whoever makes a folder for a model, such as
 * save(), copies those that there are. */
#define ALCORE_SYS_TOKENIZER_FILES                                                                 \
    "tokenizer.json", "tokenizer_config.json", "added_tokens.json", "special_tokens_map.json",     \
        "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model",        \
        "source.spm", "target.spm"

/** Where sentence-transformers keeps the settings of its first module, by the families of its first
 * versions; of the files that are there the first counts. */
#define ALCORE_SYS_SENTENCE_FILES                                                                  \
    "sentence_bert_config.json", "sentence_roberta_config.json",                                   \
        "sentence_distilbert_config.json", "sentence_camembert_config.json",                       \
        "sentence_albert_config.json", "sentence_xlm-roberta_config.json",                         \
        "sentence_xlnet_config.json"

/** How a folder is opened. What modules.json and the other files of sentence-transformers say, and
 * where tokenizer_config.json has texts cut, is in here: the library reads them. */
typedef struct alcore_sys_model_options {
    size_t size;        /**< sizeof(alcore_sys_model_options) */
    const char *device; /**< "cpu", "cuda", "cuda:1"; NULL: a CUDA device if there is one */
    int32_t dtype;      /**< of the arithmetic, ALCORE_FLOAT32, ..., ALCORE_SYS_INT8; 0: float32 on
                             the CPU, bfloat16 on devices */
    int32_t pooling;    /**< ALCORE_SYS_POOLING_* */
    /** The layer whose output embeddings are made from: k = 1 .. layers: block k; 0: the last
     * block; -1: the input of the first block. */
    int32_t layer;
    int32_t normalize;    /**< of embeddings: ALCORE_SYS_NORMALIZE_* */
    int64_t max_tokens;   /**< longest input that it will be given; 0: what the positions allow */
    int64_t batch_tokens; /**< tokens of one pass, padding included; 0: the engine's choice */
    /** Finds the kernels for a kind of device, with which an engine may compute on arrays that it
     * has there, such as token statistics from hidden states. user: the first argument of the
     * host's functions; device_type: the number of the kind in DLPack (ALCORE_DEVICE_CPU,
     * ALCORE_DEVICE_CUDA, ...). *out: a view, valid until the process ends; NULL: there are none.
     * NULL: the engine has those only that it brings along. */
    alcore_status (*kernels)(void *user, int32_t device_type,
                             const struct alcore_sys_kernels **out);
    /** Components of an embedding that are kept, the first ones, after it was normalized; 0: all */
    int64_t embedding_dims;
    /** Where `pooling` is ALCORE_SYS_POOLING_AUTO: several of them, whose vectors stand side by
     * side [pooling_count]; NULL: the engine's choice */
    const int32_t *poolings;
    int64_t pooling_count; /**< entries of `poolings` */
    /** What vectors go through before and behind the pooling, before they are normalized
     * [module_count] */
    const alcore_sys_model_module *modules;
    int64_t module_count; /**< entries of `modules` */
    /** Folder of an adapter of PEFT, adapter_config.json and adapter_model.safetensors, that is
     * merged into the weights of the folder that is opened; an engine that does so sets
     * ALCORE_SYS_MODEL_ADAPTED. NULL: none */
    const char *adapter;
} alcore_sys_model_options;

/** What class_probs() gives of a text. */
enum alcore_sys_class_values {
    ALCORE_SYS_CLASSES_EXCLUSIVE = 0, /**< probabilities of classes of which one is right: sum 1 */
    /** probabilities of labels that do not exclude each other, each in [0, 1]; of one label: of the
     * positive one of two classes */
    ALCORE_SYS_CLASSES_INDEPENDENT = 1,
    ALCORE_SYS_CLASSES_VALUES = 2 /**< numbers that are no probabilities, such as of a regression */
};

/** What an opened model is. Views, valid until the next call that changes the model. */
typedef struct alcore_sys_model_info {
    size_t size;          /**< sizeof(alcore_sys_model_info) */
    uint32_t calls;       /**< ALCORE_SYS_MODEL_* */
    int32_t takes_tokens; /**< 1: texts come with ids; 0: the engine reads the texts itself */
    int64_t dims;         /**< components of an embedding */
    int64_t classes;      /**< of class_probs() or token_probs(); 0 without such a head */
    int64_t max_tokens;   /**< longest input, special tokens included */
    int64_t vocabulary;   /**< ids are 0 .. vocabulary - 1 */
    const char *family;   /**< "bert", "marian", ... */
    const char *device;   /**< where it runs: "cpu", "cuda:0" */
    /** A hash of weights and options: it differs where the same input may give another result. */
    const char *version;
    const char *json; /**< a description of the model as a JSON object: family, heads, sizes */
    /** [classes] names of the classes of class_probs() or token_probs(), UTF-8, NUL-terminated and
     * none NULL; NULL: the folder does not name them */
    const char *const *labels;
    int32_t class_values; /**< what class_probs() gives: ALCORE_SYS_CLASSES_* */
    int32_t reserved;     /**< pads: 0 */
} alcore_sys_model_info;

/** The texts that a model is given, as texts or as token ids. */
typedef struct alcore_sys_model_texts {
    size_t size;                  /**< sizeof(alcore_sys_model_texts) */
    const char *const *texts;     /**< [count] UTF-8, NUL-terminated; NULL: only tokens are known */
    const size_t *lengths;        /**< [count] bytes; NULL with texts */
    const char *const *languages; /**< [count] tags; NULL: not known */
    int64_t count;                /**< texts */
    /** Token ids of all texts, one after the other, special tokens included; NULL where the model
     * takes texts. Text i owns the ids offsets[i] .. offsets[i + 1] - 1. */
    const int64_t *ids;
    const int64_t *offsets; /**< [count + 1], the first is 0; NULL with ids */
    const int64_t *types;   /**< as ids: part of a pair, 0 or 1; NULL: all 0 */
    const uint8_t *marks;   /**< as ids: ALCORE_SYS_TOKEN_*; NULL: none is known */
} alcore_sys_model_texts;

/** Receives results. Its functions may be called several times in one call of the engine, on the
 * thread that entered it. A nonzero status that they return ends the call, which returns it. */
typedef struct alcore_sys_model_sink {
    size_t size; /**< sizeof(alcore_sys_model_sink) */
    void *user;  /**< first argument of both */
    /** Receives the values of some items. items: int64 [count], indices among the call's texts,
     * each once in a call. lengths: int64 [count] tokens of each item, NULL where values have a row
     * per item. values: float32 or float64 [count], [count, n], [tokens] or [tokens, n]. Borrowed.
     */
    alcore_status (*put)(void *user, const int64_t *items, const int64_t *lengths, int64_t count,
                         const alcore_tensor *values);
    /** Receives one output of a text, best first (rank 0, 1, ...). A model that takes tokens gives
     * ids: int64 [tokens], without the one that starts every output, the end of sentence included;
     * others give text. logprobs: float [tokens], the model's own natural logarithms, or NULL.
     * score: what outputs are ranked by. Borrowed. */
    alcore_status (*put_text)(void *user, int64_t item, int64_t rank, const char *text,
                              size_t length, const int64_t *ids, const float *logprobs,
                              int64_t tokens, double score);
} alcore_sys_model_sink;

/** How outputs are searched for. */
typedef struct alcore_sys_model_decoding {
    size_t size;           /**< sizeof(alcore_sys_model_decoding) */
    int32_t beams;         /**< hypotheses kept, up to 64; 1: greedy; 0: what the folder says in
                             translate(), else greedy */
    int32_t outputs;       /**< best outputs of a text, up to beams (or samples); 0: 1. Where beams
                                is 0, there are as many beams at least */
    int64_t max_tokens;    /**< of an output; 0: what the folder says */
    double length_penalty; /**< scores are divided by tokens^length_penalty; 0: what the folder says
                                in translate(), else 1; -1: not divided */
    int32_t sample;        /**< 1: draws tokens instead of searching; beams is not looked at */
    int32_t reserved;      /**< pads: 0 */
    double temperature;    /**< of sampling, logits are divided by it; 0: what the folder says */
    uint64_t seed;         /**< of sampling and dropout; draws depend on it and the item's index */
    const char *language;  /**< tag of the output, for models of several; NULL: not given */
    /** For a model that takes tokens: 1 + the id of the token of that language; 0: not given, what
     * the folder says */
    int64_t language_token;
} alcore_sys_model_decoding;

/** Whose log-probabilities token_logprobs() gives. */
enum alcore_sys_score {
    ALCORE_SYS_SCORE_TARGET = 0,     /**< of the targets that are given, end of sentence included */
    ALCORE_SYS_SCORE_HYPOTHESIS = 1, /**< of the model's own output, by decoding */
    /** Of models with ALCORE_SYS_MODEL_CONTINUES: of all targets behind each of the sources,
     * without an end. There are as many targets as the caller likes, and the values of a source are
     * those of the tokens of the first target, then of the second, ... */
    ALCORE_SYS_SCORE_CHOICES = 2
};

/** How token_logprobs() and mlm_losses() score. */
typedef struct alcore_sys_model_scoring {
    size_t size;     /**< sizeof(alcore_sys_model_scoring) */
    int32_t what;    /**< ALCORE_SYS_SCORE_* */
    int32_t dropout; /**< 1: dropout stays on, for the variance over passes */
    uint64_t seed;   /**< of dropout */
    const alcore_sys_model_decoding *decoding; /**< of hypotheses; NULL: greedy */
} alcore_sys_model_scoring;

/** Step sizes over the updates of a training. Update u = 1 .. updates of the warm-up has rate * u /
 * warmup; after it, with share = (u - 1 - warmup) / (updates - warmup), which begins with 0 and
 * would be 1 one update after the last: */
enum alcore_sys_schedule {
    ALCORE_SYS_SCHEDULE_CONSTANT = 0, /**< rate */
    ALCORE_SYS_SCHEDULE_LINEAR = 1,   /**< rate * (1 - share) */
    /** rate * sqrt(warmup / u); without a warm-up rate / sqrt(u) */
    ALCORE_SYS_SCHEDULE_INVERSE_SQRT = 2,
    ALCORE_SYS_SCHEDULE_COSINE = 3 /**< rate * (1 + cos(pi * share)) / 2 */
};

/** The optimizer of a training. */
enum alcore_sys_optimizer {
    ALCORE_SYS_OPTIMIZER_ADAMW = 0, /**< decay is decoupled: weights shrink by rate * decay */
    ALCORE_SYS_OPTIMIZER_ADAM = 1   /**< decay * weight is added to the clipped gradient */
};

/** One training of a model: examples and settings. The loss of an update is the sum of w l over the
 * tokens that it reads (a sequence head: over the examples) divided by the sum of their w, the
 * weights of their examples: it does not depend on how the examples are cut into passes. An update
 * does not reach over the end of an epoch. */
typedef struct alcore_sys_model_training {
    size_t size;                           /**< sizeof(alcore_sys_model_training) */
    const alcore_sys_model_texts *sources; /**< the examples */
    /** As many, for seq2seq and language models; NULL for heads, and where a language model learns
     * the sources themselves */
    const alcore_sys_model_texts *targets;
    /** Classes: int64 [count] for a sequence head, [tokens of sources] for a token head or masked
     * words (ids of the words that stood there), -100 where there is none; NULL for seq2seq. For
     * question answering [count, 2], the first and the last token of the answer, numbers among the
     * tokens of the example: tokens of qa_probs(), twice the one that is marked as
     * ALCORE_SYS_TOKEN_NO_ANSWER where the answer is not in the text, or -100 and -100. */
    const int64_t *labels;
    const float *weights;     /**< [count] weight of each example's loss, above 0; NULL: 1 */
    double rate;              /**< largest step size; 0: 5e-5 */
    double weight_decay;      /**< of matrices only; 0: none */
    double beta1;             /**< of the mean of gradients, from 0, below 1 */
    double beta2;             /**< of the mean of their squares, from 0, below 1 */
    double epsilon;           /**< added to the root of that mean; 0: 1e-8 */
    double clip;              /**< largest norm of all gradients together; 0: no limit */
    double label_smoothing;   /**< share of the loss that goes to all classes alike */
    int64_t updates;          /**< steps of the optimizer; 0: one pass over the examples */
    int64_t warmup;           /**< updates of a linear rise from 0 */
    int64_t accumulate;       /**< passes per update; 0: 1 */
    int64_t batch_tokens;     /**< tokens of one pass, padding included; 0: the engine's choice */
    int64_t checkpoint_every; /**< updates; 0: none but at the end */
    int32_t schedule;         /**< ALCORE_SYS_SCHEDULE_* */
    int32_t optimizer;        /**< ALCORE_SYS_OPTIMIZER_* */
    uint64_t seed;            /**< of the order of examples and of dropout */
    const char *checkpoints;  /**< folder; training resumes from a checkpoint there; NULL: none */
    /** Called before the first update of this run, with the number of updates that are made already
     * (0, or those of the checkpoint), and after each update, before its checkpoint is written.
     * updates: how many there are to be in all. It may call every function of the table but
     * train() and close() on the model, whose weights are then those of `update`. *out_stop is 0;
     * where it is set to 1 the training ends as after its last update; a failure ends it too. NULL:
     * nothing is called. */
    alcore_status (*after_update)(void *user, int64_t update, int64_t updates, int32_t *out_stop);
    void *user; /**< first argument of after_update */
    /** Type of the products with weights and of attention, ALCORE_FLOAT32, ALCORE_BFLOAT16 or
     * ALCORE_FLOAT16; 0: float32. Weights, moments, norms, sums and the last layer are float32.
     * With float16 losses are multiplied by a scale: an update whose gradient is not finite leaves
     * the weights as they are and halves it. */
    int32_t dtype;
    /** 1: what a block keeps for its gradient is computed again when it is due, in place of kept:
     * less memory and about a third more time, the same gradients. */
    int32_t recompute;
    /** Of engines with ALCORE_SYS_MODEL_TRAIN_LORA: the rank of an adapter (LoRA) that is trained
     * in place of the model; 0: the model is. A model that was opened with an adapter, or trained
     * in this way before, goes on with it, whose rank this must be. */
    int64_t lora_rank;
    double lora_alpha;        /**< its change is lora_alpha / lora_rank times B A; 0: that of the
                                   adapter that is trained further, 8 of a new one */
    double lora_dropout;      /**< of what enters A, below 1; 0: none */
    const char *lora_targets; /**< names of modules with commas or white space between them,
                                   each the end of a name or all of it, or "all-linear": all
                                   matrices of blocks; NULL: projections of queries and values */
} alcore_sys_model_training;

/** Result of a training. */
typedef struct alcore_sys_model_trained {
    size_t size;     /**< sizeof(alcore_sys_model_trained) */
    int64_t updates; /**< made in all, earlier runs included */
    int64_t tokens;  /**< read by this run, without padding */
    double loss;     /**< mean per token (per example with a sequence head) of the last update */
    double seconds;  /**< of this run */
    /** How many numbers are trained, a tied matrix counted once; 0: unknown. */
    int64_t trained_parameters;
    /** How many of the model can be, with those of an adapter; 0: unknown. */
    int64_t parameters;
} alcore_sys_model_trained;

/** The table of an engine. Calls on one model come one at a time, from any thread; two models may
 * be used at once. Every call but close() may report progress and end with ALCORE_E_CANCELLED
 * within 100 ms of work on the CPU. */
typedef struct alcore_sys_model_engine {
    size_t size;        /**< sizeof(alcore_sys_model_engine) of the engine */
    uint32_t abi;       /**< ALCORE_SYS_ABI of the engine */
    int32_t reserved;   /**< pads: 0, checked */
    const char *engine; /**< "torch-2.11.0", ... */

    /** Opens a folder. user: the host functions' first argument, valid until close(). options:
     * borrowed; NULL: defaults. ALCORE_E_IO, ALCORE_E_DATA (a file is damaged),
     * ALCORE_E_UNSUPPORTED (an architecture or a device that the engine lacks), ... */
    alcore_status (*open)(void *user, const char *path, const alcore_sys_model_options *options,
                          alcore_sys_model **out);
    /** Releases the model; NULL is allowed. */
    void (*close)(alcore_sys_model *model);
    /** Fills *out within out->size. */
    alcore_status (*info)(alcore_sys_model *model, alcore_sys_model_info *out);
    /** Embeddings: float [items, dims]. */
    alcore_status (*embed)(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                           const alcore_sys_model_sink *sink);
    /** Log-probabilities of target tokens given the source: float [tokens], natural logarithm,
     * never above 0. targets: as many texts as sources, but for choices; NULL scores the source
     * itself (a language model) or, with ALCORE_SYS_SCORE_HYPOTHESIS, the model's own output.
     * scoring NULL: defaults. */
    alcore_status (*token_logprobs)(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                                    const alcore_sys_model_texts *targets,
                                    const alcore_sys_model_scoring *scoring,
                                    const alcore_sys_model_sink *sink);
    /** Probabilities of classes, or what alcore_sys_model_info.class_values says: float [items,
     * classes]. */
    alcore_status (*class_probs)(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_sink *sink);
    /** Probabilities of each token's classes: float [tokens, classes]. Tokens: those that begin a
     * word where marks tell, else all but the special ones, else all. */
    alcore_status (*token_probs)(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_sink *sink);
    /** Extractive question answering: float [tokens, 2], the probability of each token to be the
     * first and the last of the answer. Tokens: those of part 1 of the pair that are not special,
     * and those marked as ALCORE_SYS_TOKEN_NO_ANSWER, over which each of the two sums to 1. */
    alcore_status (*qa_probs)(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                              const alcore_sys_model_sink *sink);
    /** Masked-language-model losses of the text as it is, nothing masked (ALPS, Yuan et al. 2020):
     * float [tokens], minus the log-probability of each token that is not special. */
    alcore_status (*mlm_losses)(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                const alcore_sys_model_scoring *scoring,
                                const alcore_sys_model_sink *sink);
    /** Outputs for each source, through sink->put_text; none for a source whose logits have a NaN
     * or infinity on the way, which is one value NaN in token_logprobs(). decoding NULL: as the
     * folder says. */
    alcore_status (*translate)(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                               const alcore_sys_model_decoding *decoding,
                               const alcore_sys_model_sink *sink);
    /** Trains the model in place. After a failure or a cancellation the weights are those of the
     * last finished update. *out is filled within out->size; NULL: not wanted. */
    alcore_status (*train)(alcore_sys_model *model, const alcore_sys_model_training *training,
                           alcore_sys_model_trained *out);
    /** Writes the model as a folder that open() reads: each file appears whole or not at all. */
    alcore_status (*save)(alcore_sys_model *model, const char *path);
} alcore_sys_model_engine;

/** Entry point of a model module, exported as alcore_ENGINE_entry, such as alcore_torch_entry.
 * @param[in] abi ALCORE_SYS_ABI of the library that loads
 * @param[in] host kept as a pointer, valid until the process ends
 * @param[out] out a view, valid until the process ends; NULL on failure
 * @return ALCORE_OK, ALCORE_E_UNSUPPORTED (an abi it does not know, a framework of another version)
 * @threadsafe
 * @since 1.0 */
typedef alcore_status (*alcore_sys_model_entry)(uint32_t abi, const alcore_sys_host *host,
                                                const alcore_sys_model_engine **out);

ALCORE_END

#endif
