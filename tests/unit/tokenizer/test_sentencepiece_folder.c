/* SPDX-License-Identifier: Apache-2.0 */
/* Folders with sentencepiece models and no tokenizer.json: ids and texts of the package
 * transformers (tests/tokenizer/folder_vectors.py), languages, and folders that are refused. */
#include "alcore/extra/tokenizer.h"
#include "check_suite.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check_status.h"
#include "fault_allocator.h"
#include "formats/json_scan.h"
#include "tokenizer/encoding.h"

/* The folder of the folders. */
static const char *root(void) {
    static char name[64];
    snprintf(name, sizeof name, "/tmp/alcore-sentencepiece.%ld", (long)getpid());
    return name;
}

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", root(), name);
    return path;
}

/* Writes FOLDER/NAME; the folder is made. */
static void write_file(const char *name, const void *data, size_t length) {
    char folder[256];
    snprintf(folder, sizeof folder, "%s", path_of(name));
    *strrchr(folder, '/') = 0;
    mkdir(root(), 0700);
    mkdir(folder, 0700);
    FILE *file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, length, file), length);
    fclose(file);
}

/* The files that the vectors write. */
static void remove_files(void) {
    static const char *const names[] = {"XLMRoberta/sentencepiece.bpe.model",
                                        "XLMRoberta/tokenizer_config.json",
                                        "XLMRoberta",
                                        "MBart/sentencepiece.bpe.model",
                                        "MBart/tokenizer_config.json",
                                        "MBart",
                                        "MBart50/sentencepiece.bpe.model",
                                        "MBart50/tokenizer_config.json",
                                        "MBart50",
                                        "T5/spiece.model",
                                        "T5/tokenizer_config.json",
                                        "T5/config.json",
                                        "T5",
                                        "Marian/source.spm",
                                        "Marian/target.spm",
                                        "Marian/vocab.json",
                                        "Marian/tokenizer_config.json",
                                        "Marian"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(names[i]));
    remove(root());
}

/* Splits a line at its tabs into at most 5 cells; returns how many there are. */
static int split(char *line, char **cells) {
    int count = 0;
    line[strcspn(line, "\n")] = 0;
    for (char *cell = line; cell && count < 5; count++) {
        cells[count] = cell;
        cell = strchr(cell, '\t');
        if (cell) *cell++ = 0;
    }
    return count;
}

static void write_hex(const char *name, const char *hex) {
    static unsigned char data[65536];
    const size_t length = strlen(hex) / 2;
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &value), 1);
        data[i] = (unsigned char)value;
    }
    write_file(name, data, length);
}

/* The text of a JSON string, terminated, in place. */
static char *text_of(char *json_text) {
    alcore__json json;
    char *text;
    size_t length;
    alcore__json_begin(&json, json_text, strlen(json_text), 4);
    ck_assert(alcore__json_string(&json, &text, &length));
    text[length] = 0;
    return text;
}

/* Whether a text has these ids; *tokens are its tokens. */
static void assert_ids(alcore_tokenizer *tokenizer, const char *text, const alcore__encoding *how,
                       const char *expected, alcore__tokens *tokens) {
    const alcore__texts texts = {&text, NULL, 1};
    char shown[2048] = "";
    size_t length = 0;
    ck_assert_ok(alcore__tokenizer_encode(tokenizer, &texts, NULL, how, tokens));
    for (int64_t i = 0; i < tokens->offsets[1]; i++)
        length += (size_t)snprintf(shown + length, sizeof shown - length, "%s%lld", i ? " " : "",
                                   (long long)tokens->ids[i]);
    ck_assert_msg(strcmp(shown, expected) == 0, "%s: %s instead of %s", text, shown, expected);
}

