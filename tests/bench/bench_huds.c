/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS with ready scores: seconds, memory, and what it reads.
 *
 *     bench_huds memory [ROWS [DIMS]]    float32 in memory (1,000,000 x 384), the median of RUNS
 *     bench_huds file [ROWS [DIMS]]      float16 in a .npy (5,000,000 x 768), once
 *
 * The file is made first, in the folder $ALCORE_BENCH_DIR or $TMPDIR, and removed at the end. It is
 * to be read twice, in order, with at most 1 GiB of memory that belongs to no file; else the
 * program fails. */
#include <alcore/extra.h>

#include "base/rng.h"
#include "bench_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define RUNS 5
#define MOST_ANONYMOUS_MIB 1024.0
#define NPY_HEADER 128

static void fail(const char *what) {
    const char *why = alcore_last_error();
    fprintf(stderr, "bench_huds: %s: %s\n", what, *why ? why : strerror(errno));
    exit(1);
}

static void check(alcore_status status, const char *what) {
    if (status != ALCORE_OK) fail(what);
}

static void *room(size_t bytes) {
    void *memory = malloc(bytes);
    if (!memory) fail("memory");
    return memory;
}

/* ---- a file table that counts ---- */

static struct {
    _Atomic int64_t bytes, reads;
    _Atomic int64_t begins; /* reads of the first number: passes over the matrix, and samples */
    _Atomic int64_t next;   /* the furthest byte read in this pass */
    _Atomic int64_t jumps;  /* reads that begin elsewhere than a few blocks around next */
    int64_t near;           /* what "a few blocks" is: threads read blocks side by side */
} counted;

static alcore_status open_file(void *user, const char *path, int32_t mode, void **out) {
    (void)user;
    int *file = room(sizeof *file);
    *file = open(path, mode == ALCORE_FILE_READ ? O_RDONLY : O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (*file < 0) {
        free(file);
        return alcore_error_set(ALCORE_E_IO, path, strlen(path));
    }
    *out = file;
    return ALCORE_OK;
}

static alcore_status read_file(void *user, void *file, int64_t offset, void *buffer, size_t bytes,
                               size_t *out_bytes) {
    (void)user;
    const ssize_t got = pread(*(int *)file, buffer, bytes, offset);
    if (got < 0) return alcore_error_set(ALCORE_E_IO, "pread", 5);
    *out_bytes = (size_t)got;
    if (offset < NPY_HEADER) return ALCORE_OK;
    const int64_t next = atomic_load(&counted.next);
    if (offset == NPY_HEADER) {
        counted.begins++;
    } else if (llabs(offset - next) > counted.near) {
        counted.jumps++;
    }
    atomic_store(&counted.next, offset + got);
    counted.bytes += got;
    counted.reads++;
    return ALCORE_OK;
}

static alcore_status length_of(void *user, void *file, int64_t *out) {
    (void)user;
    struct stat facts;
    if (fstat(*(int *)file, &facts) != 0) return alcore_error_set(ALCORE_E_IO, "fstat", 5);
    *out = facts.st_size;
    return ALCORE_OK;
}

static alcore_status close_file(void *user, void *file) {
    (void)user;
    close(*(int *)file);
    free(file);
    return ALCORE_OK;
}

/* ---- memory that belongs to no file ---- */

static atomic_bool watching = true;
static _Atomic int64_t most_anonymous_kib;

static int64_t anonymous_kib(void) {
    char line[128];
    long long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %lld", &kib) == 1) break;
    if (status) fclose(status);
    return kib;
}

static void *watch(void *unused) {
    (void)unused;
    while (watching) {
        const int64_t now = anonymous_kib();
        if (now > most_anonymous_kib) most_anonymous_kib = now;
        nanosleep(&(struct timespec){.tv_nsec = 5 * 1000 * 1000}, NULL);
    }
    return NULL;
}

/* ---- what is selected from ---- */

/* Rows need a text each; these take a few bytes. */
static alcore_pool *make_pool(alcore_ctx *ctx, int64_t rows) {
    enum { AT_ONCE = 8192, LONGEST = 24 };
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    alcore_pool *pool;
    static char text[AT_ONCE][LONGEST];
    const char *texts[AT_ONCE];
    check(alcore_pool_new(ctx, &options, &pool), "pool");
    for (int64_t row = 0; row < rows;) {
        int64_t count = 0, first;
        for (; count < AT_ONCE && row < rows; count++, row++) {
            snprintf(text[count], LONGEST, "%" PRId64, row);
            texts[count] = text[count];
        }
        check(alcore_pool_add_texts(pool, texts, NULL, count, &first), "texts");
    }
    return pool;
}

static double *make_scores(int64_t rows) {
    double *scores = room((size_t)rows * sizeof *scores);
    alcore__rng rng;
    alcore__rng_seed(&rng, 2);
    for (int64_t i = 0; i < rows; i++) scores[i] = alcore__rng_f64(&rng) + alcore__rng_f64(&rng);
    return scores;
}

static void set_scores(alcore_pool *pool, double *scores, int64_t rows) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    alcore_tensor tensor;
    check(alcore_tensor_init(&tensor, scores, ALCORE_FLOAT64, &rows, 1), "scores");
    check(alcore_pool_set_column(pool, "scores", &tensor, NULL, &options), "scores");
}

