/* SPDX-License-Identifier: Apache-2.0 */
/* Every entry of the kernel table, every engine present, against plain loops in double: the bytes
 * are equal. Usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY]] [MODULE...]; EVERY runs one
 * case in so many (emulators are slow), MODULE is a file with the entry point of the CUDA engine or
 * of its emulation. Prints each difference and the counts of each number of dimensions as they
 * come, so that a run that is stopped has said what it compared; ends with the grid of kernels and
 * engines; TAP. */
#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/kernels.h"
#include "kernel_entry.h"
#include "kernel_oracle.h"

/* ---- the host's side ---- */

static int64_t held; /* blocks of workspace that were not given back */

static void *allocate(void *user, size_t bytes) {
    (void)user;
    void *memory = malloc(bytes);
    /* What a kernel reads without having written it shows up. */
    if (memory) memset(memory, 0xff, bytes);
    held++;
    return memory;
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
    held--;
}

static char error_text[256];

static alcore_status set_error(alcore_status status, const char *text, size_t length) {
    snprintf(error_text, sizeof error_text, "%.*s", (int)length, text);
    return status;
}

static const alcore_sys_host host = {
    .size = sizeof host, .allocate = allocate, .release = release, .set_error = set_error};
alcore_sys_work conformance_work = {.size = sizeof conformance_work, .host = &host};

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

/* $ALCORE_CONFORMANCE_ONLY: names of entries; the others take no part. */
static int is_wanted(const char *name) {
    const char *only = getenv("ALCORE_CONFORMANCE_ONLY"), *at = only ? strstr(only, name) : NULL;
    size_t length = strlen(name);
    return !only || (at && (at == only || at[-1] == ',') && (!at[length] || at[length] == ','));
}

/* The table holds nothing but its head and the entries. */
enum {
    ENTRIES =
        (sizeof(alcore_sys_kernels) - offsetof(alcore_sys_kernels, widen)) / sizeof(void (*)(void)),
    ENGINES = 7
};
static const char *const engine_names[ENGINES] = {
    "cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni", "cpu-neon", "cuda-emu", "cuda"};
static table *engines[ENGINES]; /* NULL: not of this machine */
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

static int has_entry(table *t, const entry *e) {
    void (*pointer)(void);
    memcpy(&pointer, (const char *)t + e->offset, sizeof pointer);
    return pointer && e->call;
}

static void find_cpu_engines(void) {
    for (int k = 0; k < ENGINES; k++) engines[k] = alcore__kernels_cpu_named(engine_names[k]);
}

/* How the emulation behaves, from its library; NULL without it. */
static void (*emulation_mode)(int order, uint64_t seed, int perturb);
static uint64_t (*emulation_arrivals)(void);
static void (*emulation_filters)(int always);
static void (*emulation_blas)(int use);
static void (*emulation_share)(void *memory, size_t bytes);
static void (*emulation_unshare)(void *memory);

