/* SPDX-License-Identifier: Apache-2.0 */
/* Models of a project: trained by a function, a command and the engine, measured, and what the log
 * and the status say of a work that did not end. The engine is the null module, whose version
 * counts the pairs that it learned (../../model/module/null_model.c). */
#include "file_text.h"
#include "project_bed.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static alcore_project *project;
static char ids[1024];

static void setup(void) {
    setenv("ALCORE_MODULE_DIR", getenv("NULL_MODEL_MODULE"), 1);
    bed_setup();
    project = bed_project();
    bed_next(project, ids);
    char first[16], second[16], third[16], text[512];
    ck_assert_int_eq(sscanf(ids, "%15s %15s %15s", first, second, third), 3);
    snprintf(text, sizeof text, "id,translation\n%s,eins\n%s,zwei\n%s,drei\n", first, second,
             third);
    ck_assert_ok(alcore_project_import(project, "csv", bed_put("in.csv", text), "ann", NULL));
    ck_assert_int_eq(mkdir(in_bed("null"), 0777), 0);
    bed_put("null/config.json", "{\"dims\": 3}");
}

static void teardown(void) {
    alcore_project_unref(project);
    bed_teardown();
}

static bool document_has(const char *part) {
    const char *document;
    ck_assert_ok(alcore_project_document(project, &document));
    return strstr(document, part) != NULL;
}

static alcore_status by_command(const char *text, alcore_project_train_options *options,
                                const char **out) {
    const char *const command[] = {"/bin/sh", "-c", text, NULL};
    options->command = command;
    const alcore_status status = alcore_project_train(project, options, out);
    options->command = NULL;
    return status;
}

static alcore_status measured_by(const char *text, const char **out) {
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    const char *const command[] = {"/bin/sh", "-c", text, NULL};
    options.command = command;
    return alcore_project_eval(project, &options, out);
}

/* ---- functions ---- */

/* What a function is to do, and what it saw. */
typedef struct host {
    alcore_status status;
    const char *answer; /* its *out */
    bool makes;         /* a file at work->model */
    int64_t round;
    char labeled[4096], model[TEST_PATH_BYTES + 200];
    bool training; /* the status said so */
} host;

static alcore_status call(void *user, const alcore_project_work *work, const char **out) {
    host *const self = user;
    ck_assert_uint_eq(work->size, sizeof *work);
    ck_assert_str_eq(work->project, in_bed("p"));
    self->round = work->round;
    snprintf(self->labeled, sizeof self->labeled, "%s",
             work->labeled ? file_text(work->labeled) : "none");
    snprintf(self->model, sizeof self->model, "%s", work->model ? work->model : "none");
    self->training = bed_status(project).training == 1;
    if (self->makes) {
        FILE *const file = fopen(work->model, "wb");
        ck_assert_ptr_nonnull(file);
        fputs("weights", file);
        fclose(file);
    }
    *out = self->answer;
    return self->status;
}

