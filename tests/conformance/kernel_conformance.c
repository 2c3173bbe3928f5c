/* SPDX-License-Identifier: Apache-2.0 */
/* Every entry of the kernel table, every engine present, against plain loops in double: the bytes
 * are equal. Usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY]]; EVERY runs one case in so
 * many (emulators are slow). Ends with the grid of kernels and engines; TAP. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/kernels.h"
#include "kernel_case.h"
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

static const alcore_sys_host host = {.size = sizeof host, .allocate = allocate, .release = release};
static const alcore_sys_work work = {.size = sizeof work, .host = &host};

/* ---- comparing ---- */

/* Output of one engine: doubles first, then whole numbers. */
typedef struct output {
    double *numbers;
    int64_t count;
    int64_t whole[CASE_GROUPS + 2];
    int32_t *places; /* as many as numbers */
} output;

static void output_make(output *out, int64_t count) {
    out->count = count;
    out->numbers = malloc((size_t)(count + 1) * sizeof *out->numbers);
    out->places = malloc((size_t)(count + 1) * sizeof *out->places);
    if (!out->numbers || !out->places) abort();
    memset(out->places, 0x5a, (size_t)(count + 1) * sizeof *out->places);
    memset(out->whole, 0x5a, sizeof out->whole);
    /* One more than there are: nobody writes there. */
    for (int64_t i = 0; i <= count; i++) out->numbers[i] = 12345.0;
}

static void output_free(output *out) {
    free(out->numbers);
    free(out->places);
}

/* Any NaN is as good as any other. */
static int output_same(const output *a, const output *b) {
    for (int64_t i = 0; i <= a->count; i++) {
        if (isnan(a->numbers[i]) && isnan(b->numbers[i])) continue;
        if (memcmp(&a->numbers[i], &b->numbers[i], sizeof(double)) != 0) return 0;
    }
    return memcmp(a->whole, b->whole, sizeof a->whole) == 0 &&
           memcmp(a->places, b->places, (size_t)(a->count + 1) * sizeof *a->places) == 0;
}

/* ---- one call of each entry ---- */

typedef const alcore_sys_kernels table;

static int64_t count_rows(const kernel_case *c) {
    return c->rows.count;
}
static int64_t count_matrix(const kernel_case *c) {
    return c->rows.count * c->rows.dims;
}
static int64_t count_sums(const kernel_case *c) {
    return CASE_GROUPS * c->rows.dims;
}
static int64_t count_two(const kernel_case *c) {
    return 2 * c->rows.count;
}
static int64_t count_facts(const kernel_case *c) {
    return 15 * c->rows.count;
}

static alcore_status call_widen(table *t, const kernel_case *c, output *out) {
    return t->widen(&work, &c->rows, c->take, out->numbers);
}

static alcore_status call_dots(table *t, const kernel_case *c, output *out) {
    return t->dots(&work, &c->rows, c->take, c->vector, out->numbers);
}

static alcore_status call_self_dots(table *t, const kernel_case *c, output *out) {
    return t->self_dots(&work, &c->rows, c->take, out->numbers);
}

static alcore_status call_sqds(table *t, const kernel_case *c, output *out) {
    return t->sqds(&work, &c->rows, c->take, c->vector, out->numbers);
}

static alcore_status call_group_sums(table *t, const kernel_case *c, output *out) {
    return t->group_sums(&work, &c->rows, c->group, CASE_GROUPS, out->numbers, out->whole);
}

static alcore_status call_group_cosine(table *t, const kernel_case *c, output *out) {
    return t->group_cosine(&work, &c->rows, c->group, CASE_GROUPS, c->centres, out->numbers);
}

static alcore_status call_group_sqds(table *t, const kernel_case *c, output *out) {
    return t->group_sqds(&work, &c->rows, c->group, CASE_GROUPS, c->centres, out->numbers);
}

