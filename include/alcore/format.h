/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * File formats of records: what readers and writers of every noun are told. Their rules are in
 * docs/formats.md. */
#ifndef ALCORE_FORMAT_H
#define ALCORE_FORMAT_H

#include "alcore/status.h"

ALCORE_BEGIN

/** File formats. 0 in options: by the suffix, which docs/formats.md lists. Read: .tsv, .csv,
 * .jsonl, .conll, .conllu, .sgm, .xml, .tmx and other names of these formats, as text .txt, the
 * codes of languages (train.de) and other usual endings of corpora, each followed by .gz, .xz or
 * .zst when compressed. The suffix of another known format (.po, .xlf, .parquet, ...) is
 * ALCORE_E_DATA; a file with any other suffix is read as text, with a warning, unless it begins as
 * JSON, XML or a binary file does, which is ALCORE_E_DATA too. Written: .tsv, .csv, .jsonl or
 * .ndjson, .txt, "-" as TSV; anything else, and a compressed file, is ALCORE_E_UNSUPPORTED. */
enum alcore_file_format {
    ALCORE_FORMAT_TEXT = 401, /**< one text per line, split at LF only */
    /** A header line names the columns; no quoting. TAB, LF and backslash are written as a
     * backslash before t, n or another backslash; alcore_read_options.escapes says when these are
     * undone. */
    ALCORE_FORMAT_TSV = 402,
    /** One JSON object per line; the keys are the column names of TSV. */
    ALCORE_FORMAT_JSONL = 403,
    /** A header line names the columns, those of TSV; fields with quotes around them as in RFC
     * 4180. Read with commas, semicolons or TABs between the fields, whichever the header has;
     * written with commas, a byte order mark and CR LF. */
    ALCORE_FORMAT_CSV = 404,
    /** An array of numbers: a column that is written. Asked for in reading or writing records it is
     * an error. */
    ALCORE_FORMAT_NPY = 405,
    /** The id and the token values of each row: a ragged column that is written. Asked for in
     * reading or writing records it is an error. */
    ALCORE_FORMAT_LP = 406,
    /** Read only: columns, a line a token, a blank line behind each sentence (CoNLL-U and its Plus,
     * CoNLL-X, 2003, 2009 and 2012, GermEval, PAN-X). The tokens are the words of the text, the
     * tags those of the reference. text_column and reference_column are numbers from 1, or names
     * (form, upos) where columns have some; by default the first column that is no id and the last
     * one, in CoNLL-U form and upos. */
    ALCORE_FORMAT_CONLL = 407,
    /** Read only: one side of a test set of WMT, IWSLT or NIST in SGML or XML; each of its segments
     * is a text with the id DOCUMENT:SEGMENT, and its document the group. */
    ALCORE_FORMAT_SGML = 408,
    /** Read only: a translation memory, TMX 1.1 to 1.4, in a build with expat. Each unit with a
     * text in the source language is a record, its text in another language the reference, its tuid
     * the id. text_column is the source language, such as "en", which "en-US" is a variant of; by
     * default it is `language`, or else what the file says (srclang). reference_column is the
     * language of the references; by default the first other one of the file. @since 1.1 */
    ALCORE_FORMAT_TMX = 409
};

/** What happens to a line that is no record: wrong columns, broken JSON, a cost that is no number,
 * a string that the pool refuses. */
enum alcore_bad_lines {
    ALCORE_BAD_LINES_ERROR = 501, /**< ALCORE_E_DATA that names file and line; nothing is added */
    /** The line becomes a row with an empty text and ALCORE_ROW_MALFORMED: rows keep their numbers,
     * such a row is never selected, and a warning counts them and names the first. The header line
     * of a table, a quote of CSV that is not closed and a file that is no text are errors all the
     * same. */
    ALCORE_BAD_LINES_MASK = 502
};

/** What a backslash before t, n or another backslash means in TSV, CSV and text. 0 in options:
 * in a TSV whose first line is one that libalcore writes (docs/formats.md) they are a TAB, a line
 * break and a backslash, and a backslash before anything else is ALCORE_E_DATA; else they stand
 * for themselves, with a warning that counts the fields of a TSV that have them. */