START_TEST(functions) {
    alcore_project_train_options train = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    alcore_project_eval_options eval = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    host self = {.makes = true};
    const char *out = "";
    train.function = eval.function = call;
    train.user = eval.user = &self;
    ck_assert_ok(alcore_project_train(project, &train, &out));
    ck_assert_str_eq(out, in_bed("p/models/round-1"));
    ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "weights");
    ck_assert(self.round == 1 && self.training && strstr(self.labeled, "\tzwei\t"));
    ck_assert_ptr_nonnull(strstr(self.model, "/models/round-1.part"));
    ck_assert(bed_status(project).training == 0);
    ck_assert(document_has("\"what\":\"begin train\",\"arguments\":{\"round\":1,\"pairs\":3,"));
    ck_assert(document_has("\"result\":{\"made\":\"round-1\",\"digest\":\""));
    /* A model elsewhere stays there, and that of the round too. */
    char elsewhere[sizeof bed_path];
    snprintf(elsewhere, sizeof elsewhere, "%s", bed_put("elsewhere", "other"));
    self = (host){.answer = elsewhere};
    ck_assert_ok(alcore_project_train(project, &train, &out));
    ck_assert_str_eq(out, in_bed("elsewhere"));
    ck_assert(document_has("\"result\":{\"model\":\"/"));
    self = (host){.answer = "{\"chrf\": 41.5, \"bleu\": 7}"};
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    ck_assert_str_eq(out, "{\"chrf\":41.5,\"bleu\":7}");
    ck_assert_str_eq(self.model, in_bed("p/models/round-1"));
    ck_assert_str_eq(self.labeled, "none");
    ck_assert(document_has("{\"round\":1,\"name\":\"chrf\",\"value\":41.5"));
    self = (host){.status = ALCORE_E_DATA};
    ck_assert_fails(alcore_project_train(project, &train, &out), ALCORE_E_DATA, "function");
    ck_assert_ptr_null(out);
    ck_assert(bed_status(project).training == 0);
    ck_assert_str_eq(bed_status(project).training_failure, "the function failed");
    ck_assert_ptr_null(bed_status(project).evaluating_failure);
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_DATA, "function");
    ck_assert_str_eq(alcore_last_error(), "the function failed");
    ck_assert(bed_status(project).evaluating == 0);
    ck_assert_str_eq(bed_status(project).training_failure, "the function failed");
    ck_assert_str_eq(bed_status(project).evaluating_failure, "the function failed");
    /* Nothing of those that failed was kept. */
    ck_assert(document_has("\"training\":false,\"evaluating\":false,\"training_failure\":\"the "
                           "function failed\",\"evaluating_failure\":\"the function failed\"}"));
    ck_assert(document_has("\"what\":\"fail train\",\"arguments\":{\"round\":1,\"pairs\":3,"));
    ck_assert(document_has(
        "\"result\":{\"failed\":\"ALCORE_E_DATA\",\"error\":\"the function failed\"}"));
    self = (host){.answer = "a 1"};
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    ck_assert_ptr_null(bed_status(project).evaluating_failure);
    ck_assert_str_eq(bed_status(project).training_failure, "the function failed");
    ck_assert_ok(alcore_project_verify(project));
}
END_TEST

/* ---- commands ---- */

START_TEST(commands) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    const char *out = "";
    options.labeled = in_bed("kept.jsonl");
    char kept[TEST_PATH_BYTES + 128];
    snprintf(kept, sizeof kept, "%s", options.labeled);
    options.labeled = kept;
    ck_assert_ok(by_command("mkdir \"$ALCORE_MODEL\" && env | grep '^ALCORE_[PRL]' | sort > "
                            "\"$ALCORE_MODEL/env\"; pwd > \"$ALCORE_MODEL/pwd\"",
                            &options, &out));
    char expected[3 * sizeof kept];
    snprintf(expected, sizeof expected, "ALCORE_LABELED=%s\nALCORE_PROJECT=%s\nALCORE_ROUND=1\n",
             kept, in_bed("p"));
    ck_assert_str_eq(file_text(in_bed("p/models/round-1/env")), expected);
    char here[4096];
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(strncmp(file_text(in_bed("p/models/round-1/pwd")), here, strlen(here)), 0);
    ck_assert_ptr_nonnull(strstr(file_text(kept), "\"reference\":\"zwei\""));
    /* Another one takes its place, also a file that of a folder; what failed leaves it. */
    ck_assert_fails(by_command("echo half > \"$ALCORE_MODEL\"; echo word; echo last >&2; exit 9",
                               &options, &out),
                    ALCORE_E_CALLBACK, "the command of train ended with status 9: last");
    ck_assert_str_eq(bed_status(project).training_failure,
                     "the command of train ended with status 9: last");
    ck_assert(document_has("status 9: last\",\"exit\":9}"));
    /* Its words are any bytes. */
    ck_assert_fails(by_command("printf 'a\\377\"b\\n'; kill -9 $$", &options, &out),
                    ALCORE_E_CALLBACK, "status 137: a\377\"b");
    ck_assert_str_eq(bed_status(project).training_failure,
                     "the command of train ended with status 137: a\357\277\275\"b");
    char report[sizeof kept];
    snprintf(report, sizeof report, "%s", in_bed("report.html"));
    ck_assert_ok(alcore_project_write_report(project, report));
    ck_assert_ptr_nonnull(strstr(file_text(report), "<p>The last training failed: the command of "
                                                    "train ended with status 137: "));
    ck_assert_int_eq(access(in_bed("p/models/round-1/env"), F_OK), 0);
    ck_assert_ok(
        by_command("test ! -e \"$ALCORE_MODEL\" && echo new > \"$ALCORE_MODEL\"", &options, &out));
    ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "new\n");
    ck_assert_int_ne(access(in_bed("p/models/round-1.part"), F_OK), 0);
    ck_assert_int_ne(access(in_bed("p/models/round-1.old"), F_OK), 0);
    ck_assert_ok(by_command("true", &options, &out));
    ck_assert_ptr_null(out);
    /* A kill between the two renames leaves the earlier model under another name. */
    char old[sizeof kept];
    snprintf(old, sizeof old, "%s", in_bed("p/models/round-1.old"));
    ck_assert_int_eq(rename(in_bed("p/models/round-1"), old), 0);
    ck_assert_ok(by_command("true", &options, &out));
    ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "new\n");
}
END_TEST

