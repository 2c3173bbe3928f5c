/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A labeling project in a folder: candidates, rounds of picks, what went out to annotators, every
 * answer that came back, and measures of the models that were trained. It is resumable at any
 * instant: a step that was killed, or for which the disk was too small, has happened whole or not
 * at all, and doing it again gives the same bytes (docs/projects.md).
 *
 * The folder has project.sqlite, which alone decides what is there, and blobs/, files that never
 * change and are named by their content. One process changes a project at a time: another one gets
 * ALCORE_E_BUSY. Any number may read it. Each call on a project is also ALCORE_E_BUSY while another
 * call uses the handle, and ALCORE_E_DATA where project.sqlite turns out to be damaged. */
#ifndef ALCORE_EXTRA_PROJECT_H
#define ALCORE_EXTRA_PROJECT_H

#include "alcore/extra/mix.h"
#include "alcore/extra/tool.h"
#include "alcore/extra/training.h"
#include "alcore/request.h"

ALCORE_BEGIN

/** A project that is open. */
typedef struct alcore_project alcore_project;

/** Makes a project of a folder that is empty or not there, without candidates. Settings are those
 * that alcore_project_set() takes one by one, the others have their defaults. That of the strategy
 * goes first, as parameters are its; the others in their order. A call that fails, as for a setting
 * that is refused, leaves nothing behind; of one that was killed what is left is no project, and
 * the next call makes one of it.
 * @param[in] ctx kept
 * @param[in] folder borrowed
 * @param[in] names borrowed: [count] of settings; NULL only if count is 0
 * @param[in] values borrowed: [count]; an entry NULL: the default; NULL only if count is 0
 * @param[in] count settings, 0 or more
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (no such name, a value that it does not
 *   take), ALCORE_E_UNSUPPORTED (a build without SQLite), ALCORE_E_BUSY (another process makes one
 *   there), ALCORE_E_IO (also: the folder is not empty), ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_init(alcore_ctx *ctx, const char *folder,
                                             const char *const *names, const char *const *values,
                                             int64_t count, alcore_project **out);

/** Opens a project. What a killed process left half done is undone.
 * @param[in] ctx kept
 * @param[in] folder borrowed
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (a build without SQLite, a form of a
 *   later release), ALCORE_E_NOT_FOUND (no project there), ALCORE_E_DATA (project.sqlite is damaged
 *   or has tables that are not ours), ALCORE_E_IO, ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_open(alcore_ctx *ctx, const char *folder,
                                             alcore_project **out);

/** Takes another reference.
 * @param[in] project the handle; NULL is allowed
 * @return owned: project itself; NULL for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_project *alcore_project_ref(alcore_project *project);

/** Drops a reference; the last one closes the project.
 * @param[in] project the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.1 */
ALCORE_API void alcore_project_unref(alcore_project *project);