enum alcore_escapes {
    /** A TAB, a line break and a backslash; others stand for themselves */
    ALCORE_ESCAPES_ON = 601,
    ALCORE_ESCAPES_OFF = 602 /**< they stand for themselves */
};

/** By what the records of two files belong together: texts and references, hypotheses and
 * references, gold labels and predictions, the answers of two annotators. 0 in options: by their
 * ids, in any order, where both files have them: a text whose id the other file lacks is
 * ALCORE_E_DATA, an id that only the other file has a warning, each with the first five and the
 * count; by their lines where none has ids, or only one, of which a warning tells; both then have
 * to have the same number of records. A file some of whose records have ids, or that has an id
 * twice, is ALCORE_E_DATA. */
enum alcore_join {
    ALCORE_JOIN_LINE = 701, /**< by their lines, whatever their ids */
    ALCORE_JOIN_ID = 702    /**< by their ids; a file without ids is ALCORE_E_DATA */
};

/** How a file of records is read. Zero means default. */
typedef struct alcore_read_options {
    size_t size;       /**< sizeof(alcore_read_options) */
    int32_t format;    /**< ALCORE_FORMAT_*; 0: by the suffix */
    int32_t bad_lines; /**< ALCORE_BAD_LINES_*; 0: _ERROR */
    /** Borrowed. Column of the texts in TSV, CSV, JSONL and Arrow; NULL: the first of text, source,
     * src. Not read for text and SGML. */
    const char *text_column;
    /** Borrowed. Column of the references in TSV, CSV, JSONL and Arrow, which must be there; NULL:
     * the first of reference, target, translation, if there is one. ALCORE_E_DATA for text and
     * SGML, which have no columns. */
    const char *reference_column;
    /** Borrowed. For alcore_pool_read() only: a second file whose records are the references of
     * those in the first, as in the two files of a parallel corpus; `by` says which is
     * whose. Its suffix says its format; in TSV, CSV and JSONL the references are in its column
     * reference_column, or else in the one that a text has. NULL: the references are in the file
     * itself. */
    const char *references;
    /** Borrowed. For alcore_pool_read() only: the language of records that name none, for files of
     * one language such as a treebank; NULL: "unknown". */
    const char *language;
    /** Borrowed. ALCORE_FORMAT_SGML: the side that is read of a file with several, "src" (sources),
     * "ref" (references) or "hyp" (output of systems); NULL: that of translator or system, or the
     * only one. With `references` it is that of the texts; the references are those of translator
     * or of system, where side does not use it up, and with side "src" or "hyp" of side "ref". */
    const char *side;
    const char *translator; /**< borrowed; name of the references that are read; NULL: any */
    const char *system;     /**< borrowed; name of the hypotheses that are read; NULL: any */
    const char *domain;     /**< borrowed; only documents of that domain or genre; NULL: of all */
    /** ALCORE_ESCAPES_*; 0: as the first line says. _ON is ALCORE_E_PARAM for JSONL, CoNLL and
     * SGML */
    int32_t escapes;
    /** ALCORE_JOIN_*: what joins files that are read together; 0: their ids, or their lines */
    int32_t by;
} alcore_read_options;
/** An alcore_read_options with its size set and everything else 0. */
#define ALCORE_READ_OPTIONS_INIT ALCORE_INIT(alcore_read_options)

/** How a file is written. Zero means default; NULL for the struct: all defaults. */
typedef struct alcore_write_options {
    size_t size;      /**< sizeof(alcore_write_options) */
    int32_t format;   /**< ALCORE_FORMAT_*; 0: by the suffix */
    int32_t reserved; /**< pads: 0, checked */
} alcore_write_options;
/** An alcore_write_options with its size set and everything else 0. */
#define ALCORE_WRITE_OPTIONS_INIT ALCORE_INIT(alcore_write_options)

ALCORE_END

#endif