/* The pairs that a training got, with the option mix. */
static const char *mixed_pairs(const alcore_mix_options *mix) {
    static char path[TEST_PATH_BYTES + 128];
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    snprintf(path, sizeof path, "%s", in_bed("mixed.tsv"));
    options.labeled = path;
    options.mix = mix;
    ck_assert_ok(by_command("true", &options, NULL));
    return file_text(path);
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (; (text = strstr(text, part)); text++) count++;
    return count;
}

START_TEST(mixed) {
    alcore_mix_options mix = ALCORE_MIX_OPTIONS_INIT;
    char path[TEST_PATH_BYTES + 128], first[4096];
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    mix.kind = "random";
    mix.count = 2;
    options.mix = &mix;
    ck_assert_fails(by_command("true", &options, NULL), ALCORE_E_MISSING, "");
    ck_assert(bed_status(project).training == 0); /* it has not begun */
    snprintf(path, sizeof path, "%s",
             bed_put("known.tsv", "text\treference\nw\tv\nww\tvv\nwww\tvvv\nno\t\n"));
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_LABELED, path, NULL));
    const char *pairs = mixed_pairs(&mix);
    snprintf(first, sizeof first, "%s", pairs);
    ck_assert_int_eq(strncmp(pairs, "id\ttext\treference\tkind\n", 23), 0);
    ck_assert_int_eq(count_of(pairs, "\tsent\n"), 3);
    ck_assert_int_eq(count_of(pairs, "\trandom\n"), 2);
    ck_assert_int_eq(count_of(pairs, "\n"), 6);
    ck_assert(strstr(pairs, "\tzwei\tsent\n") && !strstr(pairs, "no\t"));
    ck_assert(document_has("\"pairs\":5,") &&
              document_has("\"kinds\":{\"sent\":{\"pairs\":3},\"random\":{\"pairs\":2,"));
    /* By the seed and the round of the project, or those that are given. */
    ck_assert_str_eq(mixed_pairs(&mix), first);
    bool differs = false;
    for (mix.seed = 1; mix.seed < 20; mix.seed++) differs |= strcmp(mixed_pairs(&mix), first) != 0;
    ck_assert(differs);
    char third[4096];
    mix.seed = 3;
    snprintf(third, sizeof third, "%s", mixed_pairs(&mix));
    mix.seed = 0;
    ck_assert_ok(alcore_project_set(project, "seed", "3"));
    ck_assert_str_eq(mixed_pairs(&mix), third);
    mix.round = 1;
    ck_assert_str_eq(mixed_pairs(&mix), third); /* one round was selected */
    mix.round = 0;
    mix.kind = "retrieved";
    mix.count = 1;
    ck_assert_int_eq(count_of(mixed_pairs(&mix), "\tretrieved\n"), 1);
    mix.kind = "none";
    ck_assert_int_eq(count_of(mixed_pairs(&mix), "\n"), 4);
    mix.kind = "randon";
    ck_assert_fails(by_command("true", &options, NULL), ALCORE_E_PARAM, "random");
    mix.kind = "random";
    options.with_labeled = 1;
    ck_assert_fails(by_command("true", &options, NULL), ALCORE_E_PARAM, "with_labeled");
    options.with_labeled = 0;
    /* The engine learns the mixed pairs too. */
    mix.count = 2;
    snprintf(path, sizeof path, "%s", in_bed("null"));
    options.model = path;
    ck_assert_ok(alcore_project_train(project, &options, NULL));
    ck_assert_ptr_nonnull(
        strstr(file_text(in_bed("p/models/round-1/config.json")), "\"trained\": 5"));
}
END_TEST

