/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Annotations: the sentences and phrases that were selected, in order of selection, with their
 * translations as they come back; and the oracles that give translations.
 *
 * An item is a sentence (a row of the pool) or a phrase (a sequence of words of rows of the pool).
 * It is open until it has an answer: a translation, or the statement that there is none. Three
 * oracles answer (docs/spec/phrases.md): people, to whom alcore_annotations_write_requests() writes
 * and whose answers alcore_annotations_read_answers() reads, or alcore_annotations_answer() takes
 * from memory; a dictionary; and a simulated translator, who takes the translations from the
 * references of the pool, for experiments. What the items are and what they cost is never changed
 * by an answer, but the cost of an item without a translation is refunded. alcore/extra/mix.h makes
 * a training set of the answers. */
#ifndef ALCORE_EXTRA_ANNOTATION_H
#define ALCORE_EXTRA_ANNOTATION_H

#include "alcore/extra/aligner.h"
#include "alcore/format.h"
#include "alcore/pool.h"
#include "alcore/selection.h"

ALCORE_BEGIN

/** Annotations. A call that changes them returns ALCORE_E_BUSY while another call uses them; calls
 * that read them may run at the same time. */
typedef struct alcore_annotations alcore_annotations;

/** Items to be added, as parallel arrays of count entries. Everything is copied. */
typedef struct alcore_annotation_records {
    size_t size;                /**< sizeof(alcore_annotation_records) */
    const char *const *texts;   /**< [count] UTF-8; NULL only if count is 0 */
    const size_t *text_lengths; /**< [count] bytes; NULL: the texts are NUL-terminated */
    int64_t count;              /**< items */
    const char *const *kinds; /**< [count] "sent" (also "sentence") or "phrase"; NULL: sentences */
    const char *const *ids;   /**< [count] NUL-terminated; NULL: the numbers of the items, from 1 */
    const int64_t *rows;      /**< [count] row of the pool that is the sentence, or in which the
                                      phrase occurs first; -1: none. NULL: none has one */
    const double *costs;      /**< [count] what the item costs, finite and >= 0; NULL: its words */
    /** [count] UTF-8; an entry that is NULL leaves its item open; NULL: all are open */
    const char *const *translations;
    const size_t *translation_lengths; /**< [count] bytes; NULL: NUL-terminated */
} alcore_annotation_records;
/** An alcore_annotation_records with its size set and everything else 0. */
#define ALCORE_ANNOTATION_RECORDS_INIT ALCORE_INIT(alcore_annotation_records)

/* ---- items ---- */

