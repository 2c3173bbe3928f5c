/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a tool's JSON file and their members (tool_record.h). */
#include "extra/tool/tool_record.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "formats/json_stream.h"
#include "text/iso_time.h"
#include "text/utf8.h"

enum { MAX_DEPTH = 64 }; /* of nested objects and lists */

/* Reads one record of text [length]. Where it is malformed, it is refused. */
static alcore_status read_record(alcore__tool_record *record, char *text, size_t length,
                                 alcore__tool_record_reader read) {
    const size_t good = alcore__utf8_check(text, length);
    if (good < length)
        return alcore__tool_record_refuse(record, "byte %zu of the record is not UTF-8", good + 1);
    alcore__json_begin(&record->json, text, length, MAX_DEPTH);
    alcore__json check = record->json;
    if (!alcore__json_skip(&check) || !alcore__json_end(&check))
        return alcore__tool_record_refuse(record, "byte %zu of the record: %s",
                                          (size_t)(check.next - check.begin) + 1, check.error);
    if (alcore__json_kind(&record->json) != '{')
        return alcore__tool_record_refuse(record, "the record is no object");
    return read(record);
}

/* What is given the members beside the list. */
typedef struct head_reading {
    alcore__tool_record *record;
    alcore__tool_head_reader read;
    const alcore__json_stream *values;
} head_reading;

/* alcore__json_stream_head: a member that is malformed ends the reading. */
static alcore_status read_head(void *user, const char *name, char *text, size_t length) {
    const head_reading *self = user;
    const size_t good = alcore__utf8_check(text, length);
    alcore__json *json = &self->record->json;
    alcore__json_begin(json, text, length, MAX_DEPTH);
    alcore__json check = *json;
    if (good < length || !alcore__json_skip(&check) || !alcore__json_end(&check))
        return alcore__json_stream_fail(self->values, "the member \"%s\" is malformed", name);
    return self->read(self->record, name);
}

/* What a file without a byte is: of a tool that writes lines, one with none of them yet, which is
 * told; else no JSON. */
static alcore_status check_blank(alcore_ctx *ctx, const char *path, bool lines) {
    if (!lines)
        return alcore__fail(ALCORE_E_DATA, "%s is empty; JSON with a list of records is expected",
                            path);
    alcore__log(ctx, ALCORE_LOG_WARN, "tool", NULL, "%s is empty: it has no record", path);
    return ALCORE_OK;
}

/* Reads a file; lines: it may be empty. */
static alcore_status read_all(alcore_ctx *ctx, const char *path, const char *member, bool lines,
                              const alcore_tool_options *options, alcore_tool_answers *into,
                              alcore__tool_head_reader head, alcore__tool_record_reader read,
                              void *user) {
    alcore__tool_record record = {.ctx = ctx, .options = options, .into = into, .user = user};
    alcore__json_stream values;
    char *text = NULL;
    size_t length = 0;
    alcore_status status = alcore__json_stream_open(&values, ctx, path, member);
    head_reading reading = {&record, head, &values};
    values.head = head ? read_head : NULL;
    values.user = &reading;
    while (status == ALCORE_OK) {
        status = alcore__json_stream_next(&values, &text, &length);
        if (status != ALCORE_OK || !text) break;
        record.answer.line = values.line;
        status = read_record(&record, text, length, read);
        alcore__arena_clear(ctx, &record.strings);
    }
    if (status == ALCORE_OK && values.blank) status = check_blank(ctx, path, lines);
    alcore__json_stream_close(&values);
    alcore__tool_record_clear(&record);
    return status;
}

alcore_status alcore__tool_read_records(alcore_ctx *ctx, const char *path, const char *member,
                                        const alcore_tool_options *options,
                                        alcore_tool_answers *into,
                                        alcore__tool_record_reader read) {
    return read_all(ctx, path, member, false, options, into, NULL, read, NULL);
}

