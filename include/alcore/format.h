/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * File formats of records: what readers and writers of every noun are told. */
#ifndef ALCORE_FORMAT_H
#define ALCORE_FORMAT_H

#include "alcore/status.h"

ALCORE_BEGIN

/** File formats. */
enum {
    ALCORE_FORMAT_AUTO = 0,  /**< by the suffix: .txt .tsv .csv .jsonl, then .gz .xz .zst */
    ALCORE_FORMAT_TEXT = 1,  /**< one text per line, split on \n only */
    ALCORE_FORMAT_TSV = 2,   /**< a header line names the columns; no quoting; \t \n \\ escapes are undone */
    ALCORE_FORMAT_JSONL = 3, /**< one object per line: id, source or text, lang, reference, group, cost */
    ALCORE_FORMAT_CSV = 4    /**< written only: RFC 4180 with a BOM */
};

/** How a file of records is read. Zero means default. */
typedef struct alcore_read_options {
    size_t size;             /**< sizeof(alcore_read_options) */
    int32_t format;          /**< ALCORE_FORMAT_* */
    int32_t reserved;        /**< 0 */
    const char *text_column; /**< of TSV and JSONL; NULL: the first of text, source, src */
} alcore_read_options;
#define ALCORE_READ_OPTIONS_INIT ALCORE_INIT(alcore_read_options)

/** What ALCORE_READ_OPTIONS_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_read_options_init(alcore_read_options *options, size_t size);

ALCORE_END

#endif