/* Returns 0 when the file is no module. A module without its device says why, and is absent. */
static int load_module(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    alcore_sys_kernel_entry load = NULL;
    if (library) *(void **)&load = dlsym(library, "alcore_cuda_entry");
    if (!load) {
        printf("# %s: %s\n", path, dlerror());
        return 0;
    }
    table *t = NULL;
    if (load(ALCORE_SYS_ABI, &host, &t) != ALCORE_OK) {
        printf("# %s: %s\n", path, error_text);
        return 1;
    }
    for (int k = 0; k < ENGINES; k++) {
        if (strcmp(engine_names[k], t->engine) == 0) engines[k] = t;
    }
    if (strcmp(t->engine, "cuda-emu") == 0) {
        *(void **)&emulation_mode = dlsym(library, "alcore_emu_mode");
        *(void **)&emulation_arrivals = dlsym(library, "alcore_emu_arrivals");
        *(void **)&emulation_filters = dlsym(library, "alcore_emu_filters");
        *(void **)&emulation_blas = dlsym(library, "alcore_emu_blas");
        *(void **)&emulation_share = dlsym(library, "alcore_emu_share");
        *(void **)&emulation_unshare = dlsym(library, "alcore_emu_unshare");
    }
    return 1;
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
 * one entry, in the default tier; an entry that needs more fails. The largest is hidden_stats, with
 * 1.4 million. */
static const int64_t MAX_EMULATED_ROWS = 16;
static const uint64_t MAX_ARRIVALS = 2000000;
static const int64_t MAX_FILTERED_DIMS = 70;

/* Every so many cases go to the emulation, which is slow. */
static uint64_t emulated_every = 1, case_number;

/* Engines on a device take turns in what may change no byte: the size of their workspace and, in
 * the emulation, the order of threads and the last bits of exp and log. */
static void vary_device(int64_t dims) {
    static const int64_t workspaces[] = {0, 3000, 40000};
    conformance_work.workspace_bytes = workspaces[case_number % 3];
    if (!emulation_mode) return;
    emulation_mode((int)(case_number / 3 % 3), case_number, 1);
    emulation_blas((int)(case_number / 2 % 2)); /* without cuBLAS the engine's own kernels */
    /* Filters where they pay, which is nowhere among cases as small as these, or everywhere: a tile
     * has many products, whatever the rows. */
    int off = case_number % 4 == 0 || (dims > MAX_FILTERED_DIMS && !getenv("ALCORE_TEST_FULL"));
    emulation_filters(off ? -1 : 1);
    if (!off && conformance_work.workspace_bytes) conformance_work.workspace_bytes = 40000;
}

/* The arrays of a case and its output as memory that the device reads and writes where it is, while
 * others stay on the host: every second case. */
enum { SHARED_ARRAYS = 9 };
static void share_arrays(const kernel_case *c, const output *out, int shared) {
    const size_t count = (size_t)c->rows.count, dims = (size_t)c->rows.dims;
    const struct {
        void *memory;
        size_t bytes;
    } arrays[SHARED_ARRAYS] = {
        {c->memory, (count * (size_t)c->rows.stride + 3) * 8},
        {c->mask, count},
        {c->group, count * sizeof *c->group},
        {c->starts, (CASE_GROUPS + 1) * sizeof *c->starts},
        {c->centroids, CASE_CENTROIDS * dims * sizeof *c->centroids},
        {c->vector, dims * sizeof *c->vector},
        {c->scalars, 3 * count * sizeof *c->scalars},
        {out->numbers, (size_t)(out->count + 1) * sizeof *out->numbers},
        {out->indices, (size_t)(out->count + 1) * sizeof *out->indices},
    };
    for (int i = 0; i < SHARED_ARRAYS; i++) {
        if (!arrays[i].memory || (case_number >> (i % 3)) % 2) continue;
        if (shared)
            emulation_share(arrays[i].memory, arrays[i].bytes);
        else
            emulation_unshare(arrays[i].memory);
    }
}

typedef struct cell {
    int64_t cases, failures;
    int missing, excused;
} cell;
static cell grid[ENTRIES][ENGINES];

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

/* Prints how many outputs of each engine were compared with the plain loops so far, and how many of
 * them were equal; after the cases of `dims` dimensions. */
static void report_progress(int64_t dims) {
    printf("# after %" PRId64 " dimensions:", dims);
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

/* tall: the emulation takes part with all rows. */
static void run_case(const kernel_case *given, uint64_t seed, int tall) {
    int emulated =
        emulation_mode && (tall || case_number % emulated_every == seed % emulated_every);
    case_number++;
    kernel_case small = *given;
    const kernel_case *c = &small;
    if (emulated && !tall && !getenv("ALCORE_TEST_FULL") && small.rows.count > MAX_EMULATED_ROWS)
        small.rows.count = MAX_EMULATED_ROWS;
    vary_device(small.rows.dims);
    for (int e = 0; e < ENTRIES; e++) {
        if (!entries[e].call || !is_wanted(entries[e].name)) continue;
        output expected;
        output_make(&expected, entries[e].numbers(c));
        uint64_t multiply_adds = oracle_multiply_adds;
        alcore_status oracle = entries[e].call(&kernel_oracle, c, &expected);
        multiply_adds = oracle_multiply_adds - multiply_adds;
        if (multiply_adds > most_multiply_adds) most_multiply_adds = multiply_adds;
        if (!getenv("ALCORE_TEST_FULL") && multiply_adds > MAX_MULTIPLY_ADDS) {
            printf("# %s: %" PRIu64 " multiply-adds of %" PRId64 " x %" PRId64 "\n",
                   entries[e].name, multiply_adds, c->rows.count, c->rows.dims);
            too_large++;
        }
        for (int k = 0; k < ENGINES; k++) {
            table *t = engines[k];
            int is_emulation = !strcmp(engine_names[k], "cuda-emu");
            if (!t || grid[e][k].missing || (is_emulation && !emulated)) continue;
            uint64_t before = is_emulation ? emulation_arrivals() : 0;
            output got;
            output_make(&got, entries[e].numbers(c));
            if (is_emulation) share_arrays(c, &got, 1);
            alcore_status status = entries[e].call(t, c, &got);
            if (is_emulation) share_arrays(c, &got, 0);
            grid[e][k].cases++;
            if (is_emulation && !tall)
                count_arrivals(entries[e].name, c, emulation_arrivals() - before);
            if (status != oracle || held != 0 ||
                !output_same(&expected, &got, entries[e].column, t)) {
                if (grid[e][k].failures++ < 3) {
                    printf("# %s %s differs: seed %" PRIu64 ", dtype %d, %" PRId64 " x %" PRId64
                           ", pattern %d, unit %d, packed %d, status %d\n",
                           entries[e].name, t->engine, seed, c->rows.dtype, c->rows.count,
                           c->rows.dims, c->pattern, c->rows.unit, c->packed, status);
                }
                held = 0;
            }
            output_free(&got);
        }
        output_free(&expected);
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
                    if (case_random(&state) % every != 0) continue;
                    kernel_case made;
                    case_make(&made, &state, ALCORE_FLOAT16 + shape % 4, counts[n], dims[d],
                              pattern, shape / 4 % 2, shape / 8);
                    run_case(&made, seed, 0);
                    case_free(&made);
                }
            }
        }
        report_progress(dims[d]);
    }
}