/** Sets what steps do from now on. Names are those of options of a request (alcore_request_set()),
 * of a strategy's parameters, and those that docs/projects.md lists beside them: strategy, budget
 * (of a round), total, price, task, labels, source_language, target_language, seed, ...
 * @param[in,out] project borrowed
 * @param[in] name borrowed
 * @param[in] value borrowed; NULL: the default again
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (no such name, a value that it does not
 *   take), ALCORE_E_BUSY (another process changes the project), ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED (by progress: "several" decides every answered item anew)
 * @serialized per project
 * @callback progress
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_set(alcore_project *project, const char *name,
                                            const char *value);

/** The present value of a setting: its default where it is not set.
 * @param[in] project borrowed
 * @param[in] name borrowed
 * @param[out] out a view, valid until the next call of this project: the value; NULL: it is not
 *   set and has no default, or is set to ""
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (no such name), ALCORE_E_BUSY, ALCORE_E_IO,
 *   ALCORE_E_NOMEM
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_get(alcore_project *project, const char *name,
                                            const char **out);

/** Copies a file of texts into the project. Its rows get numbers behind those of earlier files of
 * the same role; the ids of candidates have to be unique over all of them. What the project has
 * already is not added again, which is logged: the rows of earlier files with which the file
 * begins, and candidates of the same id, text and all else. A file without any other row changes
 * nothing. The same texts with other ids are other rows; how many of them repeat texts is logged.
 * @param[in,out] project borrowed
 * @param[in] role ALCORE_ROLE_*: candidates, labeled (pairs that are there already), target,
 *   excluded
 * @param[in] path borrowed
 * @param[in] options borrowed: how it is read; NULL: by the suffix
 * @return ALCORE_OK, what alcore_pool_read() returns, ALCORE_E_DATA (an id that an earlier file
 *   has), ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @serialized per project
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_add(alcore_project *project, int32_t role, const char *path,
                                            const alcore_read_options *options);

/** Selects the next round from the candidates that no round has taken, by the settings. What was
 * answered counts as labeled. Values may be given for this round alone, in place of those of
 * settings: of the strategy, its parameters, the model, what an option of a request says (budget,
 * seed, cache, device, ...), and what annotators are shown (context, draft, draft_language). The
 * log, the round and the provenance of the selection keep them; the settings stay as they are. The
 * budget is bounded by what is left of the total all the same.
 * @param[in,out] project borrowed
 * @param[in] model borrowed: for strategies that need one, in place of the setting; NULL: that of
 *   the setting
 * @param[in] names borrowed: [count] of settings; NULL only if count is 0
 * @param[in] values borrowed: [count]; an entry NULL: the default; NULL only if count is 0
 * @param[in] count values, 0 or more
 * @param[out] out owned: the selection; NULL on failure; NULL is allowed
 * @return ALCORE_OK, what alcore_select() returns, ALCORE_E_INVALID (also: a model and the name of
 *   one), ALCORE_E_MISSING (no candidates), ALCORE_E_PARAM (the total budget is spent; the last
 *   round has open items and the setting "wait" is on; no such name, one that is the same for all
 *   rounds, a value that it does not take), ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED
 * @serialized per project
 * @callback model, progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_next(alcore_project *project, alcore_model *model,
                                             const char *const *names, const char *const *values,
                                             int64_t count, alcore_selection **out);

/** Writes the open items of a round for a tool (alcore_tool_write()), by the settings task, labels
 * and languages; the export is kept with its time and digest. The file is written before: a call
 * that fails may have left it.
 * @param[in,out] project borrowed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed
 * @param[in] round from 1; 0: the last one; -1: open items of all rounds
 * @return ALCORE_OK, what alcore_tool_write() returns, ALCORE_E_NOT_FOUND (no such round),
 *   ALCORE_E_MISSING (no open item), ALCORE_E_BUSY, ALCORE_E_IO
 * @serialized per project
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_export(alcore_project *project, const char *tool,
                                               const char *path, int64_t round);

/** What alcore_project_import() found. Each answer of the file is counted once. */
typedef struct alcore_project_import_report {
    size_t size;          /**< sizeof(alcore_project_import_report) */
    int64_t answers;      /**< answers that the file has */
    int64_t added;        /**< answers that were not known before */
    int64_t repeated;     /**< answers that the project had already */
    int64_t drafts;       /**< answers that are not final: their items stay open */
    int64_t corrected;    /**< of added: took the place of an answer of the same annotator */
    int64_t disagreeing;  /**< items whose annotators now give different answers */
    int64_t unusable;     /**< records that cannot be used, items that no round has among them */
    const char *messages; /**< a view, valid until the next call of this project: a line
                             "FILE:LINE: REASON" for each unusable record; "" without any */
} alcore_project_import_report;
/** An alcore_project_import_report with its size set and everything else 0. */
#define ALCORE_PROJECT_IMPORT_REPORT_INIT ALCORE_INIT(alcore_project_import_report)