/* Selects 10,000 rows; returns a hash of them. */
static uint64_t choose(alcore_ctx *ctx, alcore_pool *pool) {
    alcore_request *request;
    alcore_selection *selection;
    check(alcore_request_new(ctx, &request), "request");
    check(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool), "pool");
    check(alcore_request_set(request, "budget", "10000"), "budget");
    check(alcore_select(request, &selection), "select");
    const int64_t count = alcore_selection_count(selection);
    const uint64_t hash =
        alcore__hash64(alcore_selection_rows(selection), (size_t)count * sizeof(int64_t));
    alcore_selection_unref(selection);
    alcore_request_unref(request);
    return hash;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- in memory ---- */

static int in_memory(int64_t rows, int64_t dims) {
    alcore_ctx *ctx;
    check(alcore_ctx_new(NULL, &ctx), "context");
    alcore_pool *pool = make_pool(ctx, rows);
    double *scores = make_scores(rows), wall[RUNS], cpu[RUNS];
    float *matrix = room((size_t)(rows * dims) * sizeof *matrix);
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int64_t i = 0; i < rows * dims; i++)
        matrix[i] = (float)((int64_t)(alcore__rng_u64(&rng) >> 40) - (1 << 23)) * 0x1p-23F;
    set_scores(pool, scores, rows);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    int64_t shape[2] = {rows, dims};
    alcore_tensor tensor;
    check(alcore_tensor_init(&tensor, matrix, ALCORE_FLOAT32, shape, 2), "embeddings");
    check(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, &options), "embeddings");
    uint64_t hash = choose(ctx, pool);
    for (int i = 0; i < RUNS; i++) {
        const times begin = now();
        if (choose(ctx, pool) != hash) fail("another run picks other rows");
        const times used = since(begin);
        wall[i] = used.wall;
        cpu[i] = used.cpu;
    }
    qsort(wall, RUNS, sizeof *wall, compare);
    qsort(cpu, RUNS, sizeof *cpu, compare);
    const double gib = (double)(rows * dims) * sizeof *matrix / (1 << 30);
    printf("%" PRId64 " x %" PRId64 " float32 in memory, %d threads, median of %d: the matrix of "
           "%.2f GiB is read twice\n",
           rows, dims, (int)alcore_ctx_threads(ctx), RUNS, gib);
    printf("result huds_memory_wall %.3f s\n", wall[RUNS / 2]);
    printf("result huds_memory_cpu %.3f s\n", cpu[RUNS / 2]);
    printf("result huds_memory_read %.2f GiB/cpu-second\n", 2.0 * gib / cpu[RUNS / 2]);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    free(matrix);
    free(scores);
    return 0;
}

/* ---- in a file ---- */

/* Numbers of both signs between 1/8 and 2 in a .npy. */
static void write_matrix(const char *path, int64_t rows, int64_t dims) {
    enum { WORDS = 1 << 15 };
    static uint64_t block[WORDS];
    char header[NPY_HEADER + 1];
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    const int used =
        snprintf(header + 10, sizeof header - 10,
                 "{'descr': '<f2', 'fortran_order': False, 'shape': (%" PRId64 ", %" PRId64 "), }",
                 rows, dims);
    memset(header + 10 + used, ' ', (size_t)(NPY_HEADER - 11 - used));
    header[NPY_HEADER - 1] = '\n';
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(header, 1, NPY_HEADER, file) != NPY_HEADER) fail(path);
    alcore__rng rng;
    alcore__rng_seed(&rng, 1);
    for (int64_t left = rows * dims * 2; left > 0;) {
        for (int i = 0; i < WORDS; i++)
            block[i] = (alcore__rng_u64(&rng) & 0x8FFF8FFF8FFF8FFF) | 0x3000300030003000;
        const size_t bytes = left < (int64_t)sizeof block ? (size_t)left : sizeof block;
        if (fwrite(block, 1, bytes, file) != bytes) fail(path);
        left -= (int64_t)bytes;
    }
    if (fclose(file) != 0) fail(path);
}

