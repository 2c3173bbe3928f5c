/* SPDX-License-Identifier: Apache-2.0 */
/* How the table of word pairs is built, and its M-step (aligner_table.h has the layout).
 *
 * Build: an inverted index gives the rows that contain a source word. A task walks over the target
 * words of those rows for a few source words at a time; a stamp per target word tells whether it
 * was met for this source word already. The first walk counts the different target words of every
 * source word, which gives the size of each row; the second fills the rows. Cost: two visits of
 * every pair of positions, no sorting, and no memory beside the table but 4 bytes a source position
 * and 4 bytes a target word and thread.
 *
 * M-step: t = exp(digamma(count + alpha) - digamma(total)), total = sum over the row of count +
 * alpha. The exponential of digamma(x) = ln y - c is y exp(-c), which saves the logarithm. */
#include <math.h>
#include <string.h>

#include "text/aligner.h"
#include "text/aligner_table.h"

static const char STAGE_COLLECT[] = "collecting word pairs";
static const char STAGE_MAXIMIZE[] = "estimating translations";
/* Source words of a task: frequent words have low symbols, so the first tasks are the long ones. */
enum { BLOCK_SYMBOLS = 64 };
enum { POLL_ROWS = 1024 };

typedef struct builder {
    alcore_ctx *ctx;
    const alcore__corpus *source, *target;
    alcore__aligner_table *table;
    uint64_t *first;    /* [source_symbols + 1] where the rows of a source word begin in rows */
    uint32_t *rows;     /* corpus rows of each occurrence of each source word */
    uint32_t *stamps;   /* [threads, stamp_count] last source symbol + 1 that met the target word */
    size_t stamp_count; /* target symbols */
    bool null_word;
    bool fill; /* the second walk */
    double start;
} builder;

/* Enters a target word into the row of a source word, which does not have it yet. */
static void insert_pair(const builder *b, uint32_t source, uint32_t target) {
    alcore__aligner_table *table = b->table;
    uint64_t slot = alcore__aligner_home(table, source, target);
    while (table->key[slot] != 0)
        if (++slot == table->row_begin[source + 1]) slot = table->row_begin[source];
    table->key[slot] = target;
    table->cell[slot].t = b->start;
}

/* Walks over target tokens [from, to) for a source word: counts or enters those that are new to it.
 */
static void visit_tokens(const builder *b, uint32_t *stamps, uint32_t source, uint32_t from,
                         uint32_t to) {
    for (uint32_t position = from; position < to; position++) {
        const uint32_t word = b->target->tokens[position];
        if (word == ALCORE__CORPUS_BOUNDARY || stamps[word] == source + 1) continue;
        stamps[word] = source + 1;
        if (b->fill)
            insert_pair(b, source, word);
        else
            b->table->row_pairs[source]++;
    }
}

static alcore_status visit_source(const builder *b, uint32_t *stamps, uint32_t source) {
    const uint32_t *begin = b->target->begin;
    if (source == ALCORE__CORPUS_BOUNDARY) { /* the null word occurs in every row */
        for (int64_t row = 0; b->null_word && row < b->target->rows; row++) {
            if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(b->ctx, NULL, 0, 0));
            visit_tokens(b, stamps, source, begin[row], begin[row + 1]);
        }
        return ALCORE_OK;
    }
    for (uint64_t i = b->first[source]; i < b->first[source + 1]; i++) {
        if ((i - b->first[source]) % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(b->ctx, NULL, 0, 0));
        visit_tokens(b, stamps, source, begin[b->rows[i]], begin[b->rows[i] + 1]);
    }
    return ALCORE_OK;
}

static alcore_status visit_block(void *data, int64_t block, int32_t worker) {
    const builder *b = data;
    uint32_t *stamps = b->stamps + (size_t)worker * b->stamp_count;
    const int64_t first = block * BLOCK_SYMBOLS;
    for (int64_t e = first; e < first + BLOCK_SYMBOLS && e < b->table->source_symbols; e++)
        ALCORE__TRY(visit_source(b, stamps, (uint32_t)e));
    return ALCORE_OK;
}

/* Blocks of source symbols, each visited by one worker. The stamps of an earlier walk are wiped. */
static alcore_status visit_all(builder *b) {
    const size_t stamps = (size_t)alcore_ctx_threads(b->ctx) * b->stamp_count;
    memset(b->stamps, 0, stamps * sizeof *b->stamps);
    const int64_t blocks = ((int64_t)b->table->source_symbols + BLOCK_SYMBOLS - 1) / BLOCK_SYMBOLS;
    return alcore__parallel(b->ctx, STAGE_COLLECT, blocks, visit_block, b);
}

