/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a pool: plain text, MB/s of one core and peak memory.
 *
 *     bench_load [ROWS [BYTES [DEDUP]]]
 *
 * Writes ROWS (1,000,000) lines of about BYTES (100) bytes to FILE (a temporary one), reads it once
 * so that the page cache holds it, then loads it into pools without and with the search for
 * duplicates. 10,000,000 rows of 100 bytes are to fit in 3 GiB. */
#include <alcore/alcore.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double peak_mib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void fail(const char *what) {
    fprintf(stderr, "bench_load: %s: %s\n", what, alcore_last_error());
    exit(1);
}

/* Words of 2 to 9 letters, some with umlauts; every tenth line repeats an earlier one. */
static long long write_lines(const char *path, long long rows, size_t bytes) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) fail(path);
    char *line = malloc(bytes + 16);
    alcore_rng rng;
    long long total = 0;
    for (long long row = 0; row < rows; row++) {
        alcore_rng_seed(&rng, (uint64_t)(row % 10 == 9 ? row / 2 : row));
        size_t at = 0;
        while (at < bytes) {
            uint64_t bits = alcore_rng_u64(&rng);
            const int letters = 2 + (int)(bits % 8);
            bits >>= 3;
            for (int i = 0; i < letters && at < bytes; i++, bits >>= 5)
                line[at++] = (char)('a' + (bits & 31) % 26);
            if (bits % 16 == 0) {
                memcpy(line + at, "\xC3\xA4", 2);
                at += 2;
            }
            line[at++] = ' ';
        }
        line[at - 1] = '\n';
        total += (long long)at;
        if (fwrite(line, 1, at, file) != at) fail("write");
    }
    free(line);
    if (fclose(file) != 0) fail(path);
    return total;
}

static void warm(const char *path) {
    static char block[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(path);
    while (fread(block, 1, sizeof block, file) == sizeof block) continue;
    fclose(file);
}

static void load(alcore_ctx *ctx, const char *path, int32_t dedup, const char *name,
                 long long bytes) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options read = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = dedup;
    read.format = ALCORE_FORMAT_TEXT;
    if (alcore_pool_new(ctx, &options, &pool) != ALCORE_OK) fail("pool");
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (alcore_pool_read(pool, path, &read) != ALCORE_OK) fail("read");
    const double wall_used = seconds(CLOCK_MONOTONIC) - wall;
    const double cpu_used = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("load dedup=%s: %lld rows, %.1f MB in %.2f s: %.0f MB/s, %.0f MB per CPU second, "
           "duplicates %lld, peak %.0f MiB\n",
           name, (long long)alcore_pool_rows(pool), (double)bytes * 1e-6, wall_used,
           (double)bytes * 1e-6 / wall_used, (double)bytes * 1e-6 / cpu_used,
           (long long)alcore_pool_count(pool, ALCORE_ROW_DUPLICATE), peak_mib());
    printf("result load_%s %.1f MB/cpu-second\n", name, (double)bytes * 1e-6 / cpu_used);
    alcore_pool_unref(pool);
}

int main(int argc, char **argv) {
    const long long rows = argc > 1 ? atoll(argv[1]) : 1000000;
    const long long bytes = argc > 2 ? atoll(argv[2]) : 100;
    char path[512];
    const char *folder = getenv("TMPDIR");
    alcore_ctx *ctx;
    if (rows < 1 || bytes < 2) {
        fprintf(stderr, "usage: bench_load [ROWS [BYTES [DEDUP]]]\n");
        return 2;
    }
    snprintf(path, sizeof path, "%s/bench_load.%ld.txt", folder != NULL ? folder : "/tmp",
             (long)getpid());
    const char *only = argc > 3 ? argv[3] : NULL;
    static const struct {
        int32_t dedup;
        const char *name;
    } cases[] = {{ALCORE_DEDUP_NONE, "none"},
                 {ALCORE_DEDUP_EXACT, "exact"},
                 {ALCORE_DEDUP_NORMALIZED, "normalized"}};
    const long long total = write_lines(path, rows, (size_t)bytes);
    warm(path);
    if (alcore_ctx_new(NULL, &ctx) != ALCORE_OK) fail("context");
    for (int i = 0; i < 3; i++)
        if (only == NULL || strcmp(only, cases[i].name) == 0)
            load(ctx, path, cases[i].dedup, cases[i].name, total);
    alcore_ctx_unref(ctx);
    remove(path);
    return 0;
}
