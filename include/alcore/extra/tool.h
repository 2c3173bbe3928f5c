/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The files of annotators' tools: what is to be translated or labeled goes out in the form that a
 * tool imports, and what people did comes back from the form that it exports. docs/tools.md has a
 * section for each tool: the two commands, what it shows, and what each of its states means.
 *
 * Items are matched by the ids that went out and by nothing else, so that answers may come in any
 * order, partially and several times. A draft is a suggestion: where a tool gives it back unchanged
 * and says that nobody looked at it, it is no answer. */
#ifndef ALCORE_EXTRA_TOOL_H
#define ALCORE_EXTRA_TOOL_H

#include "alcore/extra/annotation.h"

ALCORE_BEGIN

/** What people are asked. 0 in options: ALCORE_TASK_TRANSLATION. */
enum alcore_task {
    ALCORE_TASK_TRANSLATION = 6801, /**< another text: a translation, a summary, a free answer */
    ALCORE_TASK_CLASSES = 6802,     /**< one or several of the labels for the whole text */
    ALCORE_TASK_SPANS = 6803,       /**< parts of the text, each with one of the labels */
    ALCORE_TASK_TAGS = 6804         /**< one of the labels for each word of the text */
};

/** In what offsets of spans count. 0 in options: what the tool counts in (docs/tools.md). */
enum alcore_span_unit {
    ALCORE_SPAN_CODE_POINTS = 6901, /**< Unicode code points, as Python's strings are indexed */
    ALCORE_SPAN_UTF16 = 6902,       /**< UTF-16 code units, as JavaScript's strings are indexed */
    ALCORE_SPAN_BYTES = 6903        /**< bytes of the text in UTF-8 */
};

/** One of the tools. */
typedef struct alcore_tool_info {
    size_t size;        /**< sizeof(alcore_tool_info) */
    const char *name;   /**< such as "xliff" */
    const char *title;  /**< such as "XLIFF 1.2 (OmegaT, Weblate, MateCat)" */
    const char *suffix; /**< of the file that is written, such as ".xlf" */
    /** Tasks that it takes, as names with a space between: "translation classes spans tags" */
    const char *tasks;
    int32_t span_unit; /**< ALCORE_SPAN_*: what its offsets count; 0: it has no spans */
    /** NULL: this build writes and reads it; else what the build lacks, such as "libxlsxwriter" */
    const char *lacks;
} alcore_tool_info;
/** An alcore_tool_info with its size set and everything else 0. */
#define ALCORE_TOOL_INFO_INIT ALCORE_INIT(alcore_tool_info)

/** The tools by number, in the order in which the documentation lists them.
 * @param[in] index from 0
 * @param[in,out] out size-first; filled with views that are valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_builtin(int64_t index, alcore_tool_info *out);

/** The tool of a name.
 * @param[in] name borrowed
 * @param[in,out] out size-first; filled with views that are valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (the message lists the names),
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_find(const char *name, alcore_tool_info *out);

/** What annotators are asked, as parallel arrays of count items in rank order, the best first.
 * Strings are UTF-8 and NUL-terminated where no lengths are given. Where an array is NULL, or an
 * entry of it, there is no such thing. */
typedef struct alcore_tool_items {
    size_t size;                  /**< sizeof(alcore_tool_items) */
    int64_t count;                /**< items */
    const char *const *ids;       /**< [count] no two equal, none NULL or empty */
    const char *const *texts;     /**< [count] none NULL */
    const size_t *text_lengths;   /**< [count] bytes; NULL: NUL-terminated */
    const char *const *contexts;  /**< [count] text around the item, for the annotator to read */
    const char *const *drafts;    /**< [count] a suggestion: a translation, or labels as
                                        alcore_tool_answer.value has them */
    const char *const *reasons;   /**< [count] why it was picked, in words */
    const char *const *groups;    /**< [count] the document or file that it comes from */
    const char *const *languages; /**< [count] language tag of the text, such as "en" */
    const double *scores;         /**< [count] of the strategy; NaN: none */
    const double *costs;          /**< [count] in the unit of the budget; NaN: none */
} alcore_tool_items;
/** An alcore_tool_items with its size set and everything else 0. */
#define ALCORE_TOOL_ITEMS_INIT ALCORE_INIT(alcore_tool_items)

