/* SPDX-License-Identifier: Apache-2.0 */
/* Files that fail (reliability goal R2): of every call that reads or writes a file, operation k of
 * the virtual file table fails, for k = 1, 2, ... An error comes back with the table's own text, no
 * file is left behind, the target stays as it was, and the same call then succeeds. Short reads
 * change nothing. Last, a disk that is really full. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "base/rng.h"
#include "column_rows.h"
#include "lm_calls.h"
#include "must.h"
#include "tap.h"
#include "test_folder.h"

enum { OPEN, CREATE, READ, LENGTH, WRITE, SYNC, CLOSE, RENAME, OPERATIONS };
static const char *const operation_names[] = {"open",  "create", "read",  "length",
                                              "write", "sync",   "close", "rename"};

/* A table over the file system that fails on request. */
typedef struct failing_files {
    int operation; /* that fails; OPERATIONS: none */
    long at;       /* at its k-th call, from 1 */
    long calls;    /* of that operation */
    size_t longest_read;
} failing_files;

typedef struct open_file {
    int descriptor;
    bool written;
} open_file;

static bool fails(failing_files *files, int operation) {
    return files->operation == operation && ++files->calls == files->at;
}

static alcore_status injected(int operation) {
    char text[64];
    int length = snprintf(text, sizeof text, "injected failure of %s", operation_names[operation]);
    return alcore_error_set(ALCORE_E_IO, text, (size_t)length);
}

static alcore_status failed(const char *what) {
    return alcore_error_set(ALCORE_E_IO, what, strlen(what));
}

static alcore_status files_open(void *user, const char *path, int32_t mode, void **out) {
    bool create = mode == ALCORE_FILE_CREATE;
    *out = NULL;
    if (fails(user, create ? CREATE : OPEN)) return injected(create ? CREATE : OPEN);
    int descriptor = open(path, create ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY, 0666);
    if (descriptor < 0) {
        failed("open");
        return errno == EEXIST ? ALCORE_E_EXISTS : ALCORE_E_IO;
    }
    open_file *file = malloc(sizeof *file);
    *file = (open_file){descriptor, create};
    *out = file;
    return ALCORE_OK;
}

static alcore_status files_read(void *user, void *handle, int64_t offset, void *buffer,
                                size_t bytes, size_t *out_bytes) {
    failing_files *files = user;
    open_file *file = handle;
    *out_bytes = 0;
    if (fails(files, READ)) return injected(READ);
    if (files->longest_read && bytes > files->longest_read) bytes = files->longest_read;
    ssize_t got = pread(file->descriptor, buffer, bytes, (off_t)offset);
    if (got < 0) return failed("read");
    *out_bytes = (size_t)got;
    return ALCORE_OK;
}

static alcore_status files_write(void *user, void *handle, const void *data, size_t bytes) {
    open_file *file = handle;
    bool fail = fails(user, WRITE);
    /* A full disk takes a part. */
    if (write(file->descriptor, data, fail ? bytes / 2 : bytes) < 0) return failed("write");
    return fail ? injected(WRITE) : ALCORE_OK;
}

static alcore_status files_length(void *user, void *handle, int64_t *out_bytes) {
    open_file *file = handle;
    struct stat facts;
    *out_bytes = -1;
    if (fails(user, LENGTH)) return injected(LENGTH);
    if (fstat(file->descriptor, &facts) != 0) return failed("length");
    *out_bytes = facts.st_size;
    return ALCORE_OK;
}

static alcore_status files_sync(void *user, void *handle) {
    (void)handle;
    return fails(user, SYNC) ? injected(SYNC) : ALCORE_OK;
}

static alcore_status files_close(void *user, void *handle) {
    open_file *file = handle;
    bool written = file->written;
    close(file->descriptor);
    free(file);
    return written && fails(user, CLOSE) ? injected(CLOSE) : ALCORE_OK;
}

static alcore_status files_rename(void *user, const char *from, const char *to) {
    if (fails(user, RENAME)) return injected(RENAME);
    return rename(from, to) == 0 ? ALCORE_OK : failed("rename");
}

static alcore_status files_remove(void *user, const char *path) {
    (void)user;
    return unlink(path) == 0 ? ALCORE_OK : failed("remove");
}

/* ---- the folder ---- */

static char folder[TEST_PATH_BYTES];

static const char *in_folder(const char *name) {
    static char paths[4][200];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file)) exit(2);
}