START_TEST(measures_of_commands) {
    const char *out = "";
    ck_assert_ok(
        measured_by("echo words >&2; echo '# done'; echo 'chrf 1'; echo 'bleu 2.5'", &out));
    ck_assert_str_eq(out, "{\"chrf\":1,\"bleu\":2.5}");
    ck_assert_ok(measured_by("echo '{\"ter\": 1e1}'", &out));
    ck_assert_str_eq(out, "{\"ter\":10}");
    ck_assert_fails(measured_by("true", &out), ALCORE_E_DATA, "has no measure");
    ck_assert_fails(measured_by("echo chrf nan", &out), ALCORE_E_DATA, "line 1 of the evaluation");
    ck_assert_fails(measured_by("echo chrf 7; exit 2", &out), ALCORE_E_CALLBACK, "status 2");
    ck_assert_ptr_null(out);
    ck_assert(!document_has("\"value\":7,"));
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    const char *const command[] = {"sh", "-c", "echo \"r$ALCORE_ROUND 1${ALCORE_MODEL-0}\"", NULL};
    options.command = command;
    options.round = 0;
    ck_assert_ok(alcore_project_eval(project, &options, &out));
    ck_assert_str_eq(out, "{\"r0\":10}"); /* no model is there */
    options.round = 2;
    ck_assert_fails(alcore_project_eval(project, &options, &out), ALCORE_E_NOT_FOUND, "no round 2");
}
END_TEST

/* ---- the engine ---- */