/** How a file of a tool is written or read. Zero means default; NULL for the struct: all defaults.
 */
typedef struct alcore_tool_options {
    size_t size;       /**< sizeof(alcore_tool_options) */
    int32_t task;      /**< ALCORE_TASK_*; 0: translation */
    int32_t span_unit; /**< ALCORE_SPAN_*: of the file; 0: that of the tool */
    /** Borrowed. Language tag; NULL: that of the items where all have one, else "und" */
    const char *source_language;
    /** Borrowed. Language tag of translations; NULL: "und", or where a file has several the only
     * one that is not the source's */
    const char *target_language;
    const char *const *labels; /**< borrowed: [label_count] for classes, spans and tags */
    int64_t label_count;       /**< 0: none are named; writing another task than translation needs
                                    one where the tool lists its labels */
    /** Borrowed. Name of the batch, which tools show and which comes back where they keep it; NULL:
     * "alcore" */
    const char *batch;
} alcore_tool_options;
/** An alcore_tool_options with its size set and everything else 0. */
#define ALCORE_TOOL_OPTIONS_INIT ALCORE_INIT(alcore_tool_options)

/** Writes items for a tool, in their order. A file appears whole or not at all. A tool that needs
 * more than one file (a configuration of labels, the folder of a server) has the others beside it,
 * named after path; docs/tools.md says which.
 * @param[in] ctx borrowed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed; "-" is standard output, for tools of one text file
 * @param[in] items borrowed
 * @param[in] options borrowed; NULL: all defaults
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL, a count below 0, two equal ids: named),
 *   ALCORE_E_NOT_FOUND (no such tool), ALCORE_E_PARAM (a task or unit that the tool does not take,
 *   a task that needs labels), ALCORE_E_UNSUPPORTED (a build without what the tool needs),
 *   ALCORE_E_DATA (names the item: not UTF-8, or a character that the form cannot hold),
 *   ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_write(alcore_ctx *ctx, const char *tool, const char *path,
                                           const alcore_tool_items *items,
                                           const alcore_tool_options *options);

/** Writes the open items of annotations for a tool, as alcore_tool_write() does. The id of a
 * sentence is its own, that of a phrase "phrase:" and its text; items with the same id and text go
 * out once. The context of a phrase are up to three sentences of the pool that contain it, that of
 * a sentence those before and behind it in its group, with a line break between them.
 * @param[in] annotations borrowed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed; "-" is standard output, for tools of one text file
 * @param[in] drafts borrowed: a file of suggestions. A text file has one for each row of the pool;
 *   of any other file of records the reference of the first record with the text of the item is it.
 *   NULL: none
 * @param[in] options borrowed; NULL: all defaults
 * @return as alcore_tool_write(), and ALCORE_E_SHAPE (a text file of drafts with another number of
 *   lines than rows), ALCORE_E_DATA (of the drafts: names file and line; none has a reference),
 *   ALCORE_E_BUSY
 * @threadsafe
 * @callback progress, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_write_requests(alcore_annotations *annotations,
                                                    const char *tool, const char *path,
                                                    const char *drafts,
                                                    const alcore_tool_options *options);

/** What a file of a tool says. Never changes once read; safe to read from many threads. */
typedef struct alcore_tool_answers alcore_tool_answers;

/** Reads what people did from a file of a tool. Records that cannot be used (no id of ours, a state
 * that is not known, a span beyond its text) are counted and named, and the others count. A file
 * without any answer that looks like one of another tool is not taken for one that nobody has
 * answered: the error, or the reason why its records cannot be used, names that tool.
 * @param[in] ctx borrowed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed where the
 *   form is text
 * @param[in] options borrowed; NULL: all defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such tool), ALCORE_E_PARAM,
 *   ALCORE_E_UNSUPPORTED (a build without what the tool needs, a compression that it lacks),
 *   ALCORE_E_DATA (names file and line: it is not the form of the tool), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_read(alcore_ctx *ctx, const char *tool, const char *path,
                                          const alcore_tool_options *options,
                                          alcore_tool_answers **out);

/** Takes another reference.
 * @param[in] answers the handle; NULL is allowed
 * @return owned: answers itself; NULL for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_tool_answers *alcore_tool_answers_ref(alcore_tool_answers *answers);

/** Drops a reference; the last one releases the answers.
 * @param[in] answers the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.1 */
