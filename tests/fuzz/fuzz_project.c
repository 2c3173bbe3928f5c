/* SPDX-License-Identifier: Apache-2.0 */
/* A project.sqlite from somewhere else: bytes of one that was made here are changed, and each page
 * gets the digest of what it has then, as whoever wants to be opened would do. An input is a list
 * of changes of four bytes: page, offset in it (two bytes), the new value.
 *
 * Whatever the database says, each call returns with one of its codes, and the folder of the
 * project is the only one that is written. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra/project.h"
#include "base/base.h"
#include "base/rng.h"
#include "fuzz_target.h"
#include "test_folder.h"

enum { PAGE = 4096, DIGEST = 16, MAX_PAGES = 64 };

static char bed[TEST_PATH_BYTES];
static unsigned char original[MAX_PAGES * PAGE];
static size_t original_bytes;

static const char *in_bed(const char *name) {
    static char path[2][TEST_PATH_BYTES + 40];
    static int next;
    next = !next;
    snprintf(path[next], sizeof path[next], "%s/%s", bed, name);
    return path[next];
}

static void put(const char *name, const void *data, size_t bytes) {
    FILE *file = fopen(in_bed(name), "wb");
    FUZZ_CHECK(file && fwrite(data, 1, bytes, file) == bytes);
    fclose(file);
}

static void remove_bed(void) {
    test_folder_remove(bed);
}

/* A project in which each table has rows. */
static void make_original(void) {
    static const char texts[] = "id\ttext\na\tone two\nb\tthree\nc\tfour five six\nd\tseven\n";
    static const char answers[] = "id,translation,annotator\na,1,x\na,2,y\nb,3,x\nc,4,x\nd,5,y\n";
    alcore_ctx *ctx;
    alcore_project *project;
    strcpy(bed, "/dev/shm/alcore-fuzz-project-XXXXXX");
    if (!mkdtemp(bed)) test_folder_make(bed, "fuzz-project");
    atexit(remove_bed);
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    put("pool.tsv", texts, strlen(texts));
    put("in.csv", answers, strlen(answers));
    FUZZ_CHECK(alcore_ctx_new(NULL, &ctx) == ALCORE_OK);
    FUZZ_CHECK(alcore_project_init(ctx, in_bed("p"), NULL, NULL, 0, &project) == ALCORE_OK);
    FUZZ_CHECK(alcore_project_add(project, ALCORE_ROLE_CANDIDATES, in_bed("pool.tsv"), NULL) ==
               ALCORE_OK);
    FUZZ_CHECK(alcore_project_set(project, "strategy", "random") == ALCORE_OK);
    FUZZ_CHECK(alcore_project_set(project, "budget", "3") == ALCORE_OK);
    FUZZ_CHECK(alcore_project_next(project, NULL, NULL, NULL, 0, NULL) == ALCORE_OK);
    FUZZ_CHECK(alcore_project_export(project, "csv", in_bed("out.csv"), 0) == ALCORE_OK);
    FUZZ_CHECK(alcore_project_import(project, "csv", in_bed("in.csv"), NULL, NULL) == ALCORE_OK);
    FUZZ_CHECK(alcore_project_put_metric(project, 1, "chrf", 41.5) == ALCORE_OK);
    alcore_project_unref(project);
    alcore_ctx_unref(ctx);
    FILE *file = fopen(in_bed("p/project.sqlite"), "rb");
    FUZZ_CHECK(file);
    original_bytes = fread(original, 1, sizeof original, file);
    FUZZ_CHECK(original_bytes < sizeof original && original_bytes % PAGE == 0);
    fclose(file);
}

/* The digest of a page, as lib/extra/project/checked_pages.c has it. */
static void sign(unsigned char *page, size_t number) {
    const alcore__hash hash = alcore__hash128(page, PAGE - DIGEST);
    const uint64_t halves[2] = {hash.low ^ alcore__scramble(number), hash.high};
    for (int i = 0; i < DIGEST; i++)
        page[PAGE - DIGEST + i] = (unsigned char)(halves[i / 8] >> (8 * (i % 8)));
}

/* A code that the header lists for some call; an error inside of the library is none. */
static void check(alcore_status status) {
    if (status == ALCORE_E_INTERNAL) fprintf(stderr, "%s\n", alcore_last_error());
    FUZZ_CHECK(status <= ALCORE_OK && status != ALCORE_E_INTERNAL);
}

/* Asks for everything, and changes what can be changed. */
static void use(alcore_project *project) {
    alcore_project_status status = ALCORE_PROJECT_STATUS_INIT;
    const char *text;
    check(alcore_project_get_status(project, &status));
    check(alcore_project_document(project, &text));
    check(alcore_project_get(project, "budget", &text));
    check(alcore_project_verify(project));
    check(alcore_project_write_labeled(project, in_bed("labeled.tsv")));
    check(alcore_project_write_report(project, in_bed("report.html")));
    check(alcore_project_export(project, "csv", in_bed("out.csv"), -1));
    check(alcore_project_import(project, "csv", in_bed("in.csv"), "z", NULL));
    check(alcore_project_set(project, "several", "latest"));
    check(alcore_project_next(project, NULL, NULL, NULL, 0, NULL));
    check(alcore_project_document(project, &text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static unsigned char changed[sizeof original];
    alcore_ctx *ctx;
    alcore_project *project;
    if (original_bytes == 0) make_original();
    memcpy(changed, original, original_bytes);
    for (; bytes >= 4; data += 4, bytes -= 4) {
        const size_t page = data[0] % (original_bytes / PAGE);
        changed[page * PAGE + (data[1] * 256u + data[2]) % (PAGE - DIGEST)] = data[3];
    }
    for (size_t page = 0; page < original_bytes / PAGE; page++)
        sign(changed + page * PAGE, page + 1);
    put("p/project.sqlite", changed, original_bytes);
    put("p/project.sqlite-journal", "", 0);
    FUZZ_CHECK(alcore_ctx_new(NULL, &ctx) == ALCORE_OK);
    const alcore_status status = alcore_project_open(ctx, in_bed("p"), &project);
    check(status);
    if (status == ALCORE_OK) use(project);
    fuzz_accepted += status == ALCORE_OK;
    alcore_project_unref(project);
    alcore_ctx_unref(ctx);
    return 0;
}