/* Cases that cross what a block of the device works on: 128 rows and 64 others of a tile, 128
 * threads, the stages of its pipeline and, with 3,000 bytes of workspace, many chunks. */
static void run_tall(uint64_t seed) {
    static const struct {
        int32_t dtype, pattern, unit, packed;
        int64_t count, dims;
    } shapes[] = {
        {ALCORE_FLOAT32, PATTERN_RANDOM, 0, 1, 180, 33},
        {ALCORE_FLOAT16, PATTERN_DUPLICATES, 1, 0, 140, 7},
        {ALCORE_FLOAT64, PATTERN_ULP, 0, 1, 150, 5},
        {ALCORE_BFLOAT16, PATTERN_RANDOM, 0, 0, 140, 130},
    };
    uint64_t state = seed;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        kernel_case made;
        if (SANITIZED && !getenv("ALCORE_TEST_FULL") && i != seed % 4) continue;
        case_make(&made, &state, shapes[i].dtype, shapes[i].count, shapes[i].dims,
                  shapes[i].pattern, shapes[i].unit, shapes[i].packed);
        run_case(&made, seed, 1);
        case_free(&made);
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
    for (int e = 0; e < ENTRIES; e++) {
        for (int k = 0; k < ENGINES; k++) {
            const cell *at = &grid[e][k];
            if (!engines[k] || !is_wanted(entries[e].name)) continue;
            int good = at->missing ? at->excused : at->failures == 0 && at->cases > 0;
            failures += !good;
            printf("%s %d - %s %s\n", good ? "ok" : "not ok", ++number, entries[e].name,
                   engine_names[k]);
        }
    }
    printf("%s %d - no case has more than %" PRIu64 " multiply-adds (the largest %" PRIu64 ")\n",
           too_large ? "not ok" : "ok", ++number, MAX_MULTIPLY_ADDS, most_multiply_adds);
    if (emulation_mode)
        printf("%s %d - no emulated case has more than %" PRIu64 " arrivals (the largest %" PRIu64
               ")\n",
               too_busy ? "not ok" : "ok", ++number, MAX_ARRIVALS, most_arrivals);
    printf("1..%d\n", number);
    return failures + (too_large > 0) + (too_busy > 0);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY]] [MODULE...]\n");
        return 2;
    }
    /* Of the cases one in three by default, all in the full tier, where the sanitized build tries
     * one in three; by default it tries one in eight, as valgrind (brief) does. */
    int thinned = SANITIZED && !getenv("ALCORE_TEST_FULL");
    int full = getenv("ALCORE_TEST_FULL") != NULL;
    uint64_t numbers[2] = {(uint64_t)time(NULL), thinned || getenv("ALCORE_TEST_BRIEF") ? 8
                                                 : full && !SANITIZED                   ? 1
                                                                                        : 3};
    int at = 2;
    for (int n = 0; n < 2 && at < argc && argv[at][strspn(argv[at], "0123456789")] == '\0'; n++)
        numbers[n] = strtoull(argv[at++], NULL, 10);
    uint64_t seed = numbers[0], every = numbers[1];
    setvbuf(stdout, NULL, _IOLBF, 0); /* lines leave as they are printed, into a pipe too */
    printf("# seed %" PRIu64 "; the best engine here is %s\n", seed, alcore__kernels_cpu()->engine);
    if (!collect_entries()) {
        printf("Bail out! an entry of the kernel table has no conformance case, or two\n");
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
    run_all(seed, every ? every : 1);
    if (!getenv("ALCORE_CONFORMANCE_ONLY")) run_tall(seed);
    return report() != 0;
}