/* A hash of the names and contents of a folder's files. */
static uint64_t folder_digest(const char *path) {
    uint64_t digest = 0;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char name[600], data[4096];
        size_t got;
        if (entry->d_name[0] == '.' && strlen(entry->d_name) <= 2) continue;
        digest += alcore__hash64(entry->d_name, strlen(entry->d_name));
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        FILE *file = fopen(name, "r");
        while (file && (got = fread(data, 1, sizeof data, file)) > 0)
            digest = digest * 31 + alcore__hash64(data, got) * alcore__hash64(name, strlen(name));
        if (file) fclose(file);
    }
    if (directory) closedir(directory);
    return digest;
}

/* ---- the calls ---- */

typedef struct stage {
    failing_files files;
    alcore_ctx *ctx;
    alcore_pool *pool;
    alcore_lm *lm;
    alcore_links *links;
    alcore_annotations *annotations;
    alcore_mix *mix;
    alcore_selection *selection;
    alcore_column_writer *writer;
    alcore_project *project; /* with a round, in the folder "p" */
} stage;

static alcore_status read_pool(stage *s, const char *name) {
    alcore_pool *pool;
    alcore_status status = alcore_pool_new(s->ctx, NULL, &pool);
    if (status != ALCORE_OK) return status;
    status = alcore_pool_read(pool, in_folder(name), NULL);
    if (alcore_pool_row_count(pool) != (status == ALCORE_OK ? 300 : 0)) status = ALCORE_E_INTERNAL;
    if (status == ALCORE_OK &&
        strcmp(alcore_pool_text(pool, 299, NULL), alcore_pool_text(s->pool, 299, NULL)) != 0)
        status = ALCORE_E_INTERNAL;
    alcore_pool_unref(pool);
    return status;
}
static alcore_status read_text(stage *s) {
    return read_pool(s, "pool.txt");
}
static alcore_status read_tsv(stage *s) {
    return read_pool(s, "rows.tsv");
}
static alcore_status read_npy(stage *s) {
    double first[2] = {0, 0};
    const int64_t row[2] = {0, 299};
    alcore_status status = alcore_pool_read_column(s->pool, "again", in_folder("scores.npy"), NULL);
    if (status == ALCORE_OK) status = test_column_rows(s->pool, "again", row, 2, first);
    if (status == ALCORE_OK && first[1] != 299) status = ALCORE_E_INTERNAL;
    if (status != ALCORE_OK) alcore_pool_drop_column(s->pool, "again");
    return status;
}
static alcore_status read_arpa(stage *s) {
    alcore_lm *lm = NULL;
    alcore_status status = alcore_lm_open_arpa(s->ctx, in_folder("lm.arpa"), &lm);
    if (status == ALCORE_OK && lm_ngrams(lm, 1) != lm_ngrams(s->lm, 1)) status = ALCORE_E_INTERNAL;
    if (status != ALCORE_OK && lm) status = ALCORE_E_INTERNAL;
    alcore_lm_unref(lm);
    return status;
}
static alcore_status merge_column(stage *s) {
    alcore_column_writer *writer;
    alcore_status status =
        alcore_column_writer_new(s->pool, "part", ALCORE_COLUMN_SCALAR, NULL, &writer);
    if (status != ALCORE_OK) return status;
    int64_t before = alcore_column_writer_missing_count(writer);
    status = alcore_column_writer_merge(writer, in_folder("part.column"));
    if (status != ALCORE_OK && alcore_column_writer_missing_count(writer) != before)
        status = ALCORE_E_INTERNAL;
    alcore_column_writer_unref(writer);
    return status;
}
static alcore_status write_tsv(stage *s) {
    return alcore_selection_write(s->selection, in_folder("out.tsv"), NULL);
}
static alcore_status write_jsonl(stage *s) {
    return alcore_selection_write(s->selection, in_folder("out.jsonl"), NULL);
}
static alcore_status write_report(stage *s) {
    return alcore_selection_report(s->selection, in_folder("out.html"), NULL);
}
static alcore_status write_rows(stage *s) {
    int64_t rows[300];
    for (int64_t i = 0; i < 300; i++) rows[i] = i;
    return alcore_pool_write(s->pool, rows, 300, in_folder("rows.tsv"), NULL);
}
static alcore_status write_phrases(stage *s) {
    alcore_pool *phrases;
    alcore_status status = alcore_pool_derive_phrases(s->pool, NULL, NULL, &phrases);
    if (status != ALCORE_OK) return status;
    status = alcore_pool_write_phrases(phrases, in_folder("phrases.tsv"), NULL);
    alcore_pool_unref(phrases);
    return status;
}
static alcore_status write_column(stage *s) {
    return alcore_pool_write_column(s->pool, "scores", in_folder("scores.npy"), NULL);
}
static alcore_status write_arpa(stage *s) {
    return alcore_lm_write_arpa(s->lm, in_folder("lm.arpa"));
}
static alcore_status write_links(stage *s) {
    return alcore_links_write(s->links, in_folder("links.txt"));
}
static alcore_status read_links(stage *s) {
    alcore_links *links = NULL;
    alcore_status status = alcore_links_open(s->ctx, in_folder("links.txt"), 3, &links);
    if (status != ALCORE_OK && links) status = ALCORE_E_INTERNAL;
    alcore_links_unref(links);
    return status;
}
static alcore_status write_answers(stage *s) {
    return alcore_annotations_write(s->annotations, in_folder("answers.tsv"), NULL);
}
static alcore_status write_requests(stage *s) {
    return alcore_annotations_write_requests(s->annotations, in_folder("requests.jsonl"), NULL);
}
static alcore_status read_items(stage *s) {
    alcore_annotations *items = NULL;
    alcore_status status = alcore_annotations_new(s->pool, &items);
    if (status == ALCORE_OK)
        status = alcore_annotations_read_selection(items, in_folder("rows.tsv"));
    alcore_annotations_unref(items);
    return status;
}
static alcore_status write_mix(stage *s) {
    return alcore_mix_write(s->mix, in_folder("train.tsv"), NULL);
}
/* A prefix of its own for each call, so that a file that is left behind is a new one. */
static alcore_status write_parallel(stage *s) {
    static int number;
    char name[32];
    snprintf(name, sizeof name, "pairs-%d", number++);
    return alcore_mix_write_parallel(s->mix, in_folder(name));
}
static alcore_status write_aligner(stage *s) {
    static const char *const texts[] = {"a b", "c"};
    alcore_aligner *aligner;
    alcore_status status =
        alcore_aligner_new_trained(s->ctx, texts, NULL, texts, NULL, 2, NULL, &aligner);
    if (status == ALCORE_OK) status = alcore_aligner_write(aligner, in_folder("aligner"));
    alcore_aligner_unref(aligner);
    return status;
}
static alcore_status plot(stage *s, const char *name) {
    static const char *const series[] = {"a", "b"};
    static const double x[] = {1, 2};
    return alcore_plot_write_curves(s->ctx, series, NULL, NULL, x, x, 2, in_folder(name), NULL);
}
static alcore_status draw_plot(stage *s) {
    return plot(s, "plot.svg");
}
static alcore_status tabulate_plot(stage *s) {
    return plot(s, "plot.tsv");
}
static alcore_status save_column(stage *s) {
    return alcore_column_writer_save(s->writer, in_folder("part.column"));
}