static alcore_status call_nearest(table *t, const kernel_case *c, output *out) {
    return t->nearest_centre(&work, &c->rows, c->group, CASE_GROUPS, c->starts, c->centres,
                             out->places, out->numbers);
}

/* Three picks, the first against an infinite minimum, the last a row itself. */
static alcore_status call_min_sqd(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    double *own = malloc((size_t)(count + 1) * sizeof *own);
    if (!own) abort();
    alcore_status status = kernel_oracle.self_dots(&work, &c->rows, NULL, own);
    for (int64_t i = 0; i < 2 * count; i++) out->numbers[i] = HUGE_VAL;
    for (int pick = 0; pick < 3 && !status; pick++) {
        const double *centre = pick == 2 ? c->vector : c->centres + (pick + 20) * dims;
        double centre_dot;
        alcore_sys_rows one = {
            .data = centre, .count = 1, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
        kernel_oracle.self_dots(&work, &one, NULL, &centre_dot);
        status = t->min_sqd(&work, &c->rows, c->take, centre, centre_dot, own, 1, out->numbers);
        if (!status)
            status =
                t->min_sqd(&work, &c->rows, c->take, centre, 0.0, NULL, 0, out->numbers + count);
    }
    free(own);
    return status;
}

static alcore_status call_idds_update(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    double *norms = malloc((size_t)(count + 1) * sizeof *norms), picked;
    if (!norms) abort();
    kernel_oracle.self_dots(&work, &c->rows, NULL, norms);
    for (int64_t i = 0; i < count; i++) norms[i] = sqrt(norms[i]);
    alcore_sys_rows one = {.data = c->vector,
                           .count = 1,
                           .dims = c->rows.dims,
                           .stride = c->rows.dims,
                           .dtype = ALCORE_FLOAT64};
    kernel_oracle.self_dots(&work, &one, NULL, &picked);
    memcpy(out->numbers, c->scalars, (size_t)(2 * count) * sizeof *norms);
    alcore_status status = t->idds_update(&work, &c->rows, c->take, norms, c->vector, sqrt(picked),
                                          out->numbers, out->numbers + count);
    if (!status) {
        status = t->idds_update(&work, &c->rows, c->take, NULL, c->vector, 0.0, out->numbers,
                                out->numbers + count);
    }
    free(norms);
    return status;
}

static alcore_status call_idds_scores(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count;
    alcore_sys_idds idds = {.alpha = 0.67,
                            .unlabelled = 1 + c->rows.dims % 7,
                            .labelled = c->pattern,
                            .include_self = c->packed};
    return t->idds_scores(&work, count, c->take, &idds, c->scalars, c->scalars + count,
                          c->scalars + 2 * count, out->numbers);
}

static alcore_status call_arg_max(table *t, const kernel_case *c, output *out) {
    double *values = malloc((size_t)(c->rows.count + 1) * sizeof *values), best;
    if (!values) abort();
    memcpy(values, c->scalars, (size_t)c->rows.count * sizeof *values);
    for (int64_t i = 0; i < c->rows.count; i++) {
        if (c->pattern == PATTERN_SPECIAL && i % 3 == 0) values[i] = (double)NAN;
        if (c->pattern == PATTERN_HUGE) values[i] = -HUGE_VAL;
        if (c->pattern == PATTERN_ZEROS) values[i] = i % 2 ? 0.0 : -0.0;
    }
    alcore_status status = t->arg_max(&work, c->rows.count, c->take, values, &out->whole[0], &best);
    /* Zeros of both signs are equal; which one comes back is the sign of the item that was taken.
     */
    if (c->rows.count > 0) out->numbers[0] = best == 0.0 ? 0.0 : best;
    free(values);
    return status;
}

static alcore_status call_nnll(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, total = count * c->rows.dims;
    uint64_t state = (uint64_t)total + (uint64_t)c->pattern;
    char *values = malloc((size_t)total * 8 + 8);
    int64_t *offsets = malloc((size_t)(count + 1) * sizeof *offsets);
    if (!values || !offsets) abort();
    for (int64_t v = 0; v < total; v++) {
        uint64_t kind = case_random(&state) % 64;
        double lp = -8.0 * case_uniform(&state);
        if (kind == 0) lp = -HUGE_VAL;
        if (kind == 1) lp = -101.0;
        if (kind == 2) lp = 9e-7; /* within the slack; float16 rounds it to a number below */
        if (kind == 3 && c->pattern == PATTERN_SPECIAL && v % 8 == 0)
            lp = v % 2 ? (double)NAN : 0.25;
        if (c->pattern == PATTERN_ZEROS) lp = v % 2 ? 0.0 : -0.0;
        case_put(values, v, c->rows.dtype, lp);
    }
    int64_t at = 0;
    for (int64_t i = 0; i <= count; i++) {
        offsets[i] = 1000 + at;
        if (i % 5 != 4) at += c->rows.dims;
    }
    alcore_sys_ragged items = {.values = values,
                               .offsets = offsets,
                               .first = c->rows.first,
                               .count = count,
                               .classes = 1,
                               .dtype = c->rows.dtype};
    alcore_status status =
        t->ragged_nnll(&work, &items, c->take, out->numbers, &out->whole[0], &out->whole[1]);
    free(values);
    free(offsets);
    return status;
}

/* The three kinds of class scores, each made from the case's shape. */
static alcore_status call_class_facts(table *t, const kernel_case *c, output *out) {
    int64_t count = c->rows.count, dims = c->rows.dims;
    uint64_t state = (uint64_t)(count * 31 + dims) + (uint64_t)c->pattern;
    char *values = malloc((size_t)(count * dims) * 8 + 8);
    if (!values) abort();
    alcore_status status = ALCORE_OK;
    for (int32_t kind = ALCORE_CLASSES_PROBS; kind <= ALCORE_CLASSES_LOGITS && !status; kind++) {
        for (int64_t v = 0; v < count * dims; v++) {
            double x = case_uniform(&state);
            if (kind == ALCORE_CLASSES_LOGPROBS) x *= -120.0;
            if (kind == ALCORE_CLASSES_LOGITS) x = 300.0 * x - 150.0;
            if (c->pattern == PATTERN_EQUAL)
                x = kind == ALCORE_CLASSES_PROBS ? 1.0 / (double)dims : -1.0;
            if (c->pattern == PATTERN_ZEROS)
                x = kind == ALCORE_CLASSES_PROBS ? (double)(v % 2) : v % 2 ? 0.0 : -HUGE_VAL;
            if (c->pattern == PATTERN_ULP) x = kind == ALCORE_CLASSES_PROBS ? 1.0 + 5e-7 : 5e-7;
            if (c->pattern == PATTERN_SPECIAL && case_random(&state) % 99 == 0) {
                x = v % 3 == 0 ? (double)NAN : v % 3 == 1 ? HUGE_VAL : -HUGE_VAL;
            }
            case_put(values, v, c->rows.dtype, x);
        }
        alcore_sys_rows rows = {.data = values,
                                .first = c->rows.first,
                                .count = count,
                                .dims = dims,
                                .stride = dims,
                                .dtype = c->rows.dtype};
        alcore_sys_class_facts *facts = malloc((size_t)(count + 1) * sizeof *facts);
        if (!facts) abort();
        for (int64_t i = 0; i < count; i++)
            facts[i] = (alcore_sys_class_facts){7.0, 7.0, 7.0, 7.0, 7.0};
        status = t->class_facts(&work, &rows, c->take, kind, facts, &out->whole[kind]);
        memcpy(out->numbers + (int64_t)kind * 5 * count, facts, (size_t)count * sizeof *facts);
        free(facts);
    }
    free(values);
    return status;
}

typedef struct entry {
    const char *name;
    size_t place; /* of the pointer in the table */
    alcore_status (*call)(table *t, const kernel_case *c, output *out);
    int64_t (*numbers)(const kernel_case *c);
} entry;

#define PLACE(name) #name, offsetof(alcore_sys_kernels, name)
static const entry entries[] = {
    {PLACE(widen), call_widen, count_matrix},
    {PLACE(dots), call_dots, count_rows},
    {PLACE(self_dots), call_self_dots, count_rows},
    {PLACE(sqds), call_sqds, count_rows},
    {PLACE(group_sums), call_group_sums, count_sums},
    {PLACE(group_cosine), call_group_cosine, count_rows},
    {PLACE(group_sqds), call_group_sqds, count_rows},
    {PLACE(nearest_centre), call_nearest, count_rows},
    {PLACE(min_sqd), call_min_sqd, count_two},
    {PLACE(idds_update), call_idds_update, count_two},
    {PLACE(idds_scores), call_idds_scores, count_rows},
    {PLACE(arg_max), call_arg_max, count_rows},
    {PLACE(ragged_nnll), call_nnll, count_rows},
    {PLACE(class_facts), call_class_facts, count_facts},
};
enum { ENTRIES = sizeof entries / sizeof entries[0], ENGINES = 4 };
static const char *const engine_names[ENGINES] = {"cpu-portable", "cpu-avx2", "cpu-avx512",
                                                  "cpu-neon"};

/* The table holds nothing but its head and these entries: a new entry without a case fails here. */
_Static_assert(sizeof(alcore_sys_kernels) ==
                   offsetof(alcore_sys_kernels, widen) + ENTRIES * sizeof(void (*)(void)),
               "an entry of the kernel table has no conformance case");

static int has_entry(table *t, const entry *e) {
    void (*pointer)(void);
    memcpy(&pointer, (const char *)t + e->place, sizeof pointer);
    return pointer != NULL;
}

/* ---- the run ---- */

typedef struct cell {
    int64_t cases, failures;
    int missing, excused;
} cell;
static cell grid[ENTRIES][ENGINES];

static void run_case(const kernel_case *c, uint64_t seed) {
    for (int e = 0; e < ENTRIES; e++) {
        output expected;
        output_make(&expected, entries[e].numbers(c));
        alcore_status oracle = entries[e].call(&kernel_oracle, c, &expected);
        for (int k = 0; k < ENGINES; k++) {
            table *t = alcore__kernels_cpu_named(engine_names[k]);
            if (!t || grid[e][k].missing) continue;
            output got;
            output_make(&got, entries[e].numbers(c));
            alcore_status status = entries[e].call(t, c, &got);
            grid[e][k].cases++;
            if (status != oracle || held != 0 || !output_same(&expected, &got)) {
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
                    run_case(&made, seed);
                    case_free(&made);
                }
            }
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
            if (!alcore__kernels_cpu_named(engine_names[k])) {
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
            if (!alcore__kernels_cpu_named(engine_names[k])) continue;
            int good = at->missing ? at->excused : at->failures == 0 && at->cases > 0;
            failures += !good;
            printf("%s %d - %s %s\n", good ? "ok" : "not ok", ++number, entries[e].name,
                   engine_names[k]);
        }
    }
    printf("1..%d\n", number);
    return failures;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: kernel_conformance MISSING-ENTRIES [SEED [EVERY]]\n");
        return 2;
    }
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    printf("# seed %" PRIu64 "; the best engine here is %s\n", seed, alcore__kernels_cpu()->engine);
    read_missing(argv[1]);
    for (int k = 0; k < ENGINES; k++) {
        table *t = alcore__kernels_cpu_named(engine_names[k]);
        for (int e = 0; t && e < ENTRIES; e++) grid[e][k].missing = !has_entry(t, &entries[e]);
    }
    uint64_t every = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    run_all(seed, every ? every : 1);
    return report() != 0;
}