/** Takes the answers of a tool's file (alcore_tool_read()). Answers are only ever added: that of an
 * annotator replaces his earlier one, which is kept, and one whose time is earlier is kept and does
 * not count; several annotators have one each. Importing a file again changes nothing. Answers that
 * do not count so, times in the future and times that are none are warned of.
 * @param[in,out] project borrowed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed
 * @param[in] annotator borrowed: who, where the file does not say; NULL: "", which counts as one
 *   more person beside the others, and is warned of where others have names
 * @param[in,out] out size-first; filled; NULL is allowed
 * @return ALCORE_OK, what alcore_tool_read() returns, ALCORE_E_DATA (no answer can be used: names
 *   the first), ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @serialized per project
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_import(alcore_project *project, const char *tool,
                                               const char *path, const char *annotator,
                                               alcore_project_import_report *out);

/** Takes the answers of a tool's file whose offsets of spans count in another unit than the setting
 * span_unit says, as alcore_project_import() does. The log has the unit.
 * @param[in,out] project borrowed; its setting task is spans
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed
 * @param[in] annotator borrowed; as of alcore_project_import()
 * @param[in] span_unit ALCORE_SPAN_*; 0: what the tool itself counts
 * @param[in,out] out size-first; filled; NULL is allowed
 * @return as alcore_project_import(); ALCORE_E_PARAM (also: a unit that is none, a task that has no
 *   spans)
 * @serialized per project
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_import_spans(alcore_project *project, const char *tool,
                                                     const char *path, const char *annotator,
                                                     int32_t span_unit,
                                                     alcore_project_import_report *out);

/** Writes the answers that count as pairs of text and answer: those that all annotators of an item
 * agree on, or by the setting "several" the latest or that of most annotators.
 * @param[in] project borrowed
 * @param[in] path borrowed; .tsv, .csv, .jsonl, or "-"
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED, ALCORE_E_BUSY, ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress)
 * @serialized per project
 * @callback progress, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_write_labeled(alcore_project *project, const char *path);

/** Keeps a measure of a model that was trained after a round. Given again, it takes the place of
 * the earlier one, which is kept.
 * @param[in,out] project borrowed
 * @param[in] round from 0 (before the first round)
 * @param[in] name borrowed: such as "chrf"
 * @param[in] value finite
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such round), ALCORE_E_BUSY,
 *   ALCORE_E_IO, ALCORE_E_NOMEM
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_put_metric(alcore_project *project, int64_t round,
                                                   const char *name, double value);

/** Keeps the measures of what an evaluation printed: a line "NAME VALUE" for each, or one object of
 * JSON (docs/projects.md), all of them or none. Every line has to be a measure, empty, a remark
 * that begins with #, or the signature of `alcore eval`.
 * @param[in,out] project borrowed
 * @param[in] round from 0 (before the first round)
 * @param[in] text borrowed, [length] bytes
 * @param[in] length of text
 * @param[out] out_count how many there are; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names the line, or the member of JSON, that
 *   is no measure; NaN and infinities are none; a name that is there twice; no measure), and what
 *   alcore_project_put_metric() returns
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_put_metrics(alcore_project *project, int64_t round,
                                                    const char *text, size_t length,
                                                    int64_t *out_count);

/** What a training or an evaluation is about. */
typedef struct alcore_project_work {
    size_t size;   /**< sizeof(alcore_project_work) */
    int64_t round; /**< of a training the last one, from 0; of an evaluation the one measured */
    const char *project; /**< the folder of the project */
    const char *labeled; /**< of a training: the file of its pairs; NULL: an evaluation */
    /** Of a training: a path of which nothing is there, for a file or a folder that it may make. Of
     * an evaluation: the model; NULL: there is none */
    const char *model;
} alcore_project_work;