/* Lists the rows of every source word: a counting sort of the tokens by symbol. */
static alcore_status index_rows(builder *b) {
    const alcore__corpus *source = b->source;
    const uint32_t symbols = b->table->source_symbols;
    ALCORE__TRY(alcore__new_array(b->ctx, (size_t)symbols + 1, sizeof *b->first, &b->first));
    ALCORE__TRY(alcore__new_array(b->ctx, (size_t)source->token_count, sizeof *b->rows, &b->rows));
    for (uint32_t i = 1; i < source->pool_end; i++) b->first[source->tokens[i]]++;
    uint64_t next = 0;
    for (uint32_t e = 0; e <= symbols; e++) { /* becomes the end of each list */
        next += e < symbols ? b->first[e] : 0;
        b->first[e] = next;
    }
    for (int64_t row = source->rows - 1; row >= 0; row--) {
        if (row % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(b->ctx, STAGE_COLLECT, 0, 0));
        for (uint32_t i = source->begin[row + 1]; i-- > source->begin[row];)
            b->rows[--b->first[source->tokens[i]]] = (uint32_t)row;
    }
    return ALCORE_OK;
}

/* The rows of the table, three quarters full each. */
static alcore_status lay_out_rows(builder *b) {
    alcore__aligner_table *table = b->table;
    uint64_t slots = 0;
    for (uint32_t e = 0; e < table->source_symbols; e++) {
        const uint64_t pairs = table->row_pairs[e];
        table->row_begin[e] = slots;
        slots += pairs == 0 ? 0 : pairs + pairs / 3 + 1;
    }
    table->row_begin[table->source_symbols] = slots;
    ALCORE__TRY(alcore__new_array(b->ctx, (size_t)slots, sizeof *table->key, &table->key));
    return alcore__new_array(b->ctx, (size_t)slots, sizeof *table->cell, &table->cell);
}

/* The largest shift with which the count of the most frequent target word stays below 2^62. */
static void choose_shift(builder *b) {
    uint32_t *frequency = b->stamps; /* [stamp_count] of the first worker, wiped by every walk */
    uint32_t most = 0;
    memset(frequency, 0, b->stamp_count * sizeof *frequency);
    for (uint32_t i = 1; i < b->target->pool_end; i++) {
        const uint32_t word = b->target->tokens[i];
        if (word != ALCORE__CORPUS_BOUNDARY && ++frequency[word] > most) most = frequency[word];
    }
    b->table->shift = 62 - (most == 0 ? 0 : 32 - __builtin_clz(most));
}

static alcore_status build(builder *b) {
    alcore_ctx *ctx = b->ctx;
    alcore__aligner_table *table = b->table;
    const size_t threads = (size_t)alcore_ctx_threads(ctx), symbols = table->source_symbols;
    ALCORE__TRY(alcore__new_array(ctx, symbols + 1, sizeof(uint64_t), &table->row_begin));
    ALCORE__TRY(alcore__new_array(ctx, symbols, sizeof(uint32_t), &table->row_pairs));
    ALCORE__TRY(alcore__new_array(ctx, threads * b->stamp_count, sizeof(uint32_t), &b->stamps));
    choose_shift(b);
    ALCORE__TRY(index_rows(b));
    ALCORE__TRY(visit_all(b));
    ALCORE__TRY(lay_out_rows(b));
    b->fill = true;
    return visit_all(b);
}

alcore_status alcore__aligner_table_build(alcore_ctx *ctx, const alcore__corpus *source,
                                          const alcore__corpus *target, bool null_word,
                                          double start, alcore__aligner_table *out) {
    *out = (alcore__aligner_table){.source_symbols = source->max_symbol + 1,
                                   .shared = alcore_ctx_threads(ctx) > 1};
    builder b = {.ctx = ctx,
                 .source = source,
                 .target = target,
                 .table = out,
                 .stamp_count = (size_t)target->max_symbol + 1,
                 .null_word = null_word,
                 .start = start};
    const alcore_status status = build(&b);
    alcore__free(ctx, b.first);
    alcore__free(ctx, b.rows);
    alcore__free(ctx, b.stamps);
    if (status != ALCORE_OK) alcore__aligner_table_clear(ctx, out);
    return status;
}

void alcore__aligner_table_clear(alcore_ctx *ctx, alcore__aligner_table *table) {
    alcore__free(ctx, table->row_begin);
    alcore__free(ctx, table->row_pairs);
    alcore__free(ctx, table->key);
    alcore__free(ctx, table->cell);
    *table = (alcore__aligner_table){0};
}