/* A line of the vectors: name, text, decoded text, ids, and ids as a target. */
static void assert_case(alcore_ctx *ctx, alcore_tokenizer *tokenizer, char **cells, int count) {
    const char *text = text_of(cells[1]), *decoded = text_of(cells[2]);
    const alcore__encoding plain = {0}, target = {.as_target = true};
    alcore__tokens tokens = {0};
    alcore__buffer out = {0};
    assert_ids(tokenizer, text, &plain, cells[3], &tokens);
    ck_assert_ok(alcore__tokenizer_decode(tokenizer, tokens.ids, tokens.offsets[1], false, &out));
    ck_assert_msg(strcmp(out.data ? out.data : "", decoded) == 0, "%s: \"%s\" instead of \"%s\"",
                  text, out.data, decoded);
    alcore__tokens_clear(ctx, &tokens);
    if (count == 5) {
        assert_ids(tokenizer, text, &target, cells[4], &tokens);
        alcore__tokens_clear(ctx, &tokens);
    }
    alcore__buffer_clear(ctx, &out);
}

/* Goes over the vectors: files are written, and cases are checked where ctx is not NULL. Returns
 * the number of cases. */
static int walk(alcore_ctx *ctx) {
    static char line[65536];
    char open_name[64] = "", *cells[5];
    alcore_tokenizer *tokenizer = NULL;
    int cases = 0;
    FILE *file = fopen(FOLDER_VECTORS, "r");
    ck_assert_msg(file, "no file %s", FOLDER_VECTORS);
    while (fgets(line, sizeof line, file)) {
        const int count = split(line, cells);
        if (strcmp(cells[0], "file") == 0) {
            write_hex(cells[1], cells[2]);
            continue;
        }
        if (!ctx) continue;
        if (strcmp(open_name, cells[0]) != 0) {
            snprintf(open_name, sizeof open_name, "%.63s", cells[0]);
            alcore_tokenizer_unref(tokenizer);
            ck_assert_ok(alcore_tokenizer_open(ctx, path_of(open_name), &tokenizer));
        }
        assert_case(ctx, tokenizer, cells, count);
        cases++;
    }
    fclose(file);
    alcore_tokenizer_unref(tokenizer);
    return cases;
}