/** Trains or measures in place of the engine or a command. It runs on the calling thread, and may
 * use the project.
 * @param[in] user the pointer of the options
 * @param[in] work borrowed: what it is about
 * @param[out] out of a training: a path of the model that it made elsewhere, which stays where it
 *   is; left NULL: the model is work->model, if it made that, or there is none. Of an evaluation:
 *   the measures, as a command prints them. Read before the next call of a function of the host
 * @return ALCORE_OK, or a failure, which ends the outer call with it
 * @since 1.1 */
typedef alcore_status (*alcore_project_function)(void *user, const alcore_project_work *work,
                                                 const char **out);

/** How a model is trained on the pairs of a project: by the torch engine, by a command, or by a
 * function. One of model, command and function is needed. What is 0 means the default. */
typedef struct alcore_project_train_options {
    size_t size; /**< sizeof(alcore_project_train_options) */
    /** Borrowed. The folder of a model that the torch engine fine-tunes, which stays as it is */
    const char *model;
    /** Borrowed. How the engine trains it. A seed of 0 is the setting seed; with checkpoints a
     * training that was killed goes on from there; best is refused. NULL: defaults */
    const alcore_train_options *training;
    /** Borrowed. Language of the pairs' references, for models of several, as
     * alcore_model_set_language() takes it; NULL: the setting draft_language, if it is set */
    const char *language;
    /** Borrowed. [ends with a NULL] A program and its arguments. It works where the host does, and
     * finds alcore_project_work in its environment: ALCORE_PROJECT, ALCORE_ROUND, ALCORE_LABELED
     * and ALCORE_MODEL */
    const char *const *command;
    alcore_project_function function; /**< the host's; NULL: none */
    void *user;                       /**< first argument of function */
    /** Borrowed. Where the file of pairs is written and stays: .tsv, .csv or .jsonl; NULL: a
     * temporary one */
    const char *labeled;
    /** 1: the pairs that were added as labeled ones come first; 0: answers alone */
    int32_t with_labeled;
    /** 1: what the command writes goes where the host's outputs go; 0: the last line is told where
     * it fails */
    int32_t show;
    /** Borrowed. The pairs are a training set that alcore_mix_new() makes of these options: the
     * answers, and pairs of the labeled files as its kind says; the pool is the candidates. The
     * file of pairs has a column kind. A seed of 0 is the setting seed, a round of 0 the last one,
     * a device that is NULL the setting device; with_labeled is refused. NULL: answers alone */
    const alcore_mix_options *mix;
} alcore_project_train_options;
/** An alcore_project_train_options with its size set and everything else 0. */
#define ALCORE_PROJECT_TRAIN_OPTIONS_INIT ALCORE_INIT(alcore_project_train_options)

/** Trains a model on the answers that count, as the last round left them. A model that the engine
 * makes, or that is made at work->model, is then PROJECT/models/round-N, whole or not at all, in
 * place of an earlier one of that round. That a training was begun is in the log before it begins,
 * with its settings and a digest of its pairs, and what it came to is there afterwards, with a
 * digest of the model, or with the failure and the exit status of the command. In between anybody
 * may change the project, but for another training or evaluation; one that was killed, cancelled or
 * failed is told by the status until it is made again.
 * @param[in,out] project borrowed
 * @param[in] options borrowed
 * @param[out] out a view, valid until the next call of this project: path of the model; NULL: none
 *   was made; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (not one of model, command and function; an
 *   option that the trainer does not take), ALCORE_E_MISSING (no pair is there), ALCORE_E_CALLBACK
 *   (the command ended with another status than 0: tells it and its last line) or what the function
 *   returned, what alcore_mix_new(), alcore_model_open(), alcore_model_train() and
 *   alcore_model_save() return, ALCORE_E_UNSUPPORTED, ALCORE_E_BUSY (also: a training or an
 *   evaluation runs), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @serialized per project
 * @callback function, progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_train(alcore_project *project,
                                              const alcore_project_train_options *options,
                                              const char **out);

/** How a model is measured: by the torch engine on a test set, by a command, or by a function. One
 * of test, command and function is needed. */