const alcore__aligner_cell *alcore__aligner_cell_find(const alcore__aligner_table *table,
                                                      uint32_t source, uint32_t target) {
    if (source >= table->source_symbols || table->row_pairs[source] == 0) return NULL;
    uint64_t slot = alcore__aligner_home(table, source, target);
    while (table->key[slot] != 0) { /* a row has free slots, so the search ends */
        if (table->key[slot] == target) return &table->cell[slot];
        if (++slot == table->row_begin[source + 1]) slot = table->row_begin[source];
    }
    return NULL;
}

/* Splits digamma(x) = ln(*y) - c, returns c: the recurrence digamma(x) = digamma(x + 1) - 1 / x up
 * to y >= 12, then the asymptotic series. The sum of the 1 / x is kept as one fraction, so that
 * there is a single division. */
static double digamma_parts(double x, double *y) {
    double numerator = 0, denominator = 1;
    while (x < 12) {
        numerator = numerator * x + denominator;
        denominator *= x;
        x += 1;
    }
    const double inverse = 1 / x, r = inverse * inverse;
    const double series =
        r * (1.0 / 12 -
             r * (1.0 / 120 -
                  r * (1.0 / 252 -
                       r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
    *y = x;
    return numerator / denominator + 0.5 * inverse + series;
}

double alcore__digamma(double x) {
    double y;
    const double c = digamma_parts(x, &y);
    return log(y) - c;
}

typedef struct maximizer {
    alcore_ctx *ctx;
    alcore__aligner_table *table;
    double alpha; /* 0: no variational Bayes */
    double unit;  /* 2^-shift */
} maximizer;

/* The sum of the counts of a row. Upper and lower halves are added apart: whole numbers that cannot
 * overflow, so the total does not depend on the order of the slots. */
static double row_total(const alcore__aligner_table *table, uint32_t source, double unit) {
    uint64_t upper = 0, lower = 0;
    for (uint64_t i = table->row_begin[source]; i < table->row_begin[source + 1]; i++) {
        const uint64_t count = atomic_load_explicit(&table->cell[i].count, memory_order_relaxed);
        upper += count >> 32;
        lower += count & UINT32_MAX;
    }
    return ((double)upper * 4294967296.0 + (double)lower) * unit;
}

/* t of every pair of a row from its counts, which become 0. Free slots have count 0 and no reader.
 */
static void maximize_row(const maximizer *m, uint32_t source) {
    alcore__aligner_table *table = m->table;
    double total = row_total(table, source, m->unit);
    double whole = 0, unseen = 0;
    if (m->alpha > 0) {
        total += m->alpha * table->row_pairs[source];
        whole = alcore__digamma(total);
        unseen = exp(alcore__digamma(m->alpha) - whole); /* of the many pairs with a count of 0 */
    }
    for (uint64_t i = table->row_begin[source]; i < table->row_begin[source + 1]; i++) {
        alcore__aligner_cell *cell = &table->cell[i];
        const uint64_t units = atomic_load_explicit(&cell->count, memory_order_relaxed);
        atomic_store_explicit(&cell->count, 0, memory_order_relaxed);
        if (units == 0) {
            cell->t = unseen;
        } else if (m->alpha > 0) {
            double y;
            const double c = digamma_parts((double)units * m->unit + m->alpha, &y);
            cell->t = y * exp(-c - whole);
        } else {
            cell->t = (double)units * m->unit / total;
        }
    }
}

static alcore_status maximize_block(void *data, int64_t block, int32_t worker) {
    const maximizer *m = data;
    const int64_t first = block * BLOCK_SYMBOLS;
    (void)worker;
    for (int64_t e = first; e < first + BLOCK_SYMBOLS && e < m->table->source_symbols; e++) {
        ALCORE__TRY(alcore__tick(m->ctx, NULL, 0, 0));
        maximize_row(m, (uint32_t)e);
    }
    return ALCORE_OK;
}

alcore_status alcore__aligner_table_maximize(alcore_ctx *ctx, alcore__aligner_table *table,
                                             double alpha) {
    maximizer m = {ctx, table, alpha, ldexp(1, -table->shift)};
    const int64_t blocks = ((int64_t)table->source_symbols + BLOCK_SYMBOLS - 1) / BLOCK_SYMBOLS;
    return alcore__parallel(ctx, STAGE_MAXIMIZE, blocks, maximize_block, &m);
}
