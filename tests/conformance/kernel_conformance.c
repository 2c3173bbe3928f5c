/* SPDX-License-Identifier: Apache-2.0 */
/* Every entry of the kernel table, every engine present, against plain loops in double: the bytes
 * are equal. Usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY [ROWS]]] [MODULE...], or
 * kernel_conformance --entries, which prints the names of the entries; EVERY runs one case in so
 * many (emulators are slow; 0: none), ROWS is the size of the large cases (0: none), all of which
 * run where it is given, and MODULE is a file with the entry point of the CUDA engine or of its
 * emulation. Prints each difference, and counts after each number of dimensions or rows, as they
 * come, so that a run that is stopped has said what it compared; ends with the grid of kernels and
 * engines; TAP. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/kernels.h"
#include "kernel_engines.h"
#include "kernel_entry.h"
#include "kernel_oracle.h"
#include "placed_table.h"

/* ---- comparing ---- */

static void output_make(output *out, int64_t count) {
    out->count = count;
    out->loss = 0.0;
    out->numbers = malloc((size_t)(count + 1) * sizeof *out->numbers);
    out->indices = malloc((size_t)(count + 1) * sizeof *out->indices);
    if (!out->numbers || !out->indices) abort();
    memset(out->indices, 0x5a, (size_t)(count + 1) * sizeof *out->indices);
    memset(out->integers, 0x5a, sizeof out->integers);
    /* One more than there are: nobody writes there. */
    for (int64_t i = 0; i <= count; i++) out->numbers[i] = 12345.0;
}

static void output_free(output *out) {
    free(out->numbers);
    free(out->indices);
}

/* Any NaN is as good as any other. b: what the engine t returned. */
static int output_same(const output *a, const output *b, int column, table *t) {
    double loss = t->device == ALCORE_DEVICE_CUDA ? b->loss : 0.0;
    for (int64_t i = 0; i <= a->count; i++) {
        double x = a->numbers[i], y = b->numbers[i];
        if (isnan(x) && isnan(y)) continue;
        if (column && fabs(x - y) <= 1e-6 + 1e-5 * fabs(x) + loss * (1.0 + fabs(x))) continue;
        if (memcmp(&a->numbers[i], &b->numbers[i], sizeof(double)) != 0) return 0;
    }
    return memcmp(a->integers, b->integers, sizeof a->integers) == 0 &&
           memcmp(a->indices, b->indices, (size_t)(a->count + 1) * sizeof *a->indices) == 0;
}

/* ---- the entries ---- */

static const struct {
    const entry *list;
    const int *count;
} families[] = {
    {entries_rows, &entries_rows_count},       {entries_greedy, &entries_greedy_count},
    {entries_columns, &entries_columns_count}, {entries_nll, &entries_nll_count},
    {entries_search, &entries_search_count},   {entries_distance, &entries_distance_count},
};

/* $ALCORE_CONFORMANCE_ONLY: names of entries, commas between them; the others take no part. */
static int is_wanted(const char *name) {
    const char *at = getenv("ALCORE_CONFORMANCE_ONLY");
    if (!at) return 1;
    for (size_t length;; at += length + 1) {
        length = strcspn(at, ",");
        if (strlen(name) == length && !strncmp(at, name, length)) return 1;
        if (!at[length]) return 0;
    }
}

/* The table holds nothing but its head and the entries. */
enum {
    ENTRIES =
        (sizeof(alcore_sys_kernels) - offsetof(alcore_sys_kernels, widen)) / sizeof(void (*)(void))
};
static entry entries[ENTRIES];

/* False when an entry of the table has no case, or two. */
static int collect_entries(void) {
    int count = 0, places[ENTRIES] = {0};
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        for (int e = 0; e < *families[f].count; e++) {
            const entry *one = &families[f].list[e];
            size_t place =
                (one->offset - offsetof(alcore_sys_kernels, widen)) / sizeof(void (*)(void));
            if (count == ENTRIES || places[place]++ > 0) return 0;
            entries[count++] = *one;
        }
    }
    return count == ENTRIES;
}

/* A name a line, for who runs each in a process of its own. */
static int print_entries(void) {
    if (!collect_entries()) return 1;
    for (int e = 0; e < ENTRIES; e++) puts(entries[e].name);
    return 0;
}