alcore_status alcore__tool_read_lines(alcore_ctx *ctx, const char *path,
                                      const alcore_tool_options *options, alcore_tool_answers *into,
                                      alcore__tool_record_reader read) {
    return read_all(ctx, path, NULL, true, options, into, NULL, read, NULL);
}

alcore_status alcore__tool_read_document(alcore_ctx *ctx, const char *path, const char *member,
                                         const alcore_tool_options *options,
                                         alcore_tool_answers *into, alcore__tool_head_reader head,
                                         alcore__tool_record_reader read, void *user) {
    return read_all(ctx, path, member, false, options, into, head, read, user);
}

void alcore__tool_record_clear(alcore__tool_record *record) {
    alcore__arena_clear(record->ctx, &record->strings);
    alcore__buffer_clear(record->ctx, &record->labels);
    alcore__free(record->ctx, record->spans);
    alcore__span_text_clear(record->ctx, &record->text);
}

alcore_status alcore__tool_record_refuse(alcore__tool_record *record, const char *format, ...) {
    char reason[ALCORE__TEXT_BYTES];
    va_list args;
    va_start(args, format);
    alcore__format_v(reason, sizeof reason, format, args);
    va_end(args);
    return alcore__tool_answers_refuse(record->into, record->answer.line, "%s", reason);
}

/* ---- members ---- */

bool alcore__tool_member(const alcore__json *object, const char *name, alcore__json *out) {
    alcore__json copy = *object;
    return alcore__json_kind(&copy) == '{' && alcore__json_find(object, name, out) &&
           alcore__json_kind(out) != 'n';
}

/* The copy is made before escapes are undone, which changes the text. */
alcore_status alcore__tool_string(alcore__tool_record *record, const alcore__json *at,
                                  const char **out) {
    alcore__json copy = *at, value;
    const char kind = alcore__json_kind(&copy);
    *out = NULL;
    if (kind != '"' && kind != '0') return ALCORE_OK;
    char *begin = copy.next, *text = NULL;
    alcore__json_skip(&copy);
    size_t length = (size_t)(copy.next - begin);
    char *kept;
    ALCORE__TRY(alcore__arena_text(record->ctx, &record->strings, begin, length, &kept));
    alcore__json_begin(&value, kept, length, 1);
    if (kind == '"')
        alcore__json_string(&value, &text, &length);
    else
        alcore__json_number(&value, &text, &length);
    text[length] = '\0';
    *out = text;
    return ALCORE_OK;
}

alcore_status alcore__tool_member_string(alcore__tool_record *record, const alcore__json *object,
                                         const char *name, const char **out) {
    alcore__json at;
    *out = NULL;
    return alcore__tool_member(object, name, &at) ? alcore__tool_string(record, &at, out)
                                                  : ALCORE_OK;
}

double alcore__tool_number_at(const alcore__json *at) {
    alcore__json copy = *at;
    char *text;
    size_t length;
    double number;
    if (alcore__json_kind(&copy) != '0' || !alcore__json_number(&copy, &text, &length))
        return (double)NAN;
    return alcore__parse_double(text, length, &number) ? number : (double)NAN;
}

double alcore__tool_member_number(const alcore__json *object, const char *name) {
    alcore__json at;
    return alcore__tool_member(object, name, &at) ? alcore__tool_number_at(&at) : (double)NAN;
}

bool alcore__tool_member_true(const alcore__json *object, const char *name) {
    alcore__json at;
    return alcore__tool_member(object, name, &at) && alcore__json_kind(&at) == 't';
}

alcore_status alcore__tool_time(alcore__tool_record *record, double seconds, const char **out) {
    char text[ALCORE__ISO_TIME_BYTES];
    *out = NULL;
    if (!(seconds >= 0 && seconds < 1e15) || !alcore__iso_time_print((int64_t)seconds, text))
        return ALCORE_OK;
    return alcore__arena_text(record->ctx, &record->strings, text, strlen(text), out);
}