/* The status of a call on the project, of which every byte has to be what it was, or what the call
 * made of it. */
static alcore_status whole(stage *s, alcore_status status) {
    const int operation = s->files.operation;
    s->files.operation = OPERATIONS;
    const bool is_whole = alcore_project_verify(s->project) == ALCORE_OK;
    s->files.operation = operation;
    return is_whole ? status : ALCORE_E_INTERNAL;
}
static alcore_status add_to_project(stage *s) {
    return whole(
        s, alcore_project_add(s->project, ALCORE_ROLE_EXCLUDED, in_folder("known.txt"), NULL));
}
static alcore_status select_round(stage *s) {
    return whole(s, alcore_project_next(s->project, NULL, NULL, NULL, 0, NULL));
}
static alcore_status import_round(stage *s) {
    return whole(s, alcore_project_import(s->project, "csv", in_folder("back.csv"), NULL, NULL));
}
static alcore_status write_labeled(stage *s) {
    return whole(s, alcore_project_write_labeled(s->project, in_folder("labeled.tsv")));
}
static alcore_status verify_project(stage *s) {
    return alcore_project_verify(s->project);
}

static const struct {
    const char *name;
    alcore_status (*call)(stage *s);
} calls[] = {{"alcore_selection_write .tsv", write_tsv},
             {"alcore_selection_write .jsonl", write_jsonl},
             {"alcore_selection_report", write_report},
             {"alcore_pool_write", write_rows},
             {"alcore_pool_write_phrases", write_phrases},
             {"alcore_pool_write_column", write_column},
             {"alcore_lm_write_arpa", write_arpa},
             {"alcore_column_writer_save", save_column},
             {"alcore_pool_read .txt", read_text},
             {"alcore_pool_read .tsv", read_tsv},
             {"alcore_pool_read_column .npy", read_npy},
             {"alcore_lm_open_arpa", read_arpa},
             {"alcore_column_writer_merge", merge_column},
             {"alcore_links_write", write_links},
             {"alcore_links_open", read_links},
             {"alcore_annotations_write", write_answers},
             {"alcore_annotations_write_requests", write_requests},
             {"alcore_annotations_read_selection", read_items},
             {"alcore_mix_write", write_mix},
             {"alcore_mix_write_parallel", write_parallel},
             {"alcore_aligner_write", write_aligner},
             {"alcore_plot_write_curves .svg", draw_plot},
             {"alcore_plot_write_curves .tsv", tabulate_plot},
             {"alcore_project_add", add_to_project},
             {"alcore_project_next", select_round},
             {"alcore_project_import", import_round},
             {"alcore_project_write_labeled", write_labeled},
             {"alcore_project_verify", verify_project}};