/* False when $ALCORE_CONFORMANCE_ONLY has anything but names of entries between its commas. */
static int wanted_are_entries(void) {
    const char *at = getenv("ALCORE_CONFORMANCE_ONLY");
    while (at) {
        size_t length = strcspn(at, ",");
        int known = 0;
        for (int e = 0; e < ENTRIES; e++)
            known += strlen(entries[e].name) == length && !strncmp(at, entries[e].name, length);
        if (!known) return 0;
        at = at[length] ? at + length + 1 : NULL;
    }
    return 1;
}

static int has_entry(table *t, const entry *e) {
    void (*pointer)(void);
    memcpy(&pointer, (const char *)t + e->offset, sizeof pointer);
    return pointer && e->call;
}

/* Whether two tables have the same function as an entry. */
static int same_entry(table *a, table *b, const entry *e) {
    return has_entry(a, e) && !memcmp((const char *)a + e->offset, (const char *)b + e->offset,
                                      sizeof(void (*)(void)));
}

/* ---- the run ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* Multiply-adds of one entry in one case, in the default tier; an entry that needs more fails, so
 * that a new shape cannot make the tier slow unseen. The largest is knn: 240 products of 1024
 * numbers for each of 100 rows. */
static const uint64_t MAX_MULTIPLY_ADDS = 25000000;

/* Rows of a case that the emulation takes part in, and its arrivals at barriers and shuffles for
 * one entry, in the default tier; an entry that needs more fails. Whatever the seed, the largest is
 * knn with 2,668,032: without a mask, and with so little workspace that each of 16 rows is a chunk
 * of its own, it sorts 13 lists for each row and metric, 4,096 arrivals each. */
static const int64_t MAX_EMULATED_ROWS = 16;
static const uint64_t MAX_ARRIVALS = 3000000;
static const int64_t MAX_FILTERED_DIMS = 70;

/* Rows of a large case: by default two blocks and some; where an entry compares pairs, and in the
 * second shape, three at most, and in the default tier one; and the workspace for what is on the
 * host. */
enum {
    LARGE_SHAPES = 2,
    LARGE_ROWS = 2 * ALCORE_BLOCK_ROWS + 77,
    LARGE_PAIR_ROWS = 3 * ALCORE_BLOCK_ROWS + 77,
    LARGE_FEW_ROWS = ALCORE_BLOCK_ROWS + 77,
    LARGE_WORKSPACE = 100000
};

static const char *const placement_names[PLACEMENTS] = {"on the host", "on the device",
                                                        "read on the device", "mixed"};

/* Every so many cases go to the emulation, which is slow. */
static uint64_t emulated_every = 1, case_number;

/* Cases that went to the emulation; whether it computes the present one with filters in half
 * precision, and with cuBLAS; and the plain cases, of rows that filters are tried on, without and
 * with either. */
static uint64_t emulated_cases;
static int filters_used, blas_used;
static uint64_t without_filters, with_filters, without_blas, with_blas;

/* Engines on a device take turns in what may change no byte: the device, its default stream or one
 * of the engine, the size of their workspace and, in the emulation, the order of threads and the
 * last bits of exp and log. The turns of the emulation count the cases that it gets: as it gets
 * every eighth of all, it would else have the same of four turns each time. */
static void vary_device(int64_t dims, int emulated) {
    static const int64_t workspaces[] = {0, 3000, 40000};
    const uint64_t turn = emulated ? emulated_cases : case_number;
    uint64_t state = case_number;
    if (engine_devices == 0) return;
    conformance_work.device = (int32_t)(case_random(&state) % (uint64_t)engine_devices);
    conformance_work.stream = case_random(&state) % 2 ? (void *)(uintptr_t)1 : NULL;
    conformance_work.workspace_bytes = workspaces[turn % 3];
    if (!emulated) return;
    emulation.mode((int)(turn / 3 % 3), case_number, 1);
    blas_used = turn / 2 % 2;
    emulation.blas(blas_used); /* without cuBLAS the engine's own kernels */
    /* Filters where they pay, which is nowhere among cases as small as these, or everywhere: a tile
     * has many products, whatever the rows. */
    filters_used = turn % 4 != 0 && (dims <= MAX_FILTERED_DIMS || getenv("ALCORE_TEST_FULL"));
    emulation.filters(filters_used ? 1 : -1);
    if (filters_used && conformance_work.workspace_bytes) conformance_work.workspace_bytes = 40000;
}

typedef struct cell {
    int64_t cases, failures, placed[PLACEMENTS]; /* calls of an engine on a device, by placement */
    int missing, excused;
} cell;
static cell grid[ENTRIES][ENGINES];
static int64_t device_calls[MOST_DEVICES]; /* cases of entries on each device */