static char matrix_path[512];

static void remove_matrix(void) {
    remove(matrix_path);
}

static int select_from(const char *path, int64_t rows, int64_t dims) {
    alcore_files files = ALCORE_FILES_INIT;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    files.open = open_file;
    files.read = read_file;
    files.length = length_of;
    files.close = close_file;
    options.files = &files;
    check(alcore_ctx_new(&options, &ctx), "context");
    double *scores = make_scores(rows);
    alcore_pool *pool = make_pool(ctx, rows);
    set_scores(pool, scores, rows);
    check(alcore_pool_read_column(pool, "embeddings", path, NULL), "embeddings");
    remove_matrix(); /* it stays until it is closed */
    counted.near = 2 * (1 + alcore_ctx_threads(ctx)) * 8192 * dims * 2;
    const double before = (double)anonymous_kib() / 1024.0;
    const times begin = now();
    choose(ctx, pool);
    const times used = since(begin);
    const double most = (double)most_anonymous_kib / 1024.0;
    const double passes = (double)counted.bytes / (double)(rows * dims * 2);
    printf("%" PRId64 " x %" PRId64 " float16 in a .npy of %.2f GB, %d threads; anonymous memory "
           "before the selection %.0f MiB (texts and scores)\n",
           rows, dims, (double)(rows * dims * 2) * 1e-9, (int)alcore_ctx_threads(ctx), before);
    printf("read %.2f GB in %" PRId64 " reads, %" PRId64 " of them the file's first numbers, "
           "%" PRId64 " far from the one before\n",
           (double)counted.bytes * 1e-9, (int64_t)counted.reads, (int64_t)counted.begins,
           (int64_t)counted.jumps);
    printf("result huds_file_wall %.2f s\n", used.wall);
    printf("result huds_file_cpu %.2f s\n", used.cpu);
    printf("result huds_file_passes %.4f passes\n", passes);
    printf("result huds_file_anonymous %.0f MiB\n", most);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    free(scores);
    if (most > MOST_ANONYMOUS_MIB) printf("more than %.0f MiB\n", MOST_ANONYMOUS_MIB);
    if (passes > 2.01) printf("more than two passes\n");
    return most > MOST_ANONYMOUS_MIB || passes > 2.01;
}

static int in_file(int64_t rows, int64_t dims) {
    const char *folder = getenv("ALCORE_BENCH_DIR");
    struct statvfs disk;
    char *path = matrix_path;
    pthread_t watcher;
    if (!folder) folder = getenv("TMPDIR");
    if (!folder) folder = "/tmp";
    if (statvfs(folder, &disk) != 0) fail(folder);
    const double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if (free_bytes < (double)(rows * dims) * 2.0 + 1e9) {
        printf("not run: %s has %.1f GB free, %.1f GB are needed; ALCORE_BENCH_DIR names another "
               "folder\n",
               folder, free_bytes * 1e-9, (double)(rows * dims) * 2e-9 + 1.0);
        return 0;
    }
    snprintf(path, sizeof matrix_path, "%s/bench_huds.%ld.npy", folder, (long)getpid());
    atexit(remove_matrix);
    write_matrix(path, rows, dims);
    if (pthread_create(&watcher, NULL, watch, NULL) != 0) fail("thread");
    const int result = select_from(path, rows, dims);
    watching = false;
    pthread_join(watcher, NULL);
    return result;
}

int main(int argc, char **argv) {
    const bool file = argc > 1 && strcmp(argv[1], "file") == 0;
    if (argc < 2 || argc > 4 || (!file && strcmp(argv[1], "memory") != 0)) {
        fputs("usage: bench_huds memory|file [ROWS [DIMS]]\n", stderr);
        return 2;
    }
    const int64_t rows = argc > 2 ? atoll(argv[2]) : file ? 5000000 : 1000000;
    const int64_t dims = argc > 3 ? atoll(argv[3]) : file ? 768 : 384;
    if (rows < 1 || dims < 1) return 2;
    return file ? in_file(rows, dims) : in_memory(rows, dims);
}
