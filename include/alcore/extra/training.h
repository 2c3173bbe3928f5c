/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Training: a model learns the references of a pool, is measured while it does, and is saved. */
#ifndef ALCORE_EXTRA_TRAINING_H
#define ALCORE_EXTRA_TRAINING_H

#include "alcore/model.h"

ALCORE_BEGIN

/** Step sizes over the updates of a training. Update u = 1 .. updates of the warm-up has rate * u /
 * warmup; after it, with share = (u - 1 - warmup) / (updates - warmup): */
enum alcore_schedule {
    ALCORE_SCHEDULE_CONSTANT = 5001, /**< rate */
    ALCORE_SCHEDULE_LINEAR = 5002,   /**< rate * (1 - share) */
    /** rate * sqrt(warmup / u); without a warm-up rate / sqrt(u) */
    ALCORE_SCHEDULE_INVERSE_SQRT = 5003,
    ALCORE_SCHEDULE_COSINE = 5004 /**< rate * (1 + cos(pi * share)) / 2 */
};

/** The optimizer of a training. */
enum alcore_optimizer {
    ALCORE_OPTIMIZER_ADAMW = 5101, /**< decay is decoupled: weights shrink by rate * decay */
    ALCORE_OPTIMIZER_ADAM = 5102   /**< decay * weight is added to the clipped gradient */
};

/** The number type of the products of a training: of those with weights, and of attention. Weights,
 * what the optimizer keeps, norms, sums and the loss are float32 in each case. */
enum alcore_precision {
    ALCORE_PRECISION_FLOAT32 = 5201,
    ALCORE_PRECISION_BFLOAT16 = 5202, /**< half of the memory of float32, 8 bits of precision */
    /** 11 bits of precision, up to 65504. Losses are multiplied by a scale, so that small gradients
     * do not become 0: an update whose gradient is not finite leaves the weights as they are and
     * halves the scale, and 2000 updates in a row that move them double it */
    ALCORE_PRECISION_FLOAT16 = 5203
};

/** What a validation measures. */
enum alcore_validation {
    /** Cross-entropy of the references (of the texts, with a language model and rows without any),
     * without smoothing, in nats: the mean over their tokens; of a classifier the mean over the
     * texts or the labels. Lower is better. */
    ALCORE_VALIDATE_LOSS = 5301,
    /** BLEU, 0 to 100, of greedy outputs of a translation model against the references, as
     * alcore_metric_compute_bleu() computes it by default. Higher is better. */
    ALCORE_VALIDATE_BLEU = 5302,
    /** Share of the texts, or of the labels of tokens, 0 to 1, whose most probable class (the first
     * of equal ones) is the right one; for classifiers. Higher is better. */
    ALCORE_VALIDATE_ACCURACY = 5303,
    /** Percent of the questions whose likeliest answer, of 30 tokens at most, is the reference, as
     * alcore_metric_compute_answers() compares them; for models of question answering. Higher is
     * better. */
    ALCORE_VALIDATE_EXACT_MATCH = 5304,
    /** Mean F1 of the words of these answers, percent. Higher is better. */
    ALCORE_VALIDATE_F1 = 5305,
    /** F1 of the spans of the most probable classes, 0 to 1, against those of the labels, as
     * alcore_metric_compute_spans() computes it by default; for classifiers of tokens whose classes
     * are called O, B-TYPE or I-TYPE (alcore_model_info.labels). Tokens without a label are left
     * out. Higher is better. */
    ALCORE_VALIDATE_SPAN_F1 = 5306,
    /** The same in strict mode (IOB2): only B-TYPE begins a span. */
    ALCORE_VALIDATE_STRICT_SPAN_F1 = 5307
};