static uint64_t most_multiply_adds; /* of an entry in a case */
static int64_t too_large;           /* entries in cases above MAX_MULTIPLY_ADDS */
static uint64_t most_arrivals;      /* of an entry in an emulated case that is not tall */
static int64_t too_busy;            /* entries in cases above MAX_ARRIVALS */

/* Notes the arrivals of one entry in a case of the emulation. */
static void count_arrivals(const char *name, const kernel_case *c, uint64_t arrivals) {
    if (arrivals > most_arrivals) most_arrivals = arrivals;
    if (getenv("ALCORE_TEST_FULL") || arrivals <= MAX_ARRIVALS) return;
    printf("# %s: %" PRIu64 " arrivals of %" PRId64 " x %" PRId64 "\n", name, arrivals,
           c->rows.count, c->rows.dims);
    too_busy++;
}

/* Notes the multiply-adds of one entry in a case. */
static void count_multiply_adds(const char *name, const kernel_case *c, uint64_t multiply_adds) {
    if (multiply_adds > most_multiply_adds) most_multiply_adds = multiply_adds;
    if (getenv("ALCORE_TEST_FULL") || multiply_adds <= MAX_MULTIPLY_ADDS) return;
    printf("# %s: %" PRIu64 " multiply-adds of %" PRId64 " x %" PRId64 "\n", name, multiply_adds,
           c->rows.count, c->rows.dims);
    too_large++;
}

/* Prints how many outputs of each engine were compared with the plain loops so far, and how many of
 * them were equal; after: the cases that were the last, "33 dimensions". */
static void report_progress(const char *after, int64_t size) {
    printf("# after %" PRId64 " %s:", size, after);
    for (int k = 0; k < ENGINES; k++) {
        int64_t compared = 0, failures = 0;
        for (int e = 0; e < ENTRIES; e++) {
            compared += grid[e][k].cases;
            failures += grid[e][k].failures;
        }
        if (engines[k])
            printf(" %s %" PRId64 "/%" PRId64, engine_names[k], compared - failures, compared);
    }
    printf("\n");
}

/* Kinds of cases. In a tall one the emulation takes part with all rows. Large ones are for engines
 * on a device and the best one of the CPU: one for entries whose cost is that of their rows, one
 * for those that compare pairs. */
enum { CASE_PLAIN, CASE_TALL, CASE_LARGE, CASE_LARGE_PAIRS };

/* Large cases of all entries, shapes and placements; else, in one shape, of one of the entries that
 * compare pairs beside all others. */
static int large_all;

static int takes_part(int e, int kind, uint64_t seed) {
    if (!entries[e].call || !is_wanted(entries[e].name)) return 0;
    if (kind < CASE_LARGE) return 1;
    if (kind == CASE_LARGE) return !entries[e].pairs;
    uint64_t place = 0, all = 0; /* among the entries that compare pairs */
    for (int i = 0; i < ENTRIES; i++) {
        if (entries[i].pairs && i < e) place++;
        if (entries[i].pairs) all++;
    }
    return entries[e].pairs && (large_all || place == seed % all);
}

static int engine_takes_part(int k, int e, int kind, int emulated) {
    table *t = engines[k];
    if (!t || grid[e][k].missing) return 0;
    if (!strcmp(engine_names[k], "cuda-emu")) return emulated;
    return kind < CASE_LARGE || t->device == ALCORE_DEVICE_CUDA || t == alcore__kernels_cpu();
}

/* Calls an entry on an engine and compares what it wrote with `expected`. */
static void compare(int e, int k, const kernel_case *c, int placement, alcore_status oracle,
                    const output *expected) {
    table *t = engines[k];
    cell *at = &grid[e][k];
    const int on_device = t->device == ALCORE_DEVICE_CUDA;
    output got;
    output_make(&got, entries[e].numbers(c));
    if (on_device) t = placed_table(t, placement, case_number * ENTRIES + (uint64_t)e);
    alcore_status status = entries[e].call(t, c, &got);
    at->cases++;
    if (on_device) at->placed[placement]++;
    if (on_device) device_calls[conformance_work.device]++;
    if (status != oracle || workspace_held != 0 ||
        !output_same(expected, &got, entries[e].column, t)) {
        if (at->failures++ < 3) {
            printf("# %s %s differs: case %" PRIu64 ", dtype %d, %" PRId64 " x %" PRId64
                   ", pattern %d, unit %d, packed %d, status %d",
                   entries[e].name, t->engine, case_number, c->rows.dtype, c->rows.count,
                   c->rows.dims, c->pattern, c->rows.unit, c->packed, status);
            if (on_device)
                printf(", arrays %s, device %" PRId32 ", stream %d, workspace %" PRId64,
                       placement_names[placement], conformance_work.device,
                       conformance_work.stream != NULL, conformance_work.workspace_bytes);
            printf("%s%s\n", status ? ": " : "", status ? engine_error : "");
        }
        workspace_held = 0;
    }
    output_free(&got);
}

