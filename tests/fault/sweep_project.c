/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: projects. Each call has a folder of its own, a copy of one that is made once: making one
 * waits for the disk. */
#include "sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep_bed.h"

#ifdef ALCORE_HAVE_SQLITE

/* In the folder of this process template/ is a project with a round of two items and an answer to
 * one of them, now/ what a call gets. */

static void must(alcore_status status) {
    if (status == ALCORE_OK) return;
    fprintf(stderr, "%s\n", alcore_last_error());
    abort();
}

static void make_template(alcore_ctx *ctx) {
    alcore_project *project;
    make_bed("sweep-project");
    put("pool.tsv", "id\ttext\na\tone\nb\tone two\nc\tthree\nd\tfour five\ne\tsix\n");
    put("more.tsv", "id\ttext\na\tone\nf\tseven\n"); /* one is there */
    put("two.csv",
        "id,tags,annotator\na,A B,x\na,A C,y\nb,A,x\nb,A,y\nc,A,x\nc,A,y\nd,B A,x\nd,B B,y\n"
        "e,B,x\ne,C,y\n");
    put("spans.jsonl",
        "{\"text\":\"one\",\"al_id\":\"a\",\"answer\":\"accept\",\"spans\":[{\"start\":0,"
        "\"end\":3,\"label\":\"A\"}]}\n{\"text\":\"one two\",\"al_id\":\"b\",\"answer\":"
        "\"accept\",\"spans\":[]}\n{\"text\":\"three\",\"al_id\":\"c\",\"answer\":\"accept\","
        "\"spans\":[]}\n{\"text\":\"four five\",\"al_id\":\"d\",\"answer\":\"accept\","
        "\"spans\":[]}\n{\"text\":\"six\",\"al_id\":\"e\",\"answer\":\"accept\",\"spans\":"
        "[]}\n");
    put("answers.csv", "id,translation,annotator\na,eins,x\nb,zwei,x\nc,drei,x\nd,vier,x\ne,n,x\n");
    must(alcore_project_init(ctx, in_bed("template"), NULL, NULL, 0, &project));
    must(alcore_project_add(project, ALCORE_ROLE_CANDIDATES, in_bed("pool.tsv"), NULL));
    must(alcore_project_set(project, "strategy", "random"));
    must(alcore_project_set(project, "budget", "2"));
    must(alcore_project_next(project, NULL, NULL, NULL, 0, NULL));
    alcore_project_unref(project);
}

/* Copies a file, or a folder with the folders in it. */
static void copy(const char *from, const char *to) {
    static char block[65536];
    struct stat info;
    if (stat(from, &info) != 0) abort();
    if (S_ISDIR(info.st_mode)) {
        DIR *listing = opendir(from);
        if (!listing || mkdir(to, 0777) != 0) abort();
        for (const struct dirent *entry; (entry = readdir(listing));) {
            char inner[2][TEST_PATH_BYTES + 600];
            if (entry->d_name[0] == '.') continue;
            snprintf(inner[0], sizeof inner[0], "%s/%s", from, entry->d_name);
            snprintf(inner[1], sizeof inner[1], "%s/%s", to, entry->d_name);
            copy(inner[0], inner[1]);
        }
        closedir(listing);
        return;
    }
    const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ssize_t got = 0;
    if (in < 0 || out < 0) abort();
    while ((got = read(in, block, sizeof block)) > 0)
        if (write(out, block, (size_t)got) != got) abort();
    close(in);
    close(out);
}

/* A copy of the template, not opened. */
static const char *fresh(world *w) {
    struct stat info;
    sweep_pause(w);
    if (!*bed) make_template(w->ctx);
    if (stat(in_bed("now"), &info) == 0) test_folder_remove(in_bed("now"));
    copy(in_bed("template"), in_bed("now"));
    sweep_resume(w);
    return in_bed("now");
}

/* A copy of the template, opened. */
static alcore_project *project_of(world *w) {
    alcore_project *project;
    const char *const folder = fresh(w);
    sweep_pause(w);
    must(alcore_project_open(w->ctx, folder, &project));
    sweep_resume(w);
    return project;
}

