/* SPDX-License-Identifier: Apache-2.0 */
/* Adding rows from the caller's arrays and from files: records (text, id, reference, language,
 * group, cost of one row) are views of what they come from until pool_add.c copies them. All rows
 * of a call are added, or none. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/test_set_sides.h"
#include "pool/pool_references.h"

/* String i of an array of strings; *out_length is taken from lengths, or counted where that is
 * NULL. */
static const char *string_at(const char *const *strings, const size_t *lengths, int64_t i,
                             size_t *out_length) {
    const char *string = strings ? strings[i] : NULL;
    *out_length = !string ? 0 : lengths ? lengths[i] : strlen(string);
    return string;
}

/* Fills in record i from the caller's arrays; its strings are views of them. A NaN among
 * the costs is an error here; alcore_pool_set_costs() reads it as no cost. */
static alcore_status record_at(const alcore_records *records, int64_t i, alcore__record *out) {
    *out = (alcore__record){0};
    out->text = string_at(records->texts, records->text_lengths, i, &out->text_length);
    out->id = string_at(records->ids, records->id_lengths, i, &out->id_length);
    out->reference =
        string_at(records->references, records->reference_lengths, i, &out->reference_length);
    out->language = string_at(records->languages, NULL, i, &out->language_length);
    out->group = string_at(records->groups, NULL, i, &out->group_length);
    out->cost = records->costs ? records->costs[i] : NAN;
    if (records->costs && isnan(out->cost))
        return alcore__fail(ALCORE_E_DATA, "the cost is NaN; expected a number >= 0");
    return ALCORE_OK;
}

/* Adds all records of the caller's arrays, 64 at a time. A failure names the row that it would have
 * been; the caller ends the addition with it. */
static alcore_status add_all(alcore__pool_add *add, const alcore_records *records) {
    alcore__record batch[64];
    for (int64_t i = 0; i < records->count;) {
        int64_t count = 0;
        for (; count < 64 && i < records->count; count++, i++) {
            alcore_status status = record_at(records, i, &batch[count]);
            if (status != ALCORE_OK)
                return alcore__fail_within(status, "row %" PRId64, add->pool->rows + i);
        }
        ALCORE__TRY(alcore__pool_add_records(add, batch, count, records->count - i));
    }
    return ALCORE_OK;
}

/* Adds all records or none; *out_first: the row of the first (NULL: not wanted). The pool is locked
 * for writing. */
static alcore_status add_from_memory(alcore_pool *pool, const alcore_records *records,
                                     int64_t *out_first) {
    alcore__pool_add add;
    if (records->count < 0 || (records->count > 0 && !records->texts))
        return alcore__fail(ALCORE_E_INVALID, "%" PRId64 " texts at %p", records->count,
                            (const void *)records->texts);
    const int64_t first = pool->rows;
    alcore__pool_add_begin(&add, pool, NULL /* no file */);
    ALCORE__TRY(alcore__pool_add_end(&add, add_all(&add, records)));
    if (out_first) *out_first = first;
    return ALCORE_OK;
}

alcore_status alcore_pool_add_texts(alcore_pool *pool, const char *const *texts,
                                    const size_t *lengths, int64_t count, int64_t *out_first) {
    const alcore_records records = {
        .size = sizeof records, .texts = texts, .count = count, .text_lengths = lengths};
    if (out_first) *out_first = 0;
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    return alcore__pool_change_end(pool, add_from_memory(pool, &records, out_first));
}

/* Reads the caller's struct, which may be of an older header, then adds its records. */
alcore_status alcore_pool_add_records(alcore_pool *pool, const alcore_records *records,
                                      int64_t *out_first) {
    alcore_records ours;
    if (out_first) *out_first = 0;
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    alcore_status status = alcore__struct_read(
        &ours, sizeof ours, ALCORE__FIRST_SIZE(alcore_records, costs), records, "alcore_records");
    if (status == ALCORE_OK) status = add_from_memory(pool, &ours, out_first);
    return alcore__pool_change_end(pool, status);
}

/* One reading of a file. */
typedef struct file_reading {
    alcore__pool_add add;
    alcore__id_use ids; /* of the texts */
} file_reading;

/* Called by the reader of files with each batch of parsed records, views of its buffers; expected:
 * about how many will follow. */
static alcore_status add_parsed(void *user, const alcore__record *records, int64_t count,
                                int64_t expected) {
    file_reading *reading = user;
    for (int64_t i = 0; i < count; i++) alcore__id_use_note(&reading->ids, &records[i]);
    return alcore__pool_add_records(&reading->add, records, count, expected);
}

/* Adds all records of a file or none, with the references of a second one where the options name
 * it; with BAD_LINES_MASK malformed lines become masked rows. */
static alcore_status read_file(alcore_pool *pool, const char *path,
                               const alcore_read_options *theirs) {
    alcore_read_options ours;
    file_reading reading = {.ids.path = path};
    alcore__pool_add *add = &reading.add;
    if (!path) return alcore__fail(ALCORE_E_INVALID, "path is NULL");
    ALCORE__TRY(alcore__struct_read(&ours, sizeof ours,
                                    ALCORE__FIRST_SIZE(alcore_read_options, text_column), theirs,
                                    "alcore_read_options"));
    ours.bad_lines = alcore__or_default(ours.bad_lines, ALCORE_BAD_LINES_ERROR);
    if (ours.bad_lines != ALCORE_BAD_LINES_ERROR && ours.bad_lines != ALCORE_BAD_LINES_MASK)
        return alcore__fail(ALCORE_E_INVALID, "bad_lines is %d; expected ALCORE_BAD_LINES_*",
                            ours.bad_lines);
    ALCORE__TRY(alcore__join_check(ours.by));
    if (ours.by != 0 && !ours.references)
        return alcore__fail(ALCORE_E_INVALID, "by joins texts and references, and no file of "
                                              "references is named");
    if (ours.references && strcmp(path, "-") == 0 && strcmp(ours.references, "-") == 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "texts and references cannot both come from standard input");
    alcore__pool_add_begin(add, pool, path);
    add->mask_bad = ours.bad_lines == ALCORE_BAD_LINES_MASK;
    add->joined = ours.references && ours.by != ALCORE_JOIN_LINE;
    alcore_read_options of_texts = ours, of_references = ALCORE_READ_OPTIONS_INIT;
    alcore_status status = ALCORE_OK;
    if (ours.references) {
        of_texts.reference_column = NULL; /* it is one of the second file */
        of_references.text_column = ours.reference_column;
        of_references.bad_lines = ours.bad_lines;
        of_references.escapes = ours.escapes;
        of_references.by = ours.by;
        status = alcore__sides_split(&ours, alcore__is_test_set(path, &of_texts),
                                     alcore__is_test_set(ours.references, &of_references),
                                     &of_texts, &of_references);
    }
    if (status == ALCORE_OK)
        status = alcore__read_records(pool->object.ctx, path, &of_texts, pool->max_text_bytes,
                                      add_parsed, &reading);
    if (status == ALCORE_OK && ours.references)
        status = alcore__pool_read_references(add, &reading.ids, ours.references, &of_references);
    return alcore__pool_add_end(add, status);
}

alcore_status alcore_pool_read(alcore_pool *pool, const char *path,
                               const alcore_read_options *options) {
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    return alcore__pool_change_end(pool, read_file(pool, path, options));
}