START_TEST(ids_and_texts_are_those_of_the_package) {
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_int_eq(walk(ctx), 150);
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* The token of the language stands behind the text in mBART, before it in mBART-50. The folders say
 * de_DE and ro_RO; a call may name another. */
START_TEST(languages_are_marked) {
    static const struct {
        const char *folder;
        bool first;
    } folders[] = {{"MBart", false}, {"MBart50", true}};
    alcore_ctx *ctx = NULL;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    walk(NULL);
    for (size_t i = 0; i < 2; i++) {
        alcore_tokenizer *tokenizer;
        const alcore__encoding hows[] = {{0}, {.as_target = true}, {.language = "fr_XX"}};
        static const char *const expected[] = {"de_DE", "ro_RO", "fr_XX"};
        ck_assert_ok(alcore_tokenizer_open(ctx, path_of(folders[i].folder), &tokenizer));
        for (size_t h = 0; h < 3; h++) {
            const char *text = "a";
            const alcore__texts texts = {&text, NULL, 1};
            alcore__tokens tokens = {0};
            ck_assert_ok(alcore__tokenizer_encode(tokenizer, &texts, NULL, &hows[h], &tokens));
            const int64_t last = tokens.offsets[1] - 1;
            ck_assert_int_eq(tokens.ids[folders[i].first ? 0 : last],
                             alcore_tokenizer_id(tokenizer, expected[h]));
            alcore__tokens_clear(ctx, &tokens);
        }
        alcore_tokenizer_unref(tokenizer);
    }
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* What a folder lacks or has wrong is named. */
START_TEST(bad_folders_are_refused) {
    static const char config[] = "{\"tokenizer_class\":\"AlbertTokenizer\"}";
    static const char type[] = "{\"model_type\":\"xlnet\"}";
    static const char extra[] = "{\"tokenizer_class\":\"T5Tokenizer\",\"extra_ids\":-1}";
    static const char separate[] = "{\"separate_vocabs\":true}";
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    walk(NULL);
#define REFUSED(folder, status, part)                                                              \
    ck_assert_fails(alcore_tokenizer_open(ctx, path_of(folder), &tokenizer), status, part)
    write_file("T5/tokenizer_config.json", config, sizeof config - 1);
    REFUSED("T5", ALCORE_E_UNSUPPORTED, "it is of \"AlbertTokenizer\"");
    write_file("T5/tokenizer_config.json", extra, sizeof extra - 1);
    REFUSED("T5", ALCORE_E_DATA, "extra_ids is -1");
    write_file("T5/tokenizer_config.json", "{}", 2);
    write_file("T5/config.json", type, sizeof type - 1);
    REFUSED("T5", ALCORE_E_UNSUPPORTED, "it is of \"xlnet\"");
    write_file("T5/config.json", "{}", 2);
    write_file("T5/spiece.model", "\x0A\x7F", 2);
    REFUSED("T5", ALCORE_E_DATA, "T5/spiece.model: byte 2: a value ends behind the end");
    write_file("Marian/tokenizer_config.json", separate, sizeof separate - 1);
    REFUSED("Marian", ALCORE_E_UNSUPPORTED, "separate vocabularies");
    write_file("Marian/tokenizer_config.json", "{}", 2);
    write_file("Marian/vocab.json", "{\"<unk>\":0}", 11);
    REFUSED("Marian", ALCORE_E_DATA, "the model has no token </s>");
    write_file("Marian/vocab.json", "{\"<unk>\":", 9);
    REFUSED("Marian", ALCORE_E_DATA, "vocab.json: vocab: a number is expected (byte 9)");
    remove(path_of("Marian/vocab.json"));
    REFUSED("Marian", ALCORE_E_IO, "vocab.json is missing");
    remove(path_of("Marian/source.spm"));
    REFUSED("Marian", ALCORE_E_IO, "no tokenizer here");
#undef REFUSED
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* A folder that does not tell its family is one of T5 or XLM-R, by the name of the file. */
START_TEST(the_file_tells_the_family) {
    alcore_ctx *ctx = NULL;
    alcore_tokenizer *tokenizer;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    walk(NULL);
    remove(path_of("T5/tokenizer_config.json"));
    remove(path_of("MBart/tokenizer_config.json"));
    ck_assert_ok(alcore_tokenizer_open(ctx, path_of("T5"), &tokenizer));
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, "<extra_id_0>"), 48 + 99);
    alcore_tokenizer_unref(tokenizer);
    ck_assert_ok(alcore_tokenizer_open(ctx, path_of("MBart"), &tokenizer));
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, "<mask>"), 49);
    alcore_tokenizer_unref(tokenizer);
    remove_files();
    alcore_ctx_unref(ctx);
}
END_TEST

/* Opening a folder while one of its allocations fails: the error is told, and nothing is left. */
START_TEST(failing_allocations_are_reported) {
    static const char *const names[] = {"MBart50", "Marian"};
    walk(NULL);
    for (size_t i = 0; i < 2; i++) {
        alcore_status status = ALCORE_E_NOMEM;
        long long call = 1;
        for (; status == ALCORE_E_NOMEM; call++) {
            fault_allocator fault = {0};
            alcore_ctx *ctx = NULL;
            alcore_tokenizer *tokenizer = NULL;
            ctx = fault_context(&fault, 0);
            const long long blocks = atomic_load(&fault.live_blocks);
            fault_arm(&fault, call, 0);
            status = alcore_tokenizer_open(ctx, path_of(names[i]), &tokenizer);
            const bool failed = atomic_load(&fault.failures) > 0;
            fault_arm(&fault, 0, 0);
            ck_assert_msg(status == (failed ? ALCORE_E_NOMEM : ALCORE_OK), "%s, call %lld: %s",
                          names[i], call, alcore_last_error());
            alcore_tokenizer_unref(tokenizer);
            ck_assert_msg(atomic_load(&fault.live_blocks) == blocks, "%s, call %lld leaks",
                          names[i], call);
            alcore_ctx_unref(ctx);
        }
        ck_assert_msg(call > 50, "%s is opened in %lld calls", names[i], call);
    }
    remove_files();
}
END_TEST

CHECK_SUITE("sentencepiece_folder", ids_and_texts_are_those_of_the_package, languages_are_marked,
            bad_folders_are_refused, the_file_tells_the_family, failing_allocations_are_reported);