/* Every failure of one operation. NULL, or what was wrong. */
static const char *sweep(stage *s, alcore_status (*call)(stage *s), int operation) {
    static char detail[300];
    for (long at = 1;; at++) {
        uint64_t digest = folder_digest(folder);
        s->files.operation = operation;
        s->files.at = at;
        s->files.calls = 0;
        alcore_status status = call(s);
        char text[200];
        snprintf(text, sizeof text, "%.199s", alcore_last_error());
        bool met = s->files.calls >= at;
        s->files.operation = OPERATIONS;
        const char *bad = NULL;
        if (!met && status == ALCORE_OK) return NULL;
        if (!met)
            bad = "it failed without a failing operation";
        else if (status == ALCORE_OK)
            bad = "the failure was not noticed";
        else if (status != ALCORE_E_IO)
            bad = "the status is not ALCORE_E_IO";
        else if (folder_digest(folder) != digest)
            bad = "a file was left behind or changed";
        else if (call(s) != ALCORE_OK)
            bad = "the same call does not succeed afterwards";
        if (bad) {
            snprintf(detail, sizeof detail, "%s number %ld: %s (%s, \"%s\")",
                     operation_names[operation], at, bad, alcore_status_name(status), text);
            return detail;
        }
    }
}

/* Texts that are no candidates, and an answer to each candidate, which may be an item. */
static void make_project(stage *s) {
    char answers[300 * 16] = "id,translation\n";
    for (int row = 1; row <= 300; row++) snprintf(answers + strlen(answers), 16, "%d,x\n", row);
    put_file(in_folder("back.csv"), answers);
    put_file(in_folder("known.txt"), "nobody has this\n");
    MUST(alcore_project_init(s->ctx, in_folder("p"), NULL, NULL, 0, &s->project));
    MUST(alcore_project_add(s->project, ALCORE_ROLE_CANDIDATES, in_folder("pool.txt"), NULL));
    MUST(alcore_project_set(s->project, "strategy", "random"));
    MUST(alcore_project_set(s->project, "dedup", "none"));
    MUST(alcore_project_set(s->project, "budget", "1"));
    MUST(alcore_project_next(s->project, NULL, NULL, NULL, 0, NULL));
}

