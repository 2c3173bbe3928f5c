/* SPDX-License-Identifier: Apache-2.0 */
/* Training a vocabulary with a script in the place of spm_train, which notes what it was given and
 * behaves as $SPM_MODE says: what the program gets, what comes of its result, its errors, its
 * absence, and that it ends with the call. tests/tokenizer/train_vocabulary.py has the real one. */
#include "check_suite.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "test_folder.h"

/* A model: <unk>, </s>, U+2581, on, e and t. */
static const char model[] =
    "\x0A\x0E\x0A\x05<unk>\x15\x00\x00\x00\x00\x18\x02\x0A\x0D\x0A\x04</s>\x15\x00"
    "\x00\x00\x00\x18\x03\x0A\x0A\x0A\x03\xE2\x96\x81\x15\x00\x00\x80\xBF\x0A\x09"
    "\x0A\x02on\x15\x00\x00\x00\xC0\x0A\x08\x0A\x01\x65\x15\x00\x00@\xC0\x0A\x08\x0A"
    "\x01t\x15\x00\x00`\xC0\x12\x02\x08\x01";

static const char script[] =
    "#!/bin/sh\n"
    "cp texts \"$SPM_HOME/seen\"\n"
    "printf '%s\\n' \"$@\" >\"$SPM_HOME/arguments\"\n"
    "case $SPM_MODE in\n"
    "fail) echo 'a.cc(5) LOG(INFO) begins'\n"
    "    echo 'm.cc(275) [_status.ok()] Internal: ./t.cc(660) [a == b] The size is too high.' >&2\n"
    "    echo 'Program terminated with an unrecoverable error.' >&2\n"
    "    exit 255 ;;\n"
    "silent) exit 3 ;;\n"
    "kill) kill -9 $$ ;;\n"
    "stay) echo $$ >\"$SPM_HOME/stayer.new\"\n"
    "    mv \"$SPM_HOME/stayer.new\" \"$SPM_HOME/stayer\"; exec sleep 60 ;;\n"
    "hang) sleep 60 & echo $! >\"$SPM_HOME/sleeper.new\"\n"
    "    mv \"$SPM_HOME/sleeper.new\" \"$SPM_HOME/sleeper\"; wait ;;\n"
    "broken) echo nonsense >out.model ;;\n"
    "none) ;;\n"
    "*) cp \"$SPM_HOME/model\" out.model; echo >out.vocab ;;\n"
    "esac\n";

static alcore_ctx *ctx;
static char home[TEST_PATH_BYTES]; /* the folder of the test that runs */
static char searched[4000];        /* PATH before the first test */

static const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", home, name);
    return path;
}

static void write_file(const char *name, const char *data, size_t length, mode_t mode) {
    FILE *file = fopen(path_of(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, length, file), length);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(chmod(path_of(name), mode), 0);
}

/* The whole file; "" when there is none. */
static const char *read_file(const char *name) {
    static char text[4096];
    FILE *file = fopen(path_of(name), "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    text[length] = '\0';
    return text;
}

static void begin(void) {
    static char search[4096];
    /* Without a process for each test (CK_FORK=no) the next one begins where this one ends. */
    if (!*searched) snprintf(searched, sizeof searched, "%s", getenv("PATH"));
    test_folder_make(home, "vocabulary");
    snprintf(search, sizeof search, "%s/bin:%s", home, searched);
    mkdir(path_of("bin"), 0700);
    mkdir(path_of("tmp"), 0700);
    write_file("bin/spm_train", script, sizeof script - 1, 0700);
    write_file("model", model, sizeof model - 1, 0600);
    setenv("PATH", search, 1);
    setenv("SPM_HOME", home, 1);
    setenv("SPM_MODE", "", 1);
    setenv("TMPDIR", path_of("tmp"), 1);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void end(void) {
    static const char *const names[] = {"folder/config.json",
                                        "folder/spiece.model",
                                        "folder",
                                        "bin/spm_train",
                                        "bin",
                                        "tmp",
                                        "model",
                                        "seen",
                                        "arguments",
                                        "sleeper",
                                        "stayer",
                                        "out.model"};
    alcore_ctx_unref(ctx);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) remove(path_of(names[i]));
    ck_assert_int_eq(rmdir(home), 0);
}

/* Trains on two texts, in the mode of the script. */
static alcore_status train(const char *mode, const alcore_vocabulary_options *options) {
    static const char *const texts[] = {"one ten", "ten not"};
    setenv("SPM_MODE", mode, 1);
    return alcore_tokenizer_train_vocabulary(ctx, texts, NULL, 2, path_of("out.model"), options);
}

/* Nothing is left of the temporary folder. */
static void assert_clean(void) {
    int entries = 0;
    DIR *folder = opendir(path_of("tmp"));
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder));) entries += entry->d_name[0] != '.';
    closedir(folder);
    ck_assert_int_eq(entries, 0);
}

