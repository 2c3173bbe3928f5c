/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a pool: plain text, MB/s of one core and peak memory.
 *
 *     bench_load [ROWS [BYTES [DEDUP]]]
 *
 * Writes ROWS (1,000,000) lines of about BYTES (100) bytes to FILE (a temporary one), reads it once
 * so that the page cache holds it, then loads it into pools without and with the search for
 * duplicates, and, for comparison, into a Python dict of its lines. Each is done 5 times in turn;
 * the medians count. 10,000,000 rows of 100 bytes are to fit in 3 GiB. */
#include <alcore/extra.h>

#include "base/rng.h"
#include "bench_clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 4, TURNS = 5 };

typedef struct timing {
    double wall, user, system;
} timing;

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static timing timing_of(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (timing){seconds(CLOCK_MONOTONIC), seconds_of(usage.ru_utime),
                    seconds_of(usage.ru_stime)};
}

static timing timing_since(timing begin, int who) {
    const timing end = timing_of(who);
    return (timing){end.wall - begin.wall, end.user - begin.user, end.system - begin.system};
}

static int compare_cpu(const void *a, const void *b) {
    const timing *x = a, *y = b;
    const double left = x->user + x->system, right = y->user + y->system;
    return (left > right) - (left < right);
}

static void fail(const char *what) {
    fprintf(stderr, "bench_load: %s: %s\n", what, alcore_last_error());
    exit(1);
}

/* Words of 2 to 9 letters, some with umlauts; every tenth line repeats an earlier one. */
static long long write_lines(const char *path, long long rows, size_t bytes) {
    FILE *file = fopen(path, "wb");
    if (!file) fail(path);
    char *line = malloc(bytes + 16);
    alcore__rng rng;
    long long total = 0;
    for (long long row = 0; row < rows; row++) {
        alcore__rng_seed(&rng, (uint64_t)(row % 10 == 9 ? row / 2 : row));
        size_t at = 0;
        while (at < bytes) {
            uint64_t bits = alcore__rng_u64(&rng);
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
    if (!file) fail(path);
    while (fread(block, 1, sizeof block, file) == sizeof block) continue;
    fclose(file);
}

static timing load(alcore_ctx *ctx, const char *path, int32_t dedup, long long *out_duplicates) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_read_options read = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = dedup;
    read.format = ALCORE_FORMAT_TEXT;
    if (alcore_pool_new(ctx, &options, &pool) != ALCORE_OK) fail("pool");
    const timing begin = timing_of(RUSAGE_SELF);
    if (alcore_pool_read(pool, path, &read) != ALCORE_OK) fail("read");
    const timing taken = timing_since(begin, RUSAGE_SELF);
    *out_duplicates = (long long)alcore_pool_state_count(pool, ALCORE_ROW_DUPLICATE);
    alcore_pool_unref(pool);
    return taken;
}

/* The peer: what a script does to the same end, its start included. */
static timing load_dict(const char *path) {
    char command[1024];
    snprintf(command, sizeof command,
             "python3 -c 'import sys; dict.fromkeys(open(sys.argv[1], encoding=\"utf-8\")"
             ".read().splitlines())' '%s'",
             path);
    const timing begin = timing_of(RUSAGE_CHILDREN);
    if (system(command) != 0) fail("python3");
    return timing_since(begin, RUSAGE_CHILDREN);
}

static void report(const char *name, timing turns[TURNS], long long bytes, long long duplicates) {
    qsort(turns, TURNS, sizeof *turns, compare_cpu);
    const timing median = turns[TURNS / 2];
    const double megabytes = (double)bytes * 1e-6, cpu = median.user + median.system;
    printf("load %s: %.1f MB, ", name, megabytes);
    if (duplicates >= 0) printf("duplicates %lld, ", duplicates);
    printf("median of %d: %.3f s user, %.3f s system, %.2f s wall; %.0f to %.0f MB/CPU second\n",
           TURNS, median.user, median.system, median.wall,
           megabytes / (turns[TURNS - 1].user + turns[TURNS - 1].system),
           megabytes / (turns[0].user + turns[0].system));
    printf("result load_%s %.1f MB/cpu-second\n", name, megabytes / cpu);
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
    snprintf(path, sizeof path, "%s/bench_load.%ld.txt", folder ? folder : "/tmp", (long)getpid());
    const char *only = argc > 3 ? argv[3] : NULL;
    static const struct {
        int32_t dedup; /* -1: the peer */
        const char *name;
    } cases[CASES] = {{ALCORE_DEDUP_NONE, "none"},
                      {ALCORE_DEDUP_EXACT, "exact"},
                      {ALCORE_DEDUP_NORMALIZED, "normalized"},
                      {-1, "python_dict"}};
    timing turns[CASES][TURNS];
    long long duplicates[CASES] = {[CASES - 1] = -1};
    const long long total = write_lines(path, rows, (size_t)bytes);
    warm(path);
    if (alcore_ctx_new(NULL, &ctx) != ALCORE_OK) fail("context");
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < CASES; i++) {
            if (only && strcmp(only, cases[i].name) != 0) continue;
            turns[i][turn] = cases[i].dedup < 0 ? load_dict(path)
                                                : load(ctx, path, cases[i].dedup, &duplicates[i]);
        }
    }
    for (int i = 0; i < CASES; i++)
        if (!only || strcmp(only, cases[i].name) == 0)
            report(cases[i].name, turns[i], total, duplicates[i]);
    printf("peak %.0f MiB\n", peak_mib());
    alcore_ctx_unref(ctx);
    remove(path);
    return 0;
}