/** Makes an empty list of annotations.
 * @param[in] pool kept: the pool that items are selected from; read only
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_new(alcore_pool *pool, alcore_annotations **out);

/** Takes another reference.
 * @param[in] annotations the handle; NULL is allowed
 * @return owned: annotations itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_annotations *alcore_annotations_ref(alcore_annotations *annotations);

/** Drops a reference; the last one releases the annotations.
 * @param[in] annotations the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_annotations_unref(alcore_annotations *annotations);

/** Adds items behind those that are there. All of them or, on failure, none. Texts that were handed
 * out never move.
 * @param[in,out] annotations borrowed, changed
 * @param[in] records kept: copied
 * @return ALCORE_OK, ALCORE_E_INVALID (a NULL text, kind or id, a count below 0), ALCORE_E_PARAM
 *   (another kind), ALCORE_E_NOT_FOUND (no such row), ALCORE_E_DATA (names the item: a text
 *   without a word, an id or a text that is not UTF-8, a phrase of more than 64 words, a negative
 *   or infinite cost, a translation without a word), ALCORE_E_NOMEM, ALCORE_E_BUSY,
 *   ALCORE_E_CANCELLED, ALCORE_E_STRUCT_*
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_add(alcore_annotations *annotations,
                                                const alcore_annotation_records *records);

/** Adds the items of a selection that was written as TSV, CSV or JSONL. Its columns (or keys, also
 * those of the object "al") are id and text, and where the file has them kind, cost and index.
 * Without a column kind the items are phrases if the file has a column occ, which selections of
 * phrases have, else sentences. A sentence is the row of the pool with its id. All of them or, on
 * failure, none.
 * @param[in,out] annotations borrowed, changed
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file and line: no column
 *   id or text, another number of fields, an item that alcore_annotations_add() refuses, a sentence
 *   that the pool lacks), ALCORE_E_UNSUPPORTED (a compression that this build lacks),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_read_selection(alcore_annotations *annotations,
                                                           const char *path);

/** Adds the picks of a selection, in their order: what alcore_annotations_read_selection() reads of
 * the file that alcore_selection_write() writes. A pick of a pool of phrases, and one of a hybrid
 * strategy whose kind says so, is a phrase; any other is a sentence. All of them or, on failure,
 * none.
 * @param[in,out] annotations borrowed, changed
 * @param[in] selection borrowed: made from the pool of the annotations, or from the phrases of its
 *   rows
 * @return ALCORE_OK, ALCORE_E_INVALID (also: a selection of another context), ALCORE_E_NOT_FOUND
 *   (no such row), ALCORE_E_DATA (names the pick: another text than that of the row, as the
 *   selection was made from another pool; an item that alcore_annotations_add() refuses),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_add_selection(alcore_annotations *annotations,
                                                          const alcore_selection *selection);

/** The number of items.
 * @param[in] annotations borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_annotations_count(const alcore_annotations *annotations);

/** Id of an item.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @return a view, valid until the annotations are released; NULL: no such item
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_annotations_id(const alcore_annotations *annotations, int64_t index);

/** Whether an item is a sentence or a phrase.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @return a view, valid for ever: "sent" or "phrase"; NULL: no such item
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_annotations_kind(const alcore_annotations *annotations,
                                               int64_t index);

/** Text of an item.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @param[out] out_length bytes without the NUL; 0 without such an item; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the annotations are released; NULL: no such
 *   item
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_annotations_text(const alcore_annotations *annotations, int64_t index,
                                               size_t *out_length);

/** Translation of an item.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @param[out] out_length bytes without the NUL; 0 without one; NULL is allowed
 * @return a view, UTF-8, NUL-terminated, valid until the annotations are released; NULL: it has
 *   none, or no such item
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_annotations_translation(const alcore_annotations *annotations,
                                                      int64_t index, size_t *out_length);

/** What is known of the translation of an item: "open", it has no answer; "ok"; "loose", a phrase
 * whose translation the simulated oracle took from words that are linked to words outside the
 * phrase too; "untranslatable", there is none; "skipped" and "rejected", an
 * annotator gave none: the cost of these three is refunded.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @return a view, valid for ever; NULL: no such item
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_annotations_status(const alcore_annotations *annotations,
                                                 int64_t index);

/** Row of the pool that is the sentence, or in which the phrase occurs first.
 * @param[in] annotations borrowed
 * @param[in] index from 0, in order of selection
 * @return the row; -1: none is known, or no such item
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_annotations_row(const alcore_annotations *annotations, int64_t index);

/** What the items cost whose translations are paid for: all but the untranslatable, skipped and
 * rejected ones.
 * @param[in] annotations borrowed
 * @return the sum of their costs; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_annotations_spent(const alcore_annotations *annotations);

/** What is refunded: the costs of the items without a translation.
 * @param[in] annotations borrowed
 * @return the sum of their costs; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_annotations_refunded(const alcore_annotations *annotations);

/* ---- oracles ---- */

/** Writes the open items as requests to people: TSV with the columns req_id, kind (sent or phrase),
 * lang, cost, text and context, or the same keys of JSONL. The context of a phrase are up to three
 * sentences of the pool that contain it, the first ones that are not masked: with " | " between
 * them in TSV, a list in JSONL. A file appears whole or not at all.
 * @param[in] annotations borrowed
 * @param[in] path borrowed; "-" is standard output
 * @param[in] options borrowed: ALCORE_FORMAT_TSV, _JSONL or _CSV; NULL: by the suffix,
 *   "-" as TSV
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the format or suffix, a compressed
 *   file), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED (by progress),
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_write_requests(alcore_annotations *annotations,
                                                           const char *path,
                                                           const alcore_write_options *options);

/** What alcore_annotations_read_answers() or alcore_annotations_answer() found. Answers are counted
 * by item; items with the same id and text count as one, and so do lines that repeat each other. */