typedef struct alcore_project_eval_options {
    size_t size;   /**< sizeof(alcore_project_eval_options) */
    int64_t round; /**< whose model is measured, from 0; unset: the last one */
    /** Borrowed. File of texts and references that the engine measures the model on */
    const char *test;
    const alcore_read_options *reading; /**< borrowed: how test is read; NULL: by the suffix */
    /** Borrowed. With test: names of measures with commas between. Of models that translate chrf,
     * bleu, ter (alcore/extra/metric_translation.h) and loss; of others loss, accuracy,
     * exact_match, f1, span_f1 and strict_span_f1 (ALCORE_VALIDATE_*) as they fit. NULL:
     * "chrf,bleu", "accuracy", or "exact_match,f1" of models of question answering */
    const char *metrics;
    const char *model; /**< borrowed: a file or folder; NULL: PROJECT/models/round-N */
    /** Borrowed. As of a training, also of the outputs */
    const char *language;
    /** Borrowed. [ends with a NULL] A program and its arguments, which prints the measures on its
     * standard output, as alcore_project_put_metrics() takes them. ALCORE_PROJECT,
     * ALCORE_ROUND and ALCORE_MODEL are in its environment */
    const char *const *command;
    alcore_project_function function; /**< the host's; NULL: none */
    void *user;                       /**< first argument of function */
    int32_t show;     /**< 1: the command's standard error goes where the host's goes */
    int32_t reserved; /**< pads: 0, checked */
} alcore_project_eval_options;
/** An alcore_project_eval_options with its size set, round unset and everything else 0. */
#define ALCORE_PROJECT_EVAL_OPTIONS_INIT                                                           \
    ALCORE_INIT_1(alcore_project_eval_options, round, ALCORE_UNSET_INT)

/** Measures the model of a round and keeps the measures, all of them or, on failure, none, as
 * alcore_project_put_metric() does. It is logged as a training is.
 * @param[in,out] project borrowed
 * @param[in] options borrowed
 * @param[out] out a view, valid until the next call of this project: the measures as a JSON object
 *   of numbers; NULL on failure; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (not one of test, command and function; an
 *   option that the one given does not take; a measure that is not known), ALCORE_E_NOT_FOUND (no
 *   such round; no model with test), ALCORE_E_DATA (what was given is no measures),
 *   ALCORE_E_CALLBACK (the command ended with another status than 0) or what the function returned,
 *   what alcore_pool_read(), alcore_model_open() and alcore_model_translate() return,
 *   ALCORE_E_UNSUPPORTED (a measure that the model has not), ALCORE_E_BUSY (also: a training or an
 *   evaluation runs), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @serialized per project
 * @callback function, progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_eval(alcore_project *project,
                                             const alcore_project_eval_options *options,
                                             const char **out);

/** Where a project stands. */
typedef struct alcore_project_status {
    size_t size;         /**< sizeof(alcore_project_status) */
    int64_t rounds;      /**< rounds that were selected */
    int64_t candidates;  /**< candidates that are there */
    int64_t labeled;     /**< pairs that were there before */
    int64_t items;       /**< items of all rounds */
    int64_t answered;    /**< items with an answer that counts */
    int64_t open;        /**< items without an answer, or with a draft */
    int64_t without;     /**< items that were skipped, rejected or are untranslatable */
    int64_t disagreeing; /**< items whose annotators differ */
    int64_t answers;     /**< answers ever given */
    double spent;        /**< cost of all items but those without */
    double refunded;     /**< cost of the items without */
    double left;         /**< of the total budget; NaN: no total is set */
    int32_t unit;        /**< ALCORE_UNIT_*: of these */
    int32_t training;    /**< 1: a training was begun that has not ended: it runs, or was killed or
                              cancelled, and is to be made again */
    int32_t evaluating;  /**< 1: so does an evaluation */
    int32_t reserved;    /**< pads: 0 */
    /** A view, valid until the next call of this project: why the last training failed; NULL: it
     * did not, or another one was begun since */
    const char *training_failure;
    const char *evaluating_failure; /**< a view, so too: why the last evaluation failed */
} alcore_project_status;
/** An alcore_project_status with its size set and everything else 0. */
#define ALCORE_PROJECT_STATUS_INIT ALCORE_INIT(alcore_project_status)

