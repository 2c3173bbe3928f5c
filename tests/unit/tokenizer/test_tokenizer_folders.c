/* SPDX-License-Identifier: Apache-2.0 */
/* Every folder of tests/tokenizer/fixtures against what PyPI's tokenizers, sentencepiece and
 * transformers made of the same texts: ids, spans, types, special tokens, beginnings of words, and
 * decoded texts; with 1, 2 and 8 threads. tests/tokenizer/make_fixtures.py describes the files. */
#include "alcore/extra/tokenizer.h"
#include "check_suite.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "alcore/sys/model.h"
#include "formats/byte_stream.h"
#include "tokenizer/encoding.h"

enum { MOST_FOLDERS = 64, SHOWN = 12 };

/* A folder of the fixtures that is opened, and what is expected of it. */
typedef struct folder {
    char name[256];
    alcore_tokenizer *tokenizer;
    json_t *lines; /* array of the objects of expected.jsonl.xz */
} folder;

/* Several calls with the same options: encoded at once. */
typedef struct batch {
    alcore__encoding how;
    size_t first, count; /* lines */
    bool pairs;
} batch;

static alcore_ctx *context(int32_t threads) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.threads = threads;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    return ctx;
}

/* ---- the fixtures ---- */

static json_t *read_texts(void) {
    json_error_t error;
    json_t *texts = json_load_file(FIXTURES "/texts.json", JSON_ALLOW_NUL, &error);
    ck_assert_msg(texts && json_array_size(texts) > 150, "texts.json: %s", error.text);
    return texts;
}

/* The lines of a folder's expected.jsonl.xz as an array. */
static json_t *read_expected(alcore_ctx *ctx, const char *path) {
    alcore__byte_stream *stream;
    alcore__buffer text = {0};
    size_t got = 1;
    ck_assert_msg(alcore__stream_open(ctx, path, &stream) == ALCORE_OK, "%s", alcore_last_error());
    while (got > 0) {
        ck_assert_int_eq(alcore__buffer_reserve(ctx, &text, 1 << 16), ALCORE_OK);
        ck_assert_msg(alcore__stream_read(stream, text.data + text.length, 1 << 16, &got) ==
                          ALCORE_OK,
                      "%s", alcore_last_error());
        text.length += got;
    }
    alcore__stream_close(stream);
    json_t *lines = json_array();
    for (size_t start = 0; start < text.length;) {
        const char *end = memchr(text.data + start, '\n', text.length - start);
        json_error_t error;
        ck_assert_msg(end, "%s ends within a line", path);
        json_t *line = json_loadb(text.data + start, (size_t)(end - text.data) - start,
                                  JSON_ALLOW_NUL, &error);
        ck_assert_msg(line, "%s: %s", path, error.text);
        json_array_append_new(lines, line);
        start = (size_t)(end - text.data) + 1;
    }
    alcore__buffer_clear(ctx, &text);
    ck_assert_uint_gt(json_array_size(lines), 150);
    return lines;
}

/* Opens the folders: *count of them. */
static void open_folders(alcore_ctx *ctx, folder *folders, size_t *count) {
    DIR *directory = opendir(FIXTURES);
    ck_assert_ptr_nonnull(directory);
    *count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        char path[512];
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.')) continue;
        ck_assert_uint_lt(*count, MOST_FOLDERS);
        folder *one = &folders[*count];
        snprintf(one->name, sizeof one->name, "%s", entry->d_name);
        snprintf(path, sizeof path, FIXTURES "/%s", one->name);
        const alcore_status status = alcore_tokenizer_open(ctx, path, &one->tokenizer);
        ck_assert_msg(status == ALCORE_OK, "%s: %s", one->name, alcore_last_error());
        snprintf(path, sizeof path, FIXTURES "/%s/expected.jsonl.xz", one->name);
        one->lines = read_expected(ctx, path);
        ++*count;
    }
    closedir(directory);
    ck_assert_uint_gt(*count, 20);
}