/** How a model is trained. What is 0 or unset means the default. */
typedef struct alcore_train_options {
    size_t size;         /**< sizeof(alcore_train_options) */
    double rate;         /**< largest step size, above 0; unset: 5e-5 */
    double weight_decay; /**< of matrices only; 0: none */
    double clip;         /**< largest norm of the gradient; 0: no limit */
    double
        label_smoothing;  /**< share of the loss that goes to all classes alike, below 1; 0: none */
    int64_t updates;      /**< steps of the optimizer; 0: one pass over the pool */
    int64_t warmup;       /**< updates of a linear rise from 0 */
    int64_t accumulate;   /**< passes per update; 0: 1 */
    int64_t batch_tokens; /**< tokens of one pass, text and reference; 0: the engine's choice */
    int64_t checkpoint_every; /**< updates, with checkpoints; 0: a checkpoint at the end only */
    uint64_t seed;            /**< of the order of examples, of dropout and of new adapters */
    const char *checkpoints;  /**< folder; training resumes from a checkpoint there; NULL: none */
    int32_t schedule;         /**< ALCORE_SCHEDULE_*; 0: _CONSTANT */
    int32_t optimizer;        /**< ALCORE_OPTIMIZER_*; 0: _ADAMW */
    double beta1;             /**< of the mean of gradients, from 0, below 1; unset: 0.9 */
    double beta2;             /**< of the mean of their squares, from 0, below 1; unset: 0.999 */
    double epsilon;           /**< added to the root of that mean, above 0; unset: 1e-8 */
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
    int32_t metric;    /**< ALCORE_VALIDATE_*; 0: _LOSS */
    int32_t precision; /**< ALCORE_PRECISION_*; 0: _FLOAT32 */
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
    /** Rank of a LoRA adapter (Hu et al. 2022) that is trained in place of the model: a matrix W
     * [out, in] of a block becomes W + lora_alpha / lora_rank B A with A [lora_rank, in] and
     * B [out, lora_rank], of which A and B alone are trained, and beside them the last layers of a
     * classifier. A is drawn from `seed`, uniform in +-1 / sqrt(in), B is 0. A table of words that
     * lora_targets names becomes W + lora_alpha / lora_rank (B A)^T, where A begins with 0 and B
     * with normal numbers. alcore_model_save() writes the adapter as a folder of PEFT. A model that
     * was opened from such a folder, or trained so before, goes on with its adapter, whose rank
     * this must be. 0: the model is trained. @since 1.1 */
    int64_t lora_rank;
    /** With lora_rank: lora_alpha / lora_rank is the factor of B A above; 0: 8, or that of the
     * adapter that is trained further. @since 1.1 */
    double lora_alpha;
    /** With lora_rank: dropout of what enters A, from 0, below 1. @since 1.1 */
    double lora_dropout;
    /** Borrowed. With lora_rank: names of the matrices that are adapted, as target_modules of PEFT
     * has them, with commas or white space between them, each the end of a name or all of it, or
     * "all-linear": all matrices of blocks. The table of words can be named too, unless the output
     * or the other stack is the same matrix. NULL: the projections of queries and values of all
     * attentions, or those of the adapter that is trained further. @since 1.1 */
    const char *lora_targets;
} alcore_train_options;
/** An alcore_train_options with its size set, rate, beta1, beta2 and epsilon unset and
 * everything else 0. */
#define ALCORE_TRAIN_OPTIONS_INIT                                                                  \
    ALCORE_INIT_4(alcore_train_options, rate, ALCORE_UNSET, beta1, ALCORE_UNSET, beta2,            \
                  ALCORE_UNSET, epsilon, ALCORE_UNSET)

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
    /** Numbers that the training changes: with alcore_train_options.lora_rank those of the adapter
     * and of the last layers of a classifier; 0: unknown. @since 1.1 */
    int64_t trained_parameters;
    /** Numbers of the model that can be trained, a matrix that is used twice counted once, and
     * those of the adapter; 0: the engine does not tell. @since 1.1 */
    int64_t parameters;
} alcore_train_result;
/** An alcore_train_result with its size set and everything else 0. */
#define ALCORE_TRAIN_RESULT_INIT ALCORE_INIT(alcore_train_result)

/** Trains a model in place on the pairs of a pool: a translation model or a language model on texts
 * and references (alcore_pool_reference()), a language model on the texts alone where no row has a
 * reference, a classifier of texts on references that are names of classes or
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
 * the difference), ALCORE_E_UNSUPPORTED (the model is not trained, or has no adapter that is,
 * lacks what the metric needs, or has no tokenizer), ALCORE_E_PARAM (names an option out of
 * bounds), ALCORE_E_NOT_FOUND (no column of weights or labels), ALCORE_E_MISSING (names the first
 * row without a reference), ALCORE_E_DATA (a reference or a label is no class; an answer does not
 * stand where its label says; a weight is no number above 0; the gradient is not finite),
 * ALCORE_E_SHAPE (a row has not as many labels as tokens), ALCORE_E_CORRUPT (a damaged checkpoint),
 * ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @serialized per model. ALCORE_E_BUSY while another call uses the model or changes a pool.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_train(alcore_model *model, alcore_pool *pool,
                                            const alcore_train_options *options,
                                            alcore_train_result *out);

/** Writes a model as a folder that alcore_model_open() and transformers read: weights, settings and
 * files of the tokenizer, each file whole or not at all. The folder that the model was opened from
 * must still be there, with the same config.json. Of a model whose last training was that of an
 * adapter (alcore_train_options.lora_rank) it writes the adapter: adapter_config.json, which names
 * the folder of the model, and adapter_model.safetensors, which PEFT and alcore_model_open() read.
 * @param[in] model borrowed
 * @param[in] path of the folder; it is made where there is none
 * @return ALCORE_OK, ALCORE_E_INVALID (also: the folder of an adapter holds the weights of a
 * model), ALCORE_E_UNSUPPORTED (models of this kind are not saved), ALCORE_E_IO, ALCORE_E_DATA (it
 * has another), ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY
 * @serialized per model. ALCORE_E_BUSY while another call uses the model.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_model_save(alcore_model *model, const char *path);

ALCORE_END

#endif