START_TEST(the_engine) {
    alcore_project_train_options train = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    alcore_project_eval_options eval = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    alcore_train_options how = ALCORE_TRAIN_OPTIONS_INIT;
    char start[TEST_PATH_BYTES + 128], test[sizeof start];
    const char *out = "";
    snprintf(start, sizeof start, "%s", in_bed("null"));
    snprintf(test, sizeof test, "%s",
             bed_put("test.tsv", "src\ttgt\na b c\ta b c\nd e f g\td e f x\n"));
    ck_assert_ok(alcore_project_set(project, "seed", "11"));
    train.model = start;
    train.training = &how;
    how.rate = 0.25;
    ck_assert_ok(alcore_project_train(project, &train, &out));
    ck_assert_str_eq(out, in_bed("p/models/round-1"));
    ck_assert_ptr_nonnull(
        strstr(file_text(in_bed("p/models/round-1/config.json")), "\"trained\": 3"));
    ck_assert(document_has("\"training\":{\"seed\":11,\"rate\":0.25}"));
    ck_assert(document_has("\"updates\":3}"));
    char path[sizeof start];
    snprintf(path, sizeof path, "%s", bed_put("known.tsv", "text\treference\nw\tv\nmasked\t\n"));
    ck_assert_ok(alcore_project_add(project, ALCORE_ROLE_LABELED, path, NULL));
    train.with_labeled = 1;
    ck_assert_ok(alcore_project_train(project, &train, &out));
    ck_assert_ptr_nonnull(
        strstr(file_text(in_bed("p/models/round-1/config.json")), "\"trained\": 4"));
    how.best = start;
    ck_assert_fails(alcore_project_train(project, &train, &out), ALCORE_E_PARAM, "best");
    how.best = NULL;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &how.validation));
    how.metric = 99;
    ck_assert_fails(alcore_project_train(project, &train, &out), ALCORE_E_PARAM, "metric 99");
    ck_assert(!document_has("\"metric\":")); /* no word is logged for what has none */
    alcore_pool_unref(how.validation);
    /* The null module translates a text as itself. */
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    reading.text_column = "src";
    reading.reference_column = "tgt";
    eval.test = test;
    eval.reading = &reading;
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    double chrf = 0, bleu = 0;
    ck_assert_int_eq(sscanf(out, "{\"chrf\":%lf,\"bleu\":%lf}", &chrf, &bleu), 2);
    ck_assert(chrf > 50 && chrf < 100 && bleu > 50 && bleu < 100);
    eval.metrics = "loss,ter";
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    double loss = 0, ter = 0;
    ck_assert_int_eq(sscanf(out, "{\"loss\":%lf,\"ter\":%lf}", &loss, &ter), 2);
    ck_assert(loss > 0 && fabs(ter - 100.0 / 7) < 1e-9); /* one of seven words */
    eval.metrics = "accuracy";
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_UNSUPPORTED, "accuracy");
    eval.metrics = "chrf,chrf";
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_PARAM, "twice");
    eval.metrics = "chrff";
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_PARAM, "'chrff'");
    eval.metrics = NULL;
    reading.reference_column = NULL;
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_MISSING, "no reference");
    bed_next(project, ids);
    ck_assert_fails(alcore_project_eval(project, &eval, &out), ALCORE_E_NOT_FOUND, "round-2");
    eval.model = start;
    reading.reference_column = "tgt";
    ck_assert_ok(alcore_project_set(project, "draft_language", "de"));
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    ck_assert(document_has("\"language\":\"de\"") && !document_has("\"language\":\"fr\""));
    eval.language = "fr";
    ck_assert_ok(alcore_project_eval(project, &eval, &out));
    ck_assert(document_has("\"language\":\"fr\""));
}
END_TEST

/* ---- refused ---- */

START_TEST(refused) {
    alcore_project_train_options train = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    alcore_project_eval_options eval = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    alcore_train_options how = ALCORE_TRAIN_OPTIONS_INIT;
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    static const char *const none[] = {NULL};
    ck_assert_fails(alcore_project_train(NULL, &train, NULL), ALCORE_E_INVALID, "");
    ck_assert_fails(alcore_project_train(project, NULL, NULL), ALCORE_E_INVALID, "");
    ck_assert_fails(alcore_project_eval(project, NULL, NULL), ALCORE_E_INVALID, "");
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "one of");
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "one of");
    train.command = eval.command = none;
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "empty");
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "empty");
    train.function = eval.function = call;
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "one of");
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "one of");
    train.command = eval.command = NULL;
    train.training = &how;
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "training goes");
    train.training = NULL;
    train.language = eval.language = "de";
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "language goes");
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "language goes");
    train.language = eval.language = NULL;
    eval.reading = &reading;
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "reading goes");
    eval.reading = NULL;
    eval.metrics = "chrf";
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "metrics goes");
    eval.metrics = NULL;
    train.show = eval.show = 2;
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_PARAM, "show");
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_PARAM, "show");
    train.size = 0;
    ck_assert_fails(alcore_project_train(project, &train, NULL), ALCORE_E_STRUCT_UNSET, "");
    eval.show = 0;
    eval.reserved = 1;
    ck_assert_fails(alcore_project_eval(project, &eval, NULL), ALCORE_E_STRUCT_NEWER, "");
    /* None of these has begun. */
    ck_assert(bed_status(project).training == 0 && bed_status(project).evaluating == 0);
    alcore_project_train_options open = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    bed_next(project, ids);
    alcore_project_unref(project);
    ck_assert_ok(alcore_project_init(ctx, in_bed("empty"), NULL, NULL, 0, &project));
    ck_assert_fails(by_command("true", &open, NULL), ALCORE_E_MISSING, "no pair");
}
END_TEST