static void close_folders(folder *folders, size_t count) {
    for (size_t i = 0; i < count; i++) {
        alcore_tokenizer_unref(folders[i].tokenizer);
        json_decref(folders[i].lines);
    }
}

static int64_t integer(const json_t *line, const char *key) {
    return (int64_t)json_integer_value(json_object_get(line, key));
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The options of a line. */
static batch options_of(const json_t *line) {
    return (batch){
        .how = {.max_tokens = integer(line, "max_tokens"),
                .without_special = json_is_true(json_object_get(line, "without_special")),
                .as_target = json_is_true(json_object_get(line, "as_target")),
                .language = json_string_value(json_object_get(line, "language"))},
        .count = 1,
        .pairs = json_object_get(line, "pair") != NULL,
    };
}

/* The longest batch that begins at a line. */
static batch batch_at(const json_t *lines, size_t first) {
    batch out = options_of(json_array_get(lines, first));
    out.first = first;
    while (first + out.count < json_array_size(lines)) {
        const batch next = options_of(json_array_get(lines, first + out.count));
        if (next.pairs != out.pairs || next.how.max_tokens != out.how.max_tokens ||
            next.how.without_special != out.how.without_special ||
            next.how.as_target != out.how.as_target ||
            !same_text(next.how.language, out.how.language))
            break;
        out.count++;
    }
    return out;
}

/* Encodes a batch; the tokens are appended to *out. False, with a message, where that failed. */
static bool encode(const folder *one, const json_t *texts, const batch *calls,
                   alcore__tokens *out) {
    const char **text[2];
    size_t *lengths[2];
    alcore__texts sides[2];
    for (int side = 0; side < 2; side++) {
        text[side] = calloc(calls->count, sizeof *text[side]);
        lengths[side] = calloc(calls->count, sizeof *lengths[side]);
        for (size_t i = 0; i < calls->count && side <= calls->pairs; i++) {
            const json_t *line = json_array_get(one->lines, calls->first + i);
            const json_t *value =
                json_array_get(texts, (size_t)integer(line, side == 0 ? "text" : "pair"));
            text[side][i] = json_string_value(value);
            lengths[side][i] = json_string_length(value);
        }
        sides[side] = (alcore__texts){text[side], lengths[side], (int64_t)calls->count};
    }
    const alcore_status status = alcore__tokenizer_encode(
        one->tokenizer, &sides[0], calls->pairs ? &sides[1] : NULL, &calls->how, out);
    if (status != ALCORE_OK)
        fprintf(stderr, "%s, line %zu: %s\n", one->name, calls->first + 1, alcore_last_error());
    for (int side = 0; side < 2; side++) {
        free(text[side]);
        free(lengths[side]);
    }
    return status == ALCORE_OK;
}

/* ---- comparison ---- */

static int64_t mismatches;

/* Counts a mismatch; the first ones are printed. what, got and expected name it. */
static void differ(const folder *one, const json_t *texts, const json_t *line, size_t position,
                   const char *what, long long got, long long expected) {
    if (++mismatches > SHOWN) return;
    char *text = json_dumps(json_array_get(texts, (size_t)integer(line, "text")),
                            JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    fprintf(stderr, "%s, text %lld %s%s: token %zu: %s %lld where %lld was expected\n", one->name,
            (long long)integer(line, "text"), text,
            json_object_get(line, "pair") ? " and its pair" : "", position, what, got, expected);
    free(text);
}

static void compare_line(const folder *one, const json_t *texts, const json_t *line,
                         const alcore__tokens *got, int64_t index) {
    const json_t *ids = json_object_get(line, "ids"), *spans = json_object_get(line, "spans");
    const char *marks = json_string_value(json_object_get(line, "marks"));
    const int64_t first = got->offsets[index];
    const size_t count = (size_t)(got->offsets[index + 1] - first);
    if (count != json_array_size(ids))
        differ(one, texts, line, count, "tokens:", (long long)count,
               (long long)json_array_size(ids));
    for (size_t i = 0; i < count && i < json_array_size(ids); i++) {
        const int64_t at = first + (int64_t)i, before = mismatches;
        const int64_t id = json_integer_value(json_array_get(ids, i));
        if (got->ids[at] != id) differ(one, texts, line, i, "id", got->ids[at], id);
        for (size_t end = 0; end < 2 && spans; end++) {
            const int64_t byte = json_integer_value(json_array_get(spans, 2 * i + end));
            if (got->spans[2 * at + (int64_t)end] != byte)
                differ(one, texts, line, i, end ? "end of span" : "begin of span",
                       got->spans[2 * at + (int64_t)end], byte);
        }
        const bool special = got->marks[at] & ALCORE_SYS_TOKEN_SPECIAL;
        const bool word = got->marks[at] & ALCORE_SYS_TOKEN_WORD;
        if (special != (marks[i] == 's' || marks[i] == 'S'))
            differ(one, texts, line, i, "special mark", special, !special);
        if (spans && word != (marks[i] == 'w' || marks[i] == 'W'))
            differ(one, texts, line, i, "word mark", word, !word);
        const int64_t type = marks[i] == 'S' || marks[i] == 'W' || marks[i] == '+';
        if (got->types[at] != type) differ(one, texts, line, i, "type", got->types[at], type);
        if (mismatches > before) break; /* what follows is likely shifted */
    }
}

/* Encodes every call of every folder with so many threads and compares. */
static void compare_folders(int32_t threads) {
    alcore_ctx *ctx = context(threads);
    folder folders[MOST_FOLDERS];
    size_t count;
    json_t *texts = read_texts();
    open_folders(ctx, folders, &count);
    mismatches = 0;
    for (size_t f = 0; f < count; f++) {
        const int64_t before = mismatches;
        for (size_t at = 0; at < json_array_size(folders[f].lines);) {
            const batch calls = batch_at(folders[f].lines, at);
            alcore__tokens got = {0};
            const bool encoded = encode(&folders[f], texts, &calls, &got);
            ck_assert_int_eq(got.count, encoded ? (int64_t)calls.count : 0);
            mismatches += !encoded;
            for (size_t i = 0; i < calls.count && encoded; i++)
                compare_line(&folders[f], texts, json_array_get(folders[f].lines, at + i), &got,
                             (int64_t)i);
            alcore__tokens_clear(ctx, &got);
            at += calls.count;
        }
        if (mismatches > before)
            fprintf(stderr, "%s: %lld mismatches\n", folders[f].name,
                    (long long)(mismatches - before));
    }
    close_folders(folders, count);
    json_decref(texts);
    alcore_ctx_unref(ctx);
    ck_assert_msg(mismatches == 0, "%lld mismatches (above)", (long long)mismatches);
}

START_TEST(ids_spans_types_and_marks_are_those_of_the_references) {
    compare_folders(1);
}
END_TEST

START_TEST(two_and_eight_threads_give_the_same) {
    compare_folders(2);
    compare_folders(8);
}
END_TEST

START_TEST(decoded_texts_are_those_of_the_references) {
    static const char *const keys[] = {"plain", "full"};
    alcore_ctx *ctx = context(1);
    folder folders[MOST_FOLDERS];
    size_t count;
    int64_t decoded = 0, wrong = 0;
    open_folders(ctx, folders, &count);
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < json_array_size(folders[f].lines); i++) {
            const json_t *line = json_array_get(folders[f].lines, i);
            const json_t *ids = json_object_get(line, "ids");
            for (int full = 0; full < 2; full++) {
                const json_t *expected = json_object_get(line, keys[full]);
                if (!expected) continue;
                int64_t *values = calloc(json_array_size(ids) + 1, sizeof *values);
                for (size_t k = 0; k < json_array_size(ids); k++)
                    values[k] = json_integer_value(json_array_get(ids, k));
                alcore__buffer text = {0};
                const alcore_status status = alcore__tokenizer_decode(
                    folders[f].tokenizer, values, (int64_t)json_array_size(ids), full, &text);
                ck_assert_msg(status == ALCORE_OK, "%s: %s", folders[f].name, alcore_last_error());
                decoded++;
                if (text.length != json_string_length(expected) ||
                    (text.length > 0 &&
                     memcmp(text.data, json_string_value(expected), text.length) != 0)) {
                    if (++wrong <= SHOWN) {
                        char *shown = json_dumps(expected, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
                        fprintf(stderr,
                                "%s, text %lld decoded %s: \"%.*s\" where %s was expected\n",
                                folders[f].name, (long long)integer(line, "text"), keys[full],
                                (int)text.length, text.data ? text.data : "", shown);
                        free(shown);
                    }
                }
                alcore__buffer_clear(ctx, &text);
                free(values);
            }
        }
    }
    close_folders(folders, count);
    alcore_ctx_unref(ctx);
    ck_assert_int_gt(decoded, 1000);
    ck_assert_msg(wrong == 0, "%lld of %lld decoded texts (above)", (long long)wrong,
                  (long long)decoded);
}
END_TEST

/* Bytes that are no UTF-8 are read as U+FFFD: the ids are those of the text with U+FFFD, and the
 * spans are of the bytes that were there. */
START_TEST(bytes_that_are_not_utf8_are_read_as_replacement_characters) {
    static const struct {
        const char *bytes, *clean; /* clean: the same with U+FFFD */
        size_t length;
    } cases[] = {{"a\xff"
                  "b",
                  "a\xef\xbf\xbd"
                  "b",
                  3},
                 {"\x80", "\xef\xbf\xbd", 1},
                 {"ab \xc3", "ab \xef\xbf\xbd", 4},
                 {"\xe4\xb8\xad \xfe the", "\xe4\xb8\xad \xef\xbf\xbd the", 9}};
    alcore_ctx *ctx = context(1);
    folder folders[MOST_FOLDERS];
    size_t count;
    open_folders(ctx, folders, &count);
    for (size_t f = 0; f < count; f++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const size_t lengths[] = {cases[i].length, strlen(cases[i].clean)};
            const char *const both[] = {cases[i].bytes, cases[i].clean};
            const alcore__texts texts = {both, lengths, 2};
            const alcore__encoding how = {0};
            alcore__tokens got = {0};
            ck_assert_msg(alcore__tokenizer_encode(folders[f].tokenizer, &texts, NULL, &how,
                                                   &got) == ALCORE_OK,
                          "%s: %s", folders[f].name, alcore_last_error());
            const int64_t tokens = got.offsets[1];
            ck_assert_msg(got.offsets[2] == 2 * tokens, "%s, case %zu: %lld and %lld tokens",
                          folders[f].name, i, (long long)tokens,
                          (long long)(got.offsets[2] - tokens));
            for (int64_t k = 0; k < tokens; k++) {
                ck_assert_msg(got.ids[k] == got.ids[tokens + k], "%s, case %zu, token %lld",
                              folders[f].name, i, (long long)k);
                ck_assert_msg(got.spans[2 * k] >= 0 && got.spans[2 * k] <= got.spans[2 * k + 1] &&
                                  got.spans[2 * k + 1] <= (int64_t)cases[i].length,
                              "%s, case %zu, token %lld: span %lld to %lld", folders[f].name, i,
                              (long long)k, (long long)got.spans[2 * k],
                              (long long)got.spans[2 * k + 1]);
            }
            alcore__tokens_clear(ctx, &got);
        }
    }
    close_folders(folders, count);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("tokenizer folders", ids_spans_types_and_marks_are_those_of_the_references,
            two_and_eight_threads_give_the_same, decoded_texts_are_those_of_the_references,
            bytes_that_are_not_utf8_are_read_as_replacement_characters);