/** Tells where the project stands.
 * @param[in] project borrowed
 * @param[in,out] out size-first; filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_STRUCT_*
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_get_status(alcore_project *project,
                                                   alcore_project_status *out);

/** How annotators agree, on items to which two of them or more gave final answers. */
typedef struct alcore_project_agreement {
    size_t size;        /**< sizeof(alcore_project_agreement) */
    int64_t items;      /**< such items */
    int64_t agreeing;   /**< of these, items of which all answers are equal */
    int64_t annotators; /**< annotators who gave these answers */
    int64_t units;   /**< items (classes) or words (tags) with two labels or more; 0: other tasks */
    int64_t labels;  /**< labels of these units; an answer that says that there is none is none */
    int64_t classes; /**< distinct labels among them */
    int64_t uneven;  /**< items that are left out, as annotators gave tags to different numbers of
                             words */
    double alpha;    /**< Krippendorff's alpha, nominal, of the labels: at most 1; 0: as by chance;
                             NaN: no unit, or one and the same label everywhere */
    double kappa;    /**< Cohen's kappa of the two annotators; NaN: there are more, or as alpha */
    double chrf;     /**< of translations, 0 to 100: chrF of each answer against each other one of
                             its item; NaN: other tasks, or no such item */
} alcore_project_agreement;
/** An alcore_project_agreement with its size set and everything else 0. */
#define ALCORE_PROJECT_AGREEMENT_INIT ALCORE_INIT(alcore_project_agreement)

/** Tells how annotators agree, by the present setting "task"; the document has each pair of them.
 * All final answers are read. Source: docs/spec/analyses.md 8.12.
 * @param[in] project borrowed
 * @param[in,out] out size-first; filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (2^31 units of two annotators),
 *   ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @serialized per project
 * @callback progress
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_get_agreement(alcore_project *project,
                                                      alcore_project_agreement *out);

/** Everything that is known, as a JSON object whose member "schema" is "alcore-project-1"
 * (docs/schemas): settings, rounds with counts, budgets, languages and lengths, exports, imports,
 * annotators with their agreement, disagreements, metrics, and the log of steps.
 * @param[in] project borrowed
 * @param[out] out a view, valid until the next call of this project
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_document(alcore_project *project, const char **out);

/** Writes a page about the project: .html, self-contained, which loads nothing (docs/projects.md).
 * @param[in] project borrowed
 * @param[in] path borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (another suffix), ALCORE_E_BUSY,
 *   ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED
 * @serialized per project
 * @callback progress, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_write_report(alcore_project *project, const char *path);

/** Compares every byte of the project with the digests that it keeps, among them those of the
 * models in PROJECT/models that the log names, and what is derived from its answers (which one of
 * an annotator is the latest, what those of an item come to, the counts of rounds) with what is
 * derived anew.
 * @param[in] project borrowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (names the first file or table that is not
 *   what it was), ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress)
 * @serialized per project
 * @callback progress
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_verify(alcore_project *project);

/** Removes files that nothing refers to, which killed processes leave: also halves of models,
 * unless a training or an evaluation runs, and never a model that the log names.
 * @param[in,out] project borrowed
 * @param[out] out_bytes how much was freed; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY, ALCORE_E_IO, ALCORE_E_NOMEM
 * @serialized per project
 * @since 1.1 */
ALCORE_API alcore_status alcore_project_gc(alcore_project *project, int64_t *out_bytes);

ALCORE_END

#endif