typedef struct alcore_answer_report {
    size_t size;            /**< sizeof(alcore_answer_report) */
    int64_t lines;          /**< lines of the file that could be read; answers of arrays */
    int64_t answered;       /**< items with a translation in the file */
    int64_t skipped;        /**< items that the annotator left out: skip, ignore, discarded, ... */
    int64_t rejected;       /**< items that were refused: reject, bad, ... */
    int64_t untranslatable; /**< items without a translation */
    int64_t unanswered;     /**< items whose translation is blank or a draft: they stay so */
    int64_t corrected;      /**< of the first four: items that had another answer before */
    int64_t conflicting;    /**< items with several answers that differ: none of them counts */
    int64_t unusable;       /**< lines that cannot be used: an id that no item has, another text, a
                                 status that is not known, another number of fields, ... */
    /** A view, valid until answers are given again or the annotations are released: a line
     * "FILE:LINE: REASON", or "answer NUMBER: REASON" with numbers from 0, for each unusable line,
     * conflict and correction; "" without any. */
    const char *messages;
} alcore_answer_report;
/** An alcore_answer_report with its size set and everything else 0. */
#define ALCORE_ANSWER_REPORT_INIT ALCORE_INIT(alcore_answer_report)

/** Reads answers from TSV, CSV or JSONL with the columns (or keys) id, text and translation, and
 * where the file has them status, answer, state or flags, whose words are those of annotation tools
 * (docs/formats.md), and was_cancelled. The column text may be missing where no two items have one
 * id. A TSV or CSV file without a header has exactly id, text and translation. Items that the file
 * lacks stay as they are, and so do those with a blank translation or a draft. An answer replaces
 * that of an earlier file; a skip or a rejection is one, which refunds the cost until a translation
 * replaces it. Of answers in one file that differ none counts, but a translation ends a skip. Lines
 * that cannot be used are logged and reported, and the others count; all of them are taken or, on
 * failure, none. alcore_annotations_answer_report() tells what was found.
 * @param[in,out] annotations borrowed, changed
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (no line can be used: names the
 *   first; a header without id or translation),
 *   ALCORE_E_UNSUPPORTED (a compression that this build lacks), ALCORE_E_NOMEM, ALCORE_E_BUSY,
 *   ALCORE_E_CANCELLED
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_read_answers(alcore_annotations *annotations,
                                                         const char *path);

/** Answers as parallel arrays of count entries. Where an array is NULL no answer has such a thing;
 * where a string is NULL its answer has none. Everything is copied. */
typedef struct alcore_annotation_answers {
    size_t size;                       /**< sizeof(alcore_annotation_answers) */
    const int64_t *items;              /**< [count] number of the item, from 0, in order of
                                           selection; NULL: ids say which */
    int64_t count;                     /**< answers */
    const char *const *ids;            /**< [count] NUL-terminated ids of the items; NULL: items say
                                           which */
    const char *const *texts;          /**< [count] NUL-terminated texts of the items, which tell
                                           those with one id apart */
    const char *const *translations;   /**< [count] UTF-8; a blank one says nothing */
    const size_t *translation_lengths; /**< [count] bytes; NULL: NUL-terminated */
    /** [count] NUL-terminated words of annotation tools (docs/formats.md): "ok", "loose", "open"
     * and "draft" for a translation that does not count yet, "untranslatable", "skip", "reject",
     * ...; NULL or "": "ok" */
    const char *const *statuses;
} alcore_annotation_answers;
/** An alcore_annotation_answers with its size set and everything else 0. */
#define ALCORE_ANNOTATION_ANSWERS_INIT ALCORE_INIT(alcore_annotation_answers)