/* Calls an entry on all engines; of a large case once for each placement, by default for those with
 * arrays on the device. What is on the host then has many chunks. */
static void run_entry(int e, const kernel_case *c, int kind, int emulated) {
    output expected;
    output_make(&expected, entries[e].numbers(c));
    uint64_t multiply_adds = oracle_multiply_adds;
    alcore_status oracle = entries[e].call(&kernel_oracle, c, &expected);
    multiply_adds = oracle_multiply_adds - multiply_adds;
    if (kind < CASE_LARGE) count_multiply_adds(entries[e].name, c, multiply_adds);
    for (int k = 0; k < ENGINES; k++) {
        if (!engine_takes_part(k, e, kind, emulated)) continue;
        const int is_emulation = !strcmp(engine_names[k], "cuda-emu");
        const int on_device = engines[k]->device == ALCORE_DEVICE_CUDA;
        const int64_t before = grid[e][k].cases;
        const uint64_t arrivals = is_emulation ? emulation.arrivals() : 0;
        if (kind < CASE_LARGE || !on_device) {
            compare(e, k, c, (int)(before % PLACEMENTS), oracle, &expected);
        }
        for (int p = large_all ? PLACED_HOST : PLACED_DEVICE;
             p < PLACEMENTS && kind >= CASE_LARGE && on_device; p++) {
            conformance_work.workspace_bytes = p == PLACED_DEVICE ? 0 : LARGE_WORKSPACE;
            compare(e, k, c, p, oracle, &expected);
        }
        if (is_emulation && kind == CASE_PLAIN)
            count_arrivals(entries[e].name, c, emulation.arrivals() - arrivals);
    }
    output_free(&expected);
}

static void run_case(const kernel_case *given, uint64_t seed, int kind) {
    int emulated = emulation.mode &&
                   (kind != CASE_PLAIN || case_number % emulated_every == seed % emulated_every);
    case_number++;
    emulated_cases += (uint64_t)emulated;
    kernel_case small = *given;
    if (emulated && kind == CASE_PLAIN && !getenv("ALCORE_TEST_FULL") &&
        small.rows.count > MAX_EMULATED_ROWS)
        small.rows.count = MAX_EMULATED_ROWS;
    vary_device(small.rows.dims, emulated);
    if (emulated && kind == CASE_PLAIN && small.rows.dims <= MAX_FILTERED_DIMS) {
        *(filters_used ? &with_filters : &without_filters) += 1;
        *(blas_used ? &with_blas : &without_blas) += 1;
    }
    for (int e = 0; e < ENTRIES; e++) {
        if (takes_part(e, kind, seed)) run_entry(e, &small, kind, emulated);
    }
}

static void run_all(uint64_t seed, uint64_t every) {
    static const int64_t dims[] = {0, 1, 5, 7, 31, 32, 33, 70, 384, 768, 1024};
    static const int64_t counts[] = {0, 1, 2, 100};
    uint64_t state = seed;
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            for (int32_t pattern = 0; pattern < PATTERNS; pattern++) {
                for (int32_t shape = 0; shape < 16; shape++) {
                    /* Long rows take turns: every dtype, layout and unit, but not their product. */
                    if (dims[d] * counts[n] > 20000 && (shape + pattern) % 4 != 0) continue;
                    if (!every || case_random(&state) % every != 0) continue;
                    kernel_case made;
                    case_make(&made, &state, ALCORE_FLOAT16 + shape % 4, counts[n], dims[d],
                              pattern, shape / 4 % 2, shape / 8, 0);
                    run_case(&made, seed, CASE_PLAIN);
                    case_free(&made);
                }
            }
        }
        report_progress("dimensions", dims[d]);
    }
}

/* Cases that cross what a block of the device works on: 128 rows and 64 others of a tile, 128
 * threads, the stages of its pipeline and, with 3,000 bytes of workspace, many chunks. */