START_TEST(the_result_is_opened) {
    alcore_tokenizer *tokenizer;
    alcore_tokens *tokens;
    alcore_tensor offsets, ids, types, spans, marks;
    const char *text = "ton";
    ck_assert_ok(train("", NULL));
    assert_clean();
    ck_assert_ok(alcore_tokenizer_open(ctx, path_of("out.model"), &tokenizer));
    ck_assert_int_eq(alcore_tokenizer_size(tokenizer), 6);
    ck_assert_int_eq(alcore_tokenizer_id(tokenizer, "on"), 3);
    ck_assert_ok(alcore_tokenizer_encode(tokenizer, &text, NULL, NULL, NULL, 1, NULL, &tokens));
    ck_assert_ok(alcore_tokens_get(tokens, &offsets, &ids, &types, &spans, &marks));
    /* Nothing is added around the pieces U+2581, t and on. */
    ck_assert_int_eq(ids.shape[0], 3);
    ck_assert_mem_eq(ids.data, ((const int64_t[]){2, 5, 3}), 24);
    alcore_tokens_unref(tokens);
    alcore_tokenizer_unref(tokenizer);
}
END_TEST

/* In a folder the family says what stands around a text, and whether T5's 100 sentinels follow. */
START_TEST(folders_have_it_as_spiece_model) {
    static const struct {
        const char *config;
        int64_t size;
    } rows[] = {{"{\"model_type\": \"alcore_transformer\"}", 6}, {"{\"model_type\": \"t5\"}", 106}};
    const char *text = "ton";
    mkdir(path_of("folder"), 0700);
    write_file("folder/spiece.model", model, sizeof model - 1, 0600);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        alcore_tokenizer *tokenizer;
        alcore_tokens *tokens;
        alcore_tensor offsets, ids, types, spans, marks;
        write_file("folder/config.json", rows[i].config, strlen(rows[i].config), 0600);
        ck_assert_ok(alcore_tokenizer_open(ctx, path_of("folder"), &tokenizer));
        ck_assert_int_eq(alcore_tokenizer_size(tokenizer), rows[i].size);
        ck_assert_ok(alcore_tokenizer_encode(tokenizer, &text, NULL, NULL, NULL, 1, NULL, &tokens));
        ck_assert_ok(alcore_tokens_get(tokens, &offsets, &ids, &types, &spans, &marks));
        ck_assert_int_eq(ids.shape[0], 4);
        ck_assert_mem_eq(ids.data, ((const int64_t[]){2, 5, 3, 1}), 32); /* </s> behind */
        alcore_tokens_unref(tokens);
        alcore_tokenizer_unref(tokenizer);
    }
}
END_TEST

START_TEST(options_become_arguments) {
    alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
    ck_assert_ok(train("", NULL));
    ck_assert_str_eq(read_file("arguments"),
                     "--input=texts\n--model_prefix=out\n--model_type=unigram\n--vocab_size=8000\n"
                     "--character_coverage=0.99950000000000006\n--byte_fallback=false\n--pad_id=0\n"
                     "--bos_id=1\n--eos_id=2\n--unk_id=3\n--num_threads=16\n"
                     "--max_sentence_length=1073741824\n");
    options.kind = ALCORE_VOCABULARY_BPE;
    options.tokens = 500;
    options.coverage = 1;
    options.byte_fallback = 1;
    ck_assert_ok(train("", &options));
    ck_assert_ptr_nonnull(strstr(read_file("arguments"), "--model_type=bpe\n--vocab_size=500\n"
                                                         "--character_coverage=1\n"
                                                         "--byte_fallback=true\n"));
}
END_TEST

START_TEST(each_text_is_a_line_of_utf8) {
    static const char *const texts[] = {"a\nb\r", "bad\xFF", "", "x\xE2\x96\x85y", "n\0l", NULL};
    static const size_t lengths[] = {4, 4, 0, 5, 3, 0};
    ck_assert_ok(
        alcore_tokenizer_train_vocabulary(ctx, texts, lengths, 6, path_of("out.model"), NULL));
    ck_assert_str_eq(read_file("seen"), "a b \nbad\xEF\xBF\xBD\n\nx   y\nn l\n\n");
}
END_TEST