static void stage_begin(stage *s, bool own_files) {
    memset(s, 0, sizeof *s);
    s->files.operation = OPERATIONS;
    alcore_files table = ALCORE_FILES_INIT;
    table.user = &s->files;
    table.open = files_open;
    table.read = files_read;
    table.write = files_write;
    table.length = files_length;
    table.sync = files_sync;
    table.close = files_close;
    table.rename = files_rename;
    table.remove = files_remove;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    if (own_files) options.files = &table;
    options.threads = 1;
    MUST(alcore_ctx_new(&options, &s->ctx));
    MUST(alcore_pool_new(s->ctx, NULL, &s->pool));
    MUST(alcore_pool_read(s->pool, in_folder("pool.txt"), NULL));
    int64_t rows = alcore_pool_row_count(s->pool), some = 3;
    double *scores = calloc((size_t)rows, sizeof *scores);
    for (int64_t i = 0; i < rows; i++) scores[i] = (double)i;
    alcore_tensor values;
    MUST(alcore_tensor_init(&values, scores, ALCORE_FLOAT64, &rows, 1));
    MUST(alcore_pool_set_column(s->pool, "scores", &values, NULL, NULL));
    MUST(alcore_column_writer_new(s->pool, "part", ALCORE_COLUMN_SCALAR, NULL, &s->writer));
    MUST(alcore_tensor_init(&values, scores, ALCORE_FLOAT64, &some, 1));
    MUST(alcore_column_writer_put(s->writer, (const int64_t[]){5, 6, 7}, NULL, 3, &values));
    free(scores);
    const char *texts[3] = {"a b c", "b c d", "c d e"};
    MUST(alcore_lm_new_trained(s->ctx, texts, NULL, 3, NULL, &s->lm));
    MUST(alcore_align(s->ctx, texts, NULL, texts, NULL, 3, NULL, NULL, NULL, &s->links));
    const char *translations[3] = {"A", NULL, "C"};
    alcore_annotation_records items = ALCORE_ANNOTATION_RECORDS_INIT;
    items.texts = texts;
    items.translations = translations;
    items.count = 3;
    MUST(alcore_annotations_new(s->pool, &s->annotations));
    MUST(alcore_annotations_add(s->annotations, &items));
    MUST(alcore_mix_new(s->ctx, NULL, s->pool, s->annotations, NULL, &s->mix));
    alcore_strategy *strategy;
    alcore_request *request;
    MUST(alcore_strategy_new(s->ctx, "random", &strategy));
    MUST(alcore_request_new(s->ctx, &request));
    MUST(alcore_request_set_strategy(request, strategy));
    MUST(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, s->pool));
    MUST(alcore_request_set(request, "budget", "200"));
    MUST(alcore_select(request, &s->selection));
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    if (own_files) make_project(s);
}

static void stage_end(stage *s) {
    if (s->project) test_folder_remove(in_folder("p"));
    alcore_project_unref(s->project);
    alcore_selection_unref(s->selection);
    alcore_column_writer_unref(s->writer);
    alcore_mix_unref(s->mix);
    alcore_annotations_unref(s->annotations);
    alcore_links_unref(s->links);
    alcore_lm_unref(s->lm);
    alcore_pool_unref(s->pool);
    alcore_ctx_unref(s->ctx);
}

static void failing_operations(void) {
    stage s;
    char name[100];
    stage_begin(&s, true);
    put_file(in_folder("out.tsv"), "what stood there before\n");
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        for (int operation = 0; operation < OPERATIONS; operation++) {
            const char *bad = sweep(&s, calls[c].call, operation);
            snprintf(name, sizeof name, "%s: %s fails", calls[c].name, operation_names[operation]);
            tap_ok(!bad, name, bad);
        }
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        s.files.longest_read = 7;
        alcore_status status = calls[c].call(&s);
        snprintf(name, sizeof name, "%s: short reads change nothing", calls[c].name);
        tap_ok(status == ALCORE_OK, name, alcore_last_error());
        s.files.longest_read = 0;
    }
    stage_end(&s);
}

/* A small disk of our own, where the kernel allows it in a mount namespace that ends with the test.
 */
static void full_disk(void) {
    const char *name = "full disk: an error, nothing left, the old file stands";
    if (unshare(CLONE_NEWNS) == 0) mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
    if (mount("tmpfs", folder, "tmpfs", 0, "size=64k") != 0) {
        tap_skip(name, "no right to mount a small disk");
        return;
    }
    char text[20000];
    memset(text, 'x', sizeof text);
    for (size_t i = 79; i < sizeof text; i += 80) text[i] = '\n';
    text[sizeof text - 1] = '\0';
    put_file(in_folder("pool.txt"), text);
    stage s;
    stage_begin(&s, false);
    put_file(in_folder("out.tsv"), "what stood there before\n");
    put_file(in_folder("filler"), text);
    put_file(in_folder("filler2"), text);
    uint64_t digest = folder_digest(folder);
    alcore_status status = write_tsv(&s);
    tap_ok(status == ALCORE_E_IO && strstr(alcore_last_error(), "space") &&
               folder_digest(folder) == digest,
           name, alcore_last_error());
    stage_end(&s);
    umount(folder);
}

int main(void) {
    test_folder_make(folder, "files");
    FILE *file = fopen(in_folder("pool.txt"), "w");
    if (!file) return 2;
    for (int i = 0; i < 300; i++)
        fprintf(file, "text number %d of the pool, with some more words\n", i);
    fclose(file);
    failing_operations();
    full_disk();
    test_folder_remove(folder);
    return tap_end();
}