/* A function that asks for another training, and for a change of the project. */
static alcore_status nest(void *user, const alcore_project_work *work, const char **out) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    (void)work, (void)out;
    ++*(int *)user;
    ck_assert_fails(by_command("true", &options, NULL), ALCORE_E_BUSY, "another training");
    ck_assert_fails(measured_by("echo a 1", NULL), ALCORE_E_BUSY, "another training");
    ck_assert_ok(alcore_project_set(project, "name", "changed"));
    bed_next(project, ids);
    return ALCORE_OK;
}

static alcore_status cancel(void *user, const alcore_project_work *work, const char **out) {
    (void)user, (void)work, (void)out;
    alcore_ctx_cancel(ctx);
    return ALCORE_OK;
}

START_TEST(one_at_a_time) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    int calls = 0;
    options.function = nest;
    options.user = &calls;
    ck_assert_ok(alcore_project_train(project, &options, NULL));
    ck_assert_int_eq(calls, 1);
    ck_assert_int_eq(bed_status(project).rounds, 2);
    /* A cancellation ends it, and it can be made again. */
    options.function = cancel;
    ck_assert_fails(alcore_project_train(project, &options, NULL), ALCORE_E_CANCELLED, "");
    ck_assert_fails(alcore_project_train(project, &options, NULL), ALCORE_E_CANCELLED, "");
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(bed_status(project).training, 1);
    ck_assert_ptr_null(bed_status(project).training_failure);
    char report[TEST_PATH_BYTES + 128];
    snprintf(report, sizeof report, "%s", in_bed("report.html"));
    ck_assert_ok(alcore_project_write_report(project, report));
    ck_assert_ptr_nonnull(
        strstr(file_text(report), "<p>The last training was begun and has not ended.</p>"));
    options.function = nest;
    ck_assert_ok(alcore_project_train(project, &options, NULL));
    ck_assert_int_eq(bed_status(project).training, 0);
}
END_TEST

/* A function that ends while another process writes, and for a while after. */
static alcore_status hold(void *user, const alcore_project_work *work, const char **out) {
    pid_t *const child = user;
    int ready[2];
    char byte = 0;
    (void)work;
    ck_assert_int_eq(pipe(ready), 0);
    if ((*child = fork()) == 0) {
        sqlite3 *database;
        const struct timespec pause = {0, 300000000};
        int code =
            sqlite3_open_v2(in_bed("p/project.sqlite"), &database, SQLITE_OPEN_READWRITE, NULL);
        if (code == SQLITE_OK) code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
        if (write(ready[1], &byte, 1) != 1) _exit(3);
        nanosleep(&pause, NULL);
        _exit(code != SQLITE_OK);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    *out = "{\"a\": 1}";
    return ALCORE_OK;
}

START_TEST(what_was_made_waits) {
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    pid_t child;
    int status;
    options.function = hold;
    options.user = &child;
    ck_assert_ok(alcore_project_eval(project, &options, NULL));
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    ck_assert(document_has("\"name\":\"a\",\"value\":1"));
}
END_TEST

/* ---- verify and gc ---- */

/* Whether a file is there. */
static bool there(const char *name) {
    return access(in_bed(name), F_OK) == 0;
}

static void move(const char *from, const char *to) {
    char path[sizeof bed_path];
    snprintf(path, sizeof path, "%s", in_bed(from));
    ck_assert_int_eq(rename(path, in_bed(to)), 0);
}

static int64_t freed(void) {
    int64_t bytes = -1;
    ck_assert_ok(alcore_project_gc(project, &bytes));
    return bytes;
}

static void train_by(const char *text) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    ck_assert_ok(by_command(text, &options, NULL));
}