START_TEST(max_texts_draws_with_the_seed) {
    static char names[100][8];
    const char *texts[100], *seen = NULL;
    char first[512] = "";
    alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
    for (int i = 0; i < 100; i++) {
        snprintf(names[i], sizeof *names, "t%d", i);
        texts[i] = names[i];
    }
    options.max_texts = 20;
    for (int run = 0; run < 3; run++) {
        int last = -1, count = 0;
        options.seed = run < 2 ? 5 : 6;
        ck_assert_ok(alcore_tokenizer_train_vocabulary(ctx, texts, NULL, 100, path_of("out.model"),
                                                       &options));
        seen = read_file("seen");
        for (const char *line = seen; *line; line = strchr(line, '\n') + 1, count++) {
            ck_assert_int_gt(atoi(line + 1), last); /* in their order, none twice */
            last = atoi(line + 1);
        }
        ck_assert_int_eq(count, 20);
        if (run == 0) snprintf(first, sizeof first, "%.*s", (int)sizeof first - 1, seen);
        ck_assert_int_eq(strcmp(first, seen) == 0, run < 2);
    }
    options.max_texts = 100; /* as many as there are: all */
    ck_assert_ok(
        alcore_tokenizer_train_vocabulary(ctx, texts, NULL, 100, path_of("out.model"), &options));
    ck_assert_int_eq(strncmp(read_file("seen"), "t0\nt1\nt2\n", 9), 0);
}
END_TEST

START_TEST(what_the_program_says_is_the_error) {
    ck_assert_fails(train("fail", NULL), ALCORE_E_DATA, "with status 255: The size is too high.");
    ck_assert_fails(train("silent", NULL), ALCORE_E_DATA, "ended with status 3");
    ck_assert_fails(train("kill", NULL), ALCORE_E_DATA, "ended with status 137");
    ck_assert_fails(train("broken", NULL), ALCORE_E_DATA, "out.model");
    ck_assert_fails(train("none", NULL), ALCORE_E_IO, "out.model");
    assert_clean();
    ck_assert_int_eq(access(path_of("out.model"), F_OK), -1);
    const char *text = "one";
    setenv("SPM_MODE", "", 1);
    ck_assert_fails(
        alcore_tokenizer_train_vocabulary(ctx, &text, NULL, 1, path_of("no/out.model"), NULL),
        ALCORE_E_IO, "no/out.model");
}
END_TEST

START_TEST(a_host_that_ignores_its_children_gets_the_result_too) {
    signal(SIGCHLD, SIG_IGN);
    ck_assert_ok(train("", NULL));
    ck_assert_fails(train("fail", NULL), ALCORE_E_IO, "out.model");
    signal(SIGCHLD, SIG_DFL);
    assert_clean();
}
END_TEST

START_TEST(without_the_program_its_package_is_named) {
    setenv("PATH", path_of("tmp"), 1);
    ck_assert_fails(train("", NULL), ALCORE_E_UNSUPPORTED, "the package sentencepiece");
    assert_clean();
}
END_TEST