static void run_tall(uint64_t seed) {
    static const struct {
        int32_t dtype, pattern, unit, packed;
        int64_t count, dims;
    } shapes[] = {
        {ALCORE_FLOAT32, PATTERN_RANDOM, 0, 1, CASE_ROWS, 33},
        {ALCORE_FLOAT16, PATTERN_DUPLICATES, 1, 0, 140, 7},
        {ALCORE_FLOAT64, PATTERN_ULP, 0, 1, 150, 5},
        {ALCORE_BFLOAT16, PATTERN_RANDOM, 0, 0, 140, 130},
    };
    uint64_t state = seed;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        kernel_case made;
        if (SANITIZED && !getenv("ALCORE_TEST_FULL") && i != seed % 4) continue;
        case_make(&made, &state, shapes[i].dtype, shapes[i].count, shapes[i].dims,
                  shapes[i].pattern, shapes[i].unit, shapes[i].packed, 0);
        run_case(&made, seed, CASE_TALL);
        case_free(&made);
    }
}

/* Cases of several blocks of 8,192 rows and many chunks; 1,056,845 rows are more than one of the
 * wide blocks in which strategies give rows to a device. Rows of the second shape have gaps and a
 * mask. */
static void run_large(uint64_t seed, int64_t rows) {
    static const struct {
        int32_t dtype, pattern, unit, packed, masked;
        int64_t dims;
    } shapes[LARGE_SHAPES] = {
        {ALCORE_FLOAT32, PATTERN_RANDOM, 0, 1, 0, 2},
        {ALCORE_BFLOAT16, PATTERN_DUPLICATES, 1, 0, 1, 5},
    };
    uint64_t state = seed;
    for (int i = 0; i < LARGE_SHAPES; i++) {
        if (!large_all && (uint64_t)i != seed % LARGE_SHAPES) continue;
        for (int kind = CASE_LARGE; kind <= CASE_LARGE_PAIRS; kind++) {
            const int pairs = kind == CASE_LARGE_PAIRS;
            const int64_t most = i == 0 && !pairs      ? rows
                                 : pairs && !large_all ? LARGE_FEW_ROWS
                                                       : LARGE_PAIR_ROWS;
            const int64_t count = rows < most ? rows : most;
            kernel_case made;
            case_make(&made, &state, shapes[i].dtype, count, shapes[i].dims, shapes[i].pattern,
                      shapes[i].unit, shapes[i].packed, shapes[i].masked);
            run_case(&made, seed, kind);
            case_free(&made);
            report_progress("rows", count);
        }
    }
}

/* Lines "entry engine reason": entries that an engine may lack. */
static void read_missing(const char *path) {
    char line[512], name[64], engine[64];
    FILE *file = fopen(path, "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%63s %63s", name, engine) != 2) continue;
        for (int e = 0; e < ENTRIES; e++) {
            for (int k = 0; k < ENGINES; k++) {
                if (!strcmp(name, entries[e].name) && !strcmp(engine, engine_names[k]))
                    grid[e][k].excused = 1;
            }
        }
    }
    fclose(file);
}