START_TEST(compared) {
    static const char first[] = "weights\n", second[] = "v\n";
    train_by("mkdir -p \"$ALCORE_MODEL/in\"; echo weights > \"$ALCORE_MODEL/one\"; "
             "echo v > \"$ALCORE_MODEL/in/two\"");
    train_by("true"); /* which leaves that model */
    ck_assert_ok(alcore_project_verify(project));
    for (size_t at = 0; at < sizeof first + sizeof second - 2; at++) {
        const bool is_first = at < sizeof first - 1;
        const char *const name = is_first ? "p/models/round-1/one" : "p/models/round-1/in/two";
        char text[sizeof first];
        snprintf(text, sizeof text, "%s", is_first ? first : second);
        text[is_first ? at : at - (sizeof first - 1)] ^= 4;
        bed_put(name, text);
        ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA,
                        "/p/models/round-1' is damaged");
        bed_put(name, is_first ? first : second);
    }
    ck_assert_ok(alcore_project_verify(project));
    bed_put("p/models/round-1/three", "");
    ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "damaged");
    move("p/models/round-1/three", "three");
    move("p/models/round-1/one", "p/models/round-1/uno");
    ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "damaged");
    move("p/models/round-1", "away");
    ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "/p/models/round-1' is missing");
    train_by("echo new > \"$ALCORE_MODEL\""); /* the last one counts */
    ck_assert_ok(alcore_project_verify(project));
}
END_TEST

/* Removes what is left while a training runs, which keeps its model. */
static alcore_status collect(void *user, const alcore_project_work *work, const char **out) {
    (void)user;
    bed_put("p/models/round-1.part", "mine");
    ck_assert_int_eq(freed(), 0);
    ck_assert_str_eq(file_text(work->model), "mine");
    *out = work->model; /* is no model elsewhere */
    return ALCORE_OK;
}

START_TEST(left_by_kills) {
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    ck_assert_int_eq(freed(), 0);
    train_by("echo one > \"$ALCORE_MODEL\"");
    ck_assert_int_eq(freed(), 0);
    /* Killed between the renames, between them and the commit, and after the commit. */
    for (int kill = 0; kill < 3; kill++) {
        if (kill < 2) move("p/models/round-1", "p/models/round-1.old");
        if (kill == 1) bed_put("p/models/round-1", "other");
        if (kill == 2) bed_put("p/models/round-1.old", "earlier");
        ck_assert_ok(alcore_project_verify(project));
        ck_assert_int_eq(freed(), kill == 0 ? 0 : kill == 1 ? 5 : 7);
        ck_assert(there("p/models/round-1") && !there("p/models/round-1.old"));
        ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "one\n");
        ck_assert_ok(alcore_project_verify(project));
    }
    /* A training that makes nothing puts it back too. */
    move("p/models/round-1", "p/models/round-1.old");
    bed_put("p/models/round-1", "other");
    train_by("true");
    ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "one\n");
    /* Two that are both damaged stay, for verify. */
    bed_put("p/models/round-1", "onE\n");
    bed_put("p/models/round-1.old", "half");
    ck_assert_int_eq(freed(), 0);
    ck_assert_fails(alcore_project_verify(project), ALCORE_E_DATA, "damaged");
    /* Half made, and what is no training's. */
    ck_assert_int_eq(mkdir(in_bed("p/models/round-2.part"), 0777), 0);
    bed_put("p/models/round-2.part/half", "12345678");
    static const char *const others[] = {"p/models/mine.part", "p/models/round-.part",
                                         "p/models/round-3", "p/models/round-1.part.old"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) bed_put(others[i], "1");
    ck_assert_int_eq(freed(), 8);
    ck_assert(!there("p/models/round-2.part"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) ck_assert(there(others[i]));
    options.function = collect;
    ck_assert_ok(alcore_project_train(project, &options, NULL));
    ck_assert_str_eq(file_text(in_bed("p/models/round-1")), "mine");
    ck_assert(!there("p/models/round-1.old"));
    ck_assert_ok(alcore_project_verify(project));
}
END_TEST

CHECK_SUITE_WITH("project_models", setup, teardown, functions, commands, mixed,
                 measures_of_commands, the_engine, refused, one_at_a_time, what_was_made_waits,
                 compared, left_by_kills);