/** Answers items from memory, by the rules of alcore_annotations_read_answers(): items without an
 * answer stay as they are, an answer replaces an earlier one, of answers in one call that differ
 * none counts, items with the same id and text share their answer, and what cannot be used is
 * logged and reported while the others count. alcore_annotations_answer_report() tells what was
 * found.
 * @param[in,out] annotations borrowed, changed
 * @param[in] answers kept: copied
 * @return ALCORE_OK, ALCORE_E_INVALID (neither items nor ids, a count below 0), ALCORE_E_DATA (no
 *   answer can be used: names the first), ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED (by
 *   progress), ALCORE_E_STRUCT_*
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_answer(alcore_annotations *annotations,
                                                   const alcore_annotation_answers *answers);

/** What the answers were that alcore_annotations_read_answers() or alcore_annotations_answer() took
 * last; zeros before any.
 * @param[in] annotations borrowed
 * @param[in,out] out size-first; filled
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_answer_report(const alcore_annotations *annotations,
                                                          alcore_answer_report *out);

/** Answers the open items from a dictionary: TSV, CSV or JSONL with the columns source and
 * translation (also called text or phrase, and target), or a table without a header in this order.
 * Sources are compared word by word; the first line of a source counts. Items that the dictionary
 * lacks become untranslatable. All items are answered or, on failure, none.
 * @param[in,out] annotations borrowed, changed
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA (names file and line: another
 *   number of fields, a source or translation without a word, text that is not UTF-8),
 *   ALCORE_E_UNSUPPORTED (a compression that this build lacks), ALCORE_E_NOMEM, ALCORE_E_BUSY,
 *   ALCORE_E_CANCELLED
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_look_up(alcore_annotations *annotations,
                                                    const char *path);

/** Answers the open items as a translator would whose translations are the references of the pool,
 * for experiments. A sentence has its reference. The translation of a phrase is the most frequent
 * sequence of target words that are linked to one of its occurrences and to no word outside it; the
 * one with fewer words in a tie, then the first. Where every occurrence is linked to words outside,
 * it is that of the first occurrence with a link, and the item is "loose"; without a link, and for
 * a sentence without a reference, the item is untranslatable. Occurrences are those in unmasked
 * rows. All items are answered or, on failure, none.
 * @param[in,out] annotations borrowed, changed
 * @param[in] links borrowed: of each row of the pool with its reference; NULL: the unmasked rows
 *   are aligned as alcore_align() does by default
 * @param[in] labeled borrowed: rows with references, masked ones left out, that are aligned
 *   together with those of the pool, so that the links know more words; no translation is taken
 *   from them. NULL: none
 * @return ALCORE_OK, ALCORE_E_INVALID (links and labeled; a labeled pool of another context),
 *   ALCORE_E_MISSING (the pool has no references; the labeled pool has no pair), ALCORE_E_SHAPE
 *   (links of another number of pairs), ALCORE_E_DATA (names the row: a link of a word that its
 *   pair lacks), ALCORE_E_UNSUPPORTED (a text of 2^24 words or more), ALCORE_E_NOMEM,
 *   ALCORE_E_BUSY, ALCORE_E_CANCELLED
 * @serialized per handle; ALCORE_E_BUSY while another call uses it.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_simulate(alcore_annotations *annotations,
                                                     const alcore_links *links,
                                                     const alcore_pool *labeled);

/** Writes the answered items: TSV or CSV with the columns id, text, translation and flags (empty,
 * loose or untranslatable), the same keys of JSONL, or as plain text the translations only. What is
 * written as TSV, CSV or JSONL is read by alcore_annotations_read_answers(). A file appears whole
 * or not at all.
 * @param[in] annotations borrowed
 * @param[in] path borrowed; "-" is standard output
 * @param[in] options borrowed: ALCORE_FORMAT_TEXT, _TSV, _JSONL or _CSV; NULL: by the suffix,
 *   "-" as TSV
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_UNSUPPORTED (the format or suffix, a compressed
 *   file), ALCORE_E_IO, ALCORE_E_NOMEM, ALCORE_E_BUSY, ALCORE_E_CANCELLED (by progress),
 *   ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_annotations_write(alcore_annotations *annotations, const char *path,
                                                  const alcore_write_options *options);

ALCORE_END

#endif