/* The end of a case: what the project is like goes with it. */
static alcore_status with(alcore_project *project, alcore_status status) {
    alcore_project_unref(project);
    return status;
}

/* The items, rounds and answers of a project, by which a step shows. */
static int64_t steps_of(world *w, alcore_project *project) {
    alcore_project_status status = ALCORE_PROJECT_STATUS_INIT;
    sweep_keep_error(w);
    sweep_pause(w);
    must(alcore_project_get_status(project, &status));
    sweep_resume(w);
    return status.rounds * 1000000 + status.candidates * 10000 + status.items * 100 +
           status.answers;
}

/* Whether a step has happened exactly where the call says so. */
static alcore_status stepped(world *w, alcore_project *project, int64_t before,
                             alcore_status status) {
    const bool changed = steps_of(w, project) != before;
    return changed == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL;
}

/* A failure leaves nothing that would be in the way of the next call. */
ALLOCATES(alcore_project_init, 0) {
    static const char *const names[] = {"lambda", "strategy"}, *const values[] = {"0.5", "huds"};
    alcore_project *out = (alcore_project *)w->pool;
    struct stat info;
    (void)fresh(w);
    sweep_pause(w);
    test_folder_remove(in_bed("now"));
    sweep_resume(w);
    const alcore_status status = alcore_project_init(w->ctx, in_bed("now"), names, values, 2, &out);
    if ((stat(in_bed("now"), &info) == 0) != (status == ALCORE_OK)) return ALCORE_E_INTERNAL;
    MADE(alcore_project_unref, status, out);
}
ALLOCATES(alcore_project_open, 0) {
    alcore_project *out = (alcore_project *)w->pool;
    const alcore_status status = alcore_project_open(w->ctx, fresh(w), &out);
    MADE(alcore_project_unref, status, out);
}
NEVER(alcore_project_ref, 0) {
    alcore_project *project = project_of(w);
    alcore_project_unref(alcore_project_ref(project));
    alcore_project_unref(project);
    HOLDS(!alcore_project_ref(NULL));
}
NEVER(alcore_project_unref, 0) {
    alcore_project_unref(NULL);
    HOLDS(true);
}
ALLOCATES(alcore_project_set, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_set(project, "several", "latest"));
}
ALLOCATES(alcore_project_get, 0) {
    alcore_project *project = project_of(w);
    const char *out = "";
    const alcore_status status = alcore_project_get(project, "strategy", &out);
    const bool right = status == ALCORE_OK ? !strcmp(out, "random") : !out;
    return with(project, right ? status : ALCORE_E_INTERNAL);
}
ALLOCATES(alcore_project_add, 0) {
    alcore_project *project = project_of(w);
    const int64_t before = steps_of(w, project);
    const alcore_status status =
        alcore_project_add(project, ALCORE_ROLE_CANDIDATES, in_bed("more.tsv"), NULL);
    return with(project, stepped(w, project, before, status));
}
ALLOCATES(alcore_project_next, 0) {
    static const char *const names[] = {"strategy", "max_n"}, *const values[] = {"ngram-cover",
                                                                                 "1"};
    alcore_project *project = project_of(w);
    alcore_selection *out = (alcore_selection *)w->pool;
    const int64_t before = steps_of(w, project);
    alcore_status status = alcore_project_next(project, NULL, names, values, 2, &out);
    if (status != ALCORE_OK && out) status = ALCORE_E_INTERNAL;
    if (status == ALCORE_OK) alcore_selection_unref(out);
    return with(project, stepped(w, project, before, status));
}
ALLOCATES(alcore_project_export, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_export(project, "csv", in_bed("out.csv"), 0));
}
ALLOCATES(alcore_project_import, 0) {
    alcore_project *project = project_of(w);
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    const int64_t before = steps_of(w, project);
    const alcore_status status =
        alcore_project_import(project, "csv", in_bed("answers.csv"), NULL, &report);
    return with(project, stepped(w, project, before, status));
}
ALLOCATES(alcore_project_import_spans, 0) {
    alcore_project *project = project_of(w);
    alcore_project_import_report report = ALCORE_PROJECT_IMPORT_REPORT_INIT;
    sweep_pause(w);
    must(alcore_project_set(project, "labels", "A"));
    must(alcore_project_set(project, "task", "spans"));
    const int64_t before = steps_of(w, project);
    sweep_resume(w);
    const alcore_status status = alcore_project_import_spans(
        project, "prodigy", in_bed("spans.jsonl"), NULL, ALCORE_SPAN_BYTES, &report);
    return with(project, stepped(w, project, before, status));
}
ALLOCATES(alcore_project_write_labeled, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_write_labeled(project, in_bed("out.tsv")));
}
ALLOCATES(alcore_project_put_metric, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_put_metric(project, 1, "chrf", 41.5));
}
ALLOCATES(alcore_project_put_metrics, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_put_metrics(project, 1, "chrf 41.5\nbleu 3", 16, NULL));
}
/* A function that makes a file, or gives a measure. */
static alcore_status do_work(void *user, const alcore_project_work *work, const char **out) {
    (void)user;
    if (!work->labeled) {
        *out = "chrf 41.5\nbleu 2";
        return ALCORE_OK;
    }
    const int file = open(work->model, O_WRONLY | O_CREAT, 0666);
    if (file < 0 || write(file, "w", 1) != 1) abort();
    close(file);
    return ALCORE_OK;
}
/* A failure leaves a training that was begun and has not ended, or none. */
ALLOCATES(alcore_project_train, 0) {
    alcore_project *project = project_of(w);
    alcore_project_train_options options = ALCORE_PROJECT_TRAIN_OPTIONS_INIT;
    const char *out = "";
    options.function = do_work;
    sweep_pause(w);
    must(alcore_project_import(project, "csv", in_bed("answers.csv"), NULL, NULL));
    sweep_resume(w);
    const alcore_status status = alcore_project_train(project, &options, &out);
    return with(project, !!out == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL);
}
ALLOCATES(alcore_project_eval, 0) {
    alcore_project *project = project_of(w);
    alcore_project_eval_options options = ALCORE_PROJECT_EVAL_OPTIONS_INIT;
    const char *out = "";
    options.function = do_work;
    const alcore_status status = alcore_project_eval(project, &options, &out);
    return with(project, !!out == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL);
}
ALLOCATES(alcore_project_get_status, 0) {
    alcore_project *project = project_of(w);
    alcore_project_status out = ALCORE_PROJECT_STATUS_INIT;
    const alcore_status status = alcore_project_get_status(project, &out);
    return with(project, (out.items == 2) == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL);
}
/* Two annotators of both items, of words with tags, then of texts. */
ALLOCATES(alcore_project_get_agreement, 0) {
    alcore_project *project = project_of(w);
    alcore_project_agreement out = ALCORE_PROJECT_AGREEMENT_INIT;
    sweep_pause(w);
    must(alcore_project_set(project, "labels", "A,B,C"));
    must(alcore_project_set(project, "task", "tags"));
    must(alcore_project_import(project, "csv", in_bed("two.csv"), NULL, NULL));
    sweep_resume(w);
    alcore_status status = alcore_project_get_agreement(project, &out);
    if ((out.units > 0) != (status == ALCORE_OK)) status = ALCORE_E_INTERNAL;
    if (status != ALCORE_OK) return with(project, status);
    sweep_pause(w);
    must(alcore_project_set(project, "task", "translation"));
    sweep_resume(w);
    return with(project, alcore_project_get_agreement(project, &out));
}
ALLOCATES(alcore_project_document, 0) {
    alcore_project *project = project_of(w);
    const char *out = "";
    const alcore_status status = alcore_project_document(project, &out);
    return with(project, !!out == (status == ALCORE_OK) ? status : ALCORE_E_INTERNAL);
}
ALLOCATES(alcore_project_write_report, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_write_report(project, in_bed("out.html")));
}
ALLOCATES(alcore_project_verify, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_verify(project));
}
ALLOCATES(alcore_project_gc, 0) {
    alcore_project *project = project_of(w);
    return with(project, alcore_project_gc(project, NULL));
}

#endif