static int report(void) {
    int failures = 0, number = 0;
    printf("# %-16s", "kernel");
    for (int k = 0; k < ENGINES; k++) printf(" %14s", engine_names[k]);
    printf("\n");
    for (int e = 0; e < ENTRIES; e++) {
        printf("# %-16s", entries[e].name);
        for (int k = 0; k < ENGINES; k++) {
            const cell *at = &grid[e][k];
            if (!engines[k]) {
                printf(" %14s", "absent");
            } else if (at->missing) {
                printf(" %14s", at->excused ? "listed" : "MISSING");
            } else {
                printf(" %7" PRId64 "/%-6" PRId64, at->cases - at->failures, at->cases);
            }
        }
        printf("\n");
    }
    for (int k = 0; k < ENGINES; k++) {
        if (!engines[k] || engines[k]->device != ALCORE_DEVICE_CUDA) continue;
        for (int p = 0; p < PLACEMENTS; p++) {
            int64_t calls = 0;
            for (int e = 0; e < ENTRIES; e++) calls += grid[e][k].placed[p];
            printf("# %s: %" PRId64 " cases of entries with arrays %s\n", engine_names[k], calls,
                   placement_names[p]);
        }
        int unplaced = 0, unused = 0;
        for (int32_t d = 0; d < engine_devices; d++) {
            printf("# device %" PRId32 ": %" PRId64 " cases of entries\n", d, device_calls[d]);
            unused += device_calls[d] == 0;
        }
        failures += unused > 0;
        printf("%s %d - each of %" PRId32 " devices was used\n", unused ? "not ok" : "ok", ++number,
               engine_devices);
        for (int e = 0; e < ENTRIES; e++) {
            if (!same_entry(engines[k], placed_table(engines[k], PLACED_HOST, 0), &entries[e]))
                continue;
            printf("# %s is called with arrays on the host only\n", entries[e].name);
            unplaced++;
        }
        failures += unplaced > 0;
        printf("%s %d - every entry of %s is called with arrays on the device\n",
               unplaced ? "not ok" : "ok", ++number, engine_names[k]);
    }
    for (int e = 0; e < ENTRIES; e++) {
        for (int k = 0; k < ENGINES; k++) {
            const cell *at = &grid[e][k];
            if (!engines[k] || !is_wanted(entries[e].name)) continue;
            int good = at->missing ? at->excused : at->failures == 0 && at->cases > 0;
            for (int p = 0; p < PLACEMENTS && at->placed[PLACED_HOST] > 1; p++)
                good = good && at->placed[p] > 0;
            failures += !good;
            printf("%s %d - %s %s\n", good ? "ok" : "not ok", ++number, entries[e].name,
                   engine_names[k]);
        }
    }
    printf("%s %d - no case has more than %" PRIu64 " multiply-adds (the largest %" PRIu64 ")\n",
           too_large ? "not ok" : "ok", ++number, MAX_MULTIPLY_ADDS, most_multiply_adds);
    if (with_blas + without_blas >= 8) {
        const int varied = with_filters && without_filters && with_blas && without_blas;
        failures += !varied;
        printf("%s %d - the emulation computed with and without filters, with and without cuBLAS\n",
               varied ? "ok" : "not ok", ++number);
    }
    if (emulation.mode)
        printf("%s %d - no emulated case has more than %" PRIu64 " arrivals (the largest %" PRIu64
               ")\n",
               too_busy ? "not ok" : "ok", ++number, MAX_ARRIVALS, most_arrivals);
    printf("1..%d\n", number);
    return failures + (too_large > 0) + (too_busy > 0);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr,
                "usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY [ROWS]]] [MODULE...]\n"
                "       kernel_conformance --entries\n");
        return 2;
    }
    if (!strcmp(argv[1], "--entries")) return print_entries();
    /* Of the cases one in four by default, all in the full tier, where the sanitized build tries
     * one in three; by default it tries one in eight, as valgrind (brief) does. */
    int thinned = SANITIZED && !getenv("ALCORE_TEST_FULL");
    int full = getenv("ALCORE_TEST_FULL") != NULL;
    int brief = thinned || getenv("ALCORE_TEST_BRIEF");
    uint64_t numbers[3] = {(uint64_t)time(NULL),
                           brief                ? 8
                           : full && !SANITIZED ? 1
                           : full               ? 3
                                                : 4,
                           brief ? 0 : LARGE_ROWS};
    int at = 2, given = 0;
    while (given < 3 && at < argc && argv[at][strspn(argv[at], "0123456789")] == '\0')
        numbers[given++] = strtoull(argv[at++], NULL, 10);
    uint64_t seed = numbers[0], every = numbers[1];
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines leave as they are printed, into a pipe too */
    printf("# seed %" PRIu64 "; the best engine here is %s\n", seed, alcore__kernels_cpu()->engine);
    if (!collect_entries()) {
        printf("Bail out! an entry of the kernel table has no conformance case, or two\n");
        return 1;
    }
    if (!wanted_are_entries()) {
        printf("Bail out! ALCORE_CONFORMANCE_ONLY names something that is no entry\n");
        return 1;
    }
    find_cpu_engines();
    for (; at < argc; at++) {
        if (!load_module(argv[at])) return 1;
    }
    if (!getenv("ALCORE_CONFORMANCE_ONLY")) emulated_every = !full ? 8 : SANITIZED ? 20 : 1;
    read_missing(argv[1]);
    for (int k = 0; k < ENGINES; k++) {
        for (int e = 0; engines[k] && e < ENTRIES; e++)
            grid[e][k].missing = !has_entry(engines[k], &entries[e]);
    }
    run_all(seed, every);
    large_all = full || given == 3;
    if (!getenv("ALCORE_CONFORMANCE_ONLY") || (large_all && numbers[2] > 0)) run_tall(seed);
    if (numbers[2] > 0 && engine_devices > 0) run_large(seed, (int64_t)numbers[2]);
    return report() != 0;
}