ALCORE_API void alcore_tool_answers_unref(alcore_tool_answers *answers);

/** The number of answers: one for each item and annotator that the file has.
 * @param[in] answers borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API int64_t alcore_tool_answers_count(const alcore_tool_answers *answers);

/** Part of a text with a label. */
typedef struct alcore_tool_span {
    int64_t begin;     /**< code points of the text before it, whatever the file counts in */
    int64_t end;       /**< code points of the text before its end; above begin */
    const char *label; /**< a view */
} alcore_tool_span;

/** One answer. Strings are views, UTF-8, NUL-terminated, valid until the answers are released; NULL
 * where the file does not say. */
typedef struct alcore_tool_answer {
    size_t size;      /**< sizeof(alcore_tool_answer) */
    const char *id;   /**< of the item; never NULL */
    const char *text; /**< of the item, where the file has it */
    /** "ok": it counts; "draft": not final, the item stays open; "skip", "reject" and
     * "untranslatable": there is none */
    const char *status;
    /** The translation; the labels with a TAB between them; the spans as a JSON list of [begin,
     * end, label] in code points, in the order of their begins; the tags with a space between them.
     * NULL: a status without one. Equal answers have equal values. */
    const char *value;
    const alcore_tool_span *spans; /**< [span_count] of ALCORE_TASK_SPANS; NULL: none */
    int64_t span_count;            /**< spans */
    const char *annotator;         /**< who, as the tool names people */
    const char *time;              /**< when, as the tool writes it (ISO 8601 where it can) */
    const char *comment;           /**< what the annotator wrote beside it, or the reason to skip */
    double seconds;                /**< how long it took; NaN: the file does not say */
    int64_t line;                  /**< of the file, from 1; of a form without lines the record */
} alcore_tool_answer;
/** An alcore_tool_answer with its size set and everything else 0. */
#define ALCORE_TOOL_ANSWER_INIT ALCORE_INIT(alcore_tool_answer)

/** One of the answers.
 * @param[in] answers borrowed
 * @param[in] index from 0, in the order of the file
 * @param[in,out] out size-first; filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_answers_get(const alcore_tool_answers *answers, int64_t index,
                                                 alcore_tool_answer *out);

/** The name of the batch that the file kept.
 * @param[in] answers borrowed
 * @return a view, valid until the answers are released; NULL: it has none
 * @threadsafe
 * @since 1.1 */
ALCORE_API const char *alcore_tool_answers_batch(const alcore_tool_answers *answers);

/** How many records of the file could not be used.
 * @param[in] answers borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API int64_t alcore_tool_answers_unusable(const alcore_tool_answers *answers);

/** Why records could not be used: a line "FILE:LINE: REASON" for each.
 * @param[in] answers borrowed
 * @return a view, valid until the answers are released; "" where all could be used, and for NULL
 * @threadsafe
 * @since 1.1 */
ALCORE_API const char *alcore_tool_answers_messages(const alcore_tool_answers *answers);

/** Takes the answers of a file of a tool to items that alcore_tool_write_requests() wrote, by the
 * rules of alcore_annotations_read_answers(): items without an answer stay as they are, an answer
 * replaces that of an earlier file, of answers in one file that differ none counts, and records
 * that cannot be used are logged and reported while the others count. The value of an answer is
 * the translation of its item, whatever the task. alcore_annotations_answer_report() tells what
 * was found.
 * @param[in,out] annotations borrowed, changed
 * @param[in] tool borrowed; its name
 * @param[in] path borrowed; "-" is standard input
 * @param[in] options borrowed; NULL: all defaults
 * @return as alcore_tool_read(), and ALCORE_E_DATA (no record can be used: names the first),
 *   ALCORE_E_BUSY
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files
 * @since 1.1 */
ALCORE_API alcore_status alcore_tool_read_answers(alcore_annotations *annotations, const char *tool,
                                                  const char *path,
                                                  const alcore_tool_options *options);

ALCORE_END

#endif
