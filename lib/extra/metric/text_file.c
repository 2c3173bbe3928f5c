/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records of one file in order or by their ids (text_file.h). */
#include "extra/metric/text_file.h"

#include <string.h>

#include "text/utf8.h"

#define MAX_LINE_BYTES ((int64_t)64 << 20)

/* Where a text that was passed is. */
typedef struct alcore__kept_text {
    size_t begin, length; /* bytes of alcore__text_file.kept */
    bool asked;           /* it was asked for: nothing is kept of it */
} alcore__kept_text;

alcore_status alcore__text_file_open(alcore_ctx *ctx, alcore__text_file *file) {
    bool more;
    file->at = file->count = 0; /* of a reader before, which was closed */
    ALCORE__TRY(
        alcore__record_reader_open(ctx, file->path, &file->options, MAX_LINE_BYTES, &file->reader));
    ALCORE__TRY(alcore__text_file_next(file, &more));
    file->ids = (alcore__id_use){.path = file->path};
    for (int64_t i = 0; i < file->count; i++) alcore__id_use_note(&file->ids, &file->records[i]);
    return ALCORE_OK;
}

void alcore__text_file_close(alcore_ctx *ctx, alcore__text_file *file) {
    alcore__record_reader_close(file->reader);
    alcore__buffer_clear(ctx, &file->bytes);
    alcore__buffer_clear(ctx, &file->kept);
    alcore__id_list_clear(ctx, &file->list);
    alcore__free(ctx, file->places);
}

alcore_status alcore__text_file_next(alcore__text_file *file, bool *more) {
    if (file->at == file->count) {
        file->at = 0;
        ALCORE__TRY(alcore__record_reader_next(file->reader, &file->records, &file->count));
    }
    *more = file->count > 0;
    return ALCORE_OK;
}

/* Copies a text, which becomes text `index` of the block. */
static alcore_status copy_text(alcore_ctx *ctx, alcore__text_file *file, const char *text,
                               size_t length, int64_t line, int64_t index) {
    ALCORE__TRY(alcore__buffer_append(ctx, &file->bytes, text, length));
    file->length[index] = length;
    file->line[index] = line;
    file->texts++;
    return ALCORE_OK;
}

/* ALCORE_E_DATA for a text that is not UTF-8. */
static alcore_status check_text(const alcore__text_file *file, const alcore__record *record) {
    const size_t valid = alcore__utf8_check(record->text, record->text_length);
    if (valid == record->text_length) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s:%lld: the text is not valid UTF-8 at byte %zu",
                        file->path, (long long)record->line, valid);
}

alcore_status alcore__text_file_copy(alcore_ctx *ctx, alcore__text_file *file, int64_t index) {
    const alcore__record *record = &file->records[file->at++];
    ALCORE__TRY(check_text(file, record));
    return copy_text(ctx, file, record->text, record->text_length, record->line, index);
}

/* Adds the id of the record at file->at to the list; *out: its number. Every record has an id. */
static alcore_status list_record(alcore_ctx *ctx, alcore__text_file *file, uint32_t *out) {
    const alcore__record *record = &file->records[file->at];
    alcore__id_use_note(&file->ids, record);
    ALCORE__TRY(alcore__id_use_check(&file->ids));
    ALCORE__TRY(alcore__id_list_add(ctx, &file->list, file->path, record, out));
    ALCORE__TRY(alcore__grow(ctx, &file->places, &file->places_capacity, (size_t)*out + 1,
                             sizeof *file->places));
    file->places[*out] = (alcore__kept_text){.asked = true};
    return check_text(file, record);
}

/* Keeps the text of the record at file->at, which has a number. */
static alcore_status keep_record(alcore_ctx *ctx, alcore__text_file *file, uint32_t number) {
    const alcore__record *record = &file->records[file->at];
    file->places[number] = (alcore__kept_text){file->kept.length, record->text_length, false};
    return alcore__buffer_append(ctx, &file->kept, record->text, record->text_length);
}

/* Moves on from the record at file->at, which has the id that is looked for, *found, or is kept.
 * A line that was masked is passed over. */
static alcore_status pass_record(alcore_ctx *ctx, alcore__text_file *file, const char *id,
                                 size_t length, int64_t index, bool *found) {
    const alcore__record *record = &file->records[file->at];
    uint32_t number;
    if (record->malformed) {
        file->tally.excused++;
        file->at++;
        return ALCORE_OK;
    }
    ALCORE__TRY(list_record(ctx, file, &number));
    *found = id && record->id_length == length && memcmp(record->id, id, length) == 0;
    if (*found) return alcore__text_file_copy(ctx, file, index);
    ALCORE__TRY(keep_record(ctx, file, number));
    file->at++;
    return ALCORE_OK;
}

alcore_status alcore__text_file_find(alcore_ctx *ctx, alcore__text_file *file, const char *id,
                                     size_t length, int64_t index, bool *found) {
    const uint32_t number = alcore__vocabulary_find(&file->list.ids, id, length);
    *found = number != ALCORE__WORD_NONE;
    if (*found) {
        alcore__kept_text *place = &file->places[number];
        place->asked = true;
        return copy_text(ctx, file, file->kept.data ? file->kept.data + place->begin : "",
                         place->length, file->list.lines[number], index);
    }
    for (bool more = true; !*found;) {
        ALCORE__TRY(alcore__text_file_next(file, &more));
        if (!more) break;
        ALCORE__TRY(pass_record(ctx, file, id, length, index, found));
    }
    return ALCORE_OK;
}

alcore_status alcore__text_file_drain(alcore_ctx *ctx, alcore__text_file *file) {
    bool more, found = false;
    for (;;) {
        ALCORE__TRY(alcore__text_file_next(file, &more));
        if (!more) break;
        ALCORE__TRY(pass_record(ctx, file, NULL, 0, 0, &found));
    }
    for (uint32_t i = 0; i < file->list.ids.count; i++) {
        size_t length;
        if (file->places[i].asked) continue;
        const char *id = alcore__vocabulary_word(&file->list.ids, i, &length);
        alcore__some_ids_add(&file->tally.spare, id, length);
    }
    return ALCORE_OK;
}