START_TEST(bad_arguments) {
    static const char *const blank[] = {" \n", "", "\xE2\x96\x85"};
    static const struct {
        double coverage;
        int64_t tokens, max_texts;
        int32_t kind, byte_fallback;
        const char *words;
    } rows[] = {{ALCORE_UNSET, 0, 0, 2, 0, "kind is 2"},
                {ALCORE_UNSET, 0, 0, -1, 0, "kind is -1"},
                {ALCORE_UNSET, 0, 0, 0, 2, "byte_fallback is 2"},
                {ALCORE_UNSET, 4, 0, 0, 0, "tokens is 4"},
                {ALCORE_UNSET, -1, 0, 0, 0, "tokens is -1"},
                {ALCORE_UNSET, 10000001, 0, 0, 0, "tokens is 10000001"},
                {0.5, 0, 0, 0, 0, "coverage is 0.5"},
                {1.5, 0, 0, 0, 0, "coverage is 1.5"},
                {0, 0, 0, 0, 0, "coverage is 0"},
                {ALCORE_UNSET, 0, -1, 0, 0, "max_texts is negative"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
        options.coverage = rows[i].coverage;
        options.tokens = rows[i].tokens;
        options.max_texts = rows[i].max_texts;
        options.kind = rows[i].kind;
        options.byte_fallback = rows[i].byte_fallback;
        ck_assert_fails(train("", &options), ALCORE_E_PARAM, rows[i].words);
    }
    const char *path = path_of("out.model");
    ck_assert_fails(alcore_tokenizer_train_vocabulary(ctx, blank, NULL, 3, path, NULL),
                    ALCORE_E_DATA, "no text has a character");
    ck_assert_fails(alcore_tokenizer_train_vocabulary(ctx, NULL, NULL, 0, path, NULL),
                    ALCORE_E_DATA, "no text has a character");
    ck_assert_fails(alcore_tokenizer_train_vocabulary(ctx, NULL, NULL, 1, path, NULL),
                    ALCORE_E_INVALID, "texts is NULL");
    ck_assert_fails(alcore_tokenizer_train_vocabulary(ctx, blank, NULL, -1, path, NULL),
                    ALCORE_E_INVALID, "count is -1");
    ck_assert_fails(alcore_tokenizer_train_vocabulary(ctx, blank, NULL, 1, NULL, NULL),
                    ALCORE_E_INVALID, "path is NULL");
    setenv("TMPDIR", path_of("nowhere"), 1);
    ck_assert_fails(train("", NULL), ALCORE_E_IO, "cannot make a folder");
    setenv("TMPDIR", path_of("tmp"), 1);
    assert_clean();
    ck_assert_str_eq(read_file("arguments"), ""); /* the program never ran */
}
END_TEST

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Cancels as soon as the program waits for its own child; *data: when. */
static void *cancel(void *data) {
    const struct timespec wait = {0, 1000000};
    char path[128];
    snprintf(path, sizeof path, "%s/sleeper", home);
    while (access(path, F_OK) != 0) nanosleep(&wait, NULL);
    *(double *)data = now();
    alcore_ctx_cancel(ctx);
    return NULL;
}

/* Whether there is a process of that number which has not ended. Its state is read from
 * /proc/NUMBER/stat, "NUMBER (name) STATE ...": Z and X have ended. The command line would not do:
 * it is empty for a moment while a process starts another program in its place. */
static bool is_running(long process) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *const name_end = strrchr(text, ')');
    return name_end && name_end[1] == ' ' && !strchr("ZX", name_end[2]);
}

static void sleep_10_ms(void) {
    const struct timespec wait = {0, 10000000};
    nanosleep(&wait, NULL);
}

/* Waits until the program has written its process number; 0: it did not within 20 s. */
static long number_of_program(void) {
    for (int i = 0; i < 2000; i++) {
        const long number = strtol(read_file("stayer"), NULL, 10);
        if (number > 0) return number;
        sleep_10_ms();
    }
    return 0;
}

/* Empties and removes the folder that a training left in tmp. */
static void remove_leftovers(void) {
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s/tmp/alcore-*", home);
    ck_assert_int_eq(system(command), 0);
}

/* A host that is killed cannot cancel the call. */
START_TEST(the_program_ends_with_its_host) {
    const pid_t host = fork();
    if (host == 0) {
        if (alcore_ctx_new(NULL, &ctx) == ALCORE_OK) train("stay", NULL);
        _exit(0);
    }
    ck_assert_int_gt(host, 0);
    const long program = number_of_program();
    ck_assert_int_gt(program, 0);
    ck_assert(is_running(program));
    ck_assert_int_eq(kill(host, SIGKILL), 0);
    ck_assert_int_eq(waitpid(host, NULL, 0), host);
    for (int i = 0; i < 500 && is_running(program); i++) sleep_10_ms();
    const bool left = is_running(program);
    if (left) kill((pid_t)program, SIGKILL);
    ck_assert_msg(!left, "the program goes on without its host");
    remove_leftovers();
}
END_TEST

START_TEST(the_program_ends_with_the_call) {
    pthread_t thread;
    double cancelled_at = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel, &cancelled_at), 0);
    const alcore_status status = train("hang", NULL);
    const double returned_at = now();
    pthread_join(thread, NULL);
    ck_assert_int_eq(status, ALCORE_E_CANCELLED);
    ck_assert_double_lt(returned_at - cancelled_at, 30); /* seconds; the program sleeps for 60 */
    /* What the program had started is gone, or waits to be collected. */
    const long sleeper = strtol(read_file("sleeper"), NULL, 10);
    ck_assert_int_gt(sleeper, 0);
    for (int i = 0; i < 500 && is_running(sleeper); i++) sleep_10_ms();
    ck_assert(!is_running(sleeper));
    assert_clean();
}
END_TEST

CHECK_SUITE_WITH("vocabulary_train", begin, end, the_result_is_opened,
                 folders_have_it_as_spiece_model, options_become_arguments,
                 each_text_is_a_line_of_utf8, max_texts_draws_with_the_seed,
                 what_the_program_says_is_the_error,
                 a_host_that_ignores_its_children_gets_the_result_too,
                 without_the_program_its_package_is_named, bad_arguments,
                 the_program_ends_with_its_host, the_program_ends_with_the_call);
