/* SPDX-License-Identifier: Apache-2.0 */
/* How the table of word pairs is built, and its M-step (aligner_table.h has the layout;
 * docs/spec/aligner.md the formulas). The row of source symbol e is the slots row_begin[e] ..
 * row_begin[e + 1] - 1: key[slot] is a target symbol, 0 where the slot is free, and cell[slot] has
 * t(f | e) and the expected count of the pair in units of 2^-shift; row_pairs[e] slots are used.
 * Symbol 0 is the boundary between rows of a corpus, and as a source word the null word.
 *
 * Build: an inverted index lists the rows that contain each source word. A task reads the
 * target words of those rows for BLOCK_SYMBOLS source words, one after the other; a stamp per
 * target word tells whether it was met for this source word already. The first pass counts the
 * different target words of every source word, which gives the size of each row of the table; the
 * second pass fills the rows. Cost: two visits of every pair of positions, no sorting, and no
 * memory beside the table but 4 bytes a source position and 4 bytes a target word and thread.
 *
 * M-step: t(f | e) = exp(digamma(count + alpha) - digamma(total)), total = sum over the f of the
 * row of e of (count + alpha). As digamma(x) = ln y - c, its exponential is y exp(-c), which saves
 * the logarithm. */
#include <math.h>
#include <string.h>

#include "extra/aligner/aligner_model.h"
#include "extra/aligner/aligner_table.h"

static const char STAGE_COLLECT[] = "collecting word pairs";
static const char STAGE_MAXIMIZE[] = "estimating translations";
/* Source words of a task: frequent words have low symbols, so the first tasks are the long ones. */
enum { BLOCK_SYMBOLS = 64 };
/* Corpus rows between two polls of cancellation. */
enum { POLL_ROWS = 1024 };

/* What the two passes of the build share; alcore__aligner_table_build() frees the arrays. */
typedef struct builder {
    alcore_ctx *ctx;
    const alcore__corpus *source, *target; /* equal numbers of rows */
    alcore__aligner_table *table;          /* being filled */
    uint64_t *first;  /* [source_symbols + 1] index in rows of the first row of each source word */
    uint32_t *rows;   /* [source tokens] corpus row of each occurrence of each source word, by
                         source word and then ascending; a row twice where the word stands twice */
    uint32_t *stamps; /* [threads, stamp_count] 1 + the last source symbol that met the target word
                         in this pass; 0: none yet */
    size_t stamp_count; /* target symbols, the boundary included */
    bool null_word;     /* e = 0 has a row */
    bool fill;          /* false in the first pass, which counts; true in the second, which fills */
    double start;       /* t of every pair */
} builder;

/* Enters a target word into the row of a source word, which does not have it yet; in the build one
 * worker fills a row alone, so nothing is locked. The loop ends, because every row with pairs has a
 * free slot. */
void alcore__aligner_table_put(alcore__aligner_table *table, uint32_t source, uint32_t target,
                               double t) {
    uint64_t slot = alcore__aligner_home(table, source, target);
    while (table->key[slot] != 0)
        if (++slot == table->row_begin[source + 1]) slot = table->row_begin[source];
    table->key[slot] = target;
    table->cell[slot].t = t;
}

/* Reads the target tokens at positions begin .. end - 1 (one corpus row) for a source word:
 * those that this source word has not met in this pass are counted in row_pairs or entered into the
 * row. stamps [stamp_count] are the worker's. */
static void visit_tokens(const builder *b, uint32_t *stamps, uint32_t source, uint32_t begin,
                         uint32_t end) {
    for (uint32_t position = begin; position < end; position++) {
        const uint32_t word = b->target->tokens[position];
        if (word == ALCORE__CORPUS_BOUNDARY || stamps[word] == source + 1) continue;
        stamps[word] = source + 1;
        if (b->fill)
            alcore__aligner_table_put(b->table, source, word, b->start);
        else
            b->table->row_pairs[source]++;
    }
}

/* Visits the target words of every row in which source word `source` occurs; of all rows for the
 * null word, whose symbol is that of the boundary. */
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

/* The task of BLOCK_SYMBOLS source symbols (alcore__task), in either pass. */
static alcore_status visit_block(void *data, int64_t block, int32_t worker) {
    const builder *b = data;
    uint32_t *stamps = b->stamps + (size_t)worker * b->stamp_count;
    const int64_t first = block * BLOCK_SYMBOLS;
    for (int64_t e = first; e < first + BLOCK_SYMBOLS && e < b->table->source_symbols; e++)
        ALCORE__TRY(visit_source(b, stamps, (uint32_t)e));
    return ALCORE_OK;
}

/* One pass over all source symbols. The stamps of an earlier pass are set to 0 first. */
static alcore_status visit_all(builder *b) {
    const size_t stamps = (size_t)alcore_ctx_threads(b->ctx) * b->stamp_count;
    memset(b->stamps, 0, stamps * sizeof *b->stamps);
    const int64_t blocks = ((int64_t)b->table->source_symbols + BLOCK_SYMBOLS - 1) / BLOCK_SYMBOLS;
    return alcore__parallel(b->ctx, STAGE_COLLECT, blocks, visit_block, b);
}

/* Fills first and rows, the rows of every source word, by a counting sort of the source tokens by
 * symbol. Tokens are read from the last to the first, so that each symbol's rows come out
 * ascending and first[e] ends at the beginning of its list. The lists of the boundary (symbol 0)
 * are made and never read. */
static alcore_status index_rows(builder *b) {
    const alcore__corpus *source = b->source;
    const uint32_t symbols = b->table->source_symbols;
    ALCORE__TRY(alcore__new_array(b->ctx, (size_t)symbols + 1, sizeof *b->first, &b->first));
    ALCORE__TRY(alcore__new_array(b->ctx, (size_t)source->token_count, sizeof *b->rows, &b->rows));
    for (uint32_t i = 1; i < source->pool_end; i++) b->first[source->tokens[i]]++;
    uint64_t next = 0;
    for (uint32_t e = 0; e <= symbols; e++) { /* first[e] becomes the end of the list of e */
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

/* Gives each source word its row of slots from row_pairs: 4/3 of its pairs and one more, so that a
 * search for a missing word always meets a free slot; no slot without pairs. */
alcore_status alcore__aligner_table_lay_out(alcore_ctx *ctx, alcore__aligner_table *table) {
    const size_t symbols = table->source_symbols;
    uint64_t slots = 0;
    ALCORE__TRY(alcore__new_array(ctx, symbols + 1, sizeof(uint64_t), &table->row_begin));
    for (uint32_t e = 0; e < table->source_symbols; e++) {
        const uint64_t pairs = table->row_pairs[e];
        table->row_begin[e] = slots;
        slots += pairs == 0 ? 0 : pairs + pairs / 3 + 1;
    }
    table->row_begin[table->source_symbols] = slots;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)slots, sizeof *table->key, &table->key));
    return alcore__new_array(ctx, (size_t)slots, sizeof *table->cell, &table->cell);
}

/* The largest shift with which the frequency of the most frequent target word, in units of
 * 2^-shift, stays below 2^62: then no count of a pair can overflow. */
static void choose_shift(builder *b) {
    uint32_t *frequency = b->stamps; /* [stamp_count] borrows the first worker's stamps, which every
                                        pass sets to 0 before it uses them */
    uint32_t max_frequency = 0;
    memset(frequency, 0, b->stamp_count * sizeof *frequency);
    for (uint32_t i = 1; i < b->target->pool_end; i++) {
        const uint32_t word = b->target->tokens[i];
        if (word != ALCORE__CORPUS_BOUNDARY && ++frequency[word] > max_frequency)
            max_frequency = frequency[word];
    }
    b->table->shift = 62 - (max_frequency == 0 ? 0 : 32 - __builtin_clz(max_frequency));
}

/* Index, first pass, which counts the pairs of each row, layout, second pass (fill), which enters
 * the pairs. The caller frees the builder's arrays, and the table after a failure. */
static alcore_status build(builder *b) {
    alcore_ctx *ctx = b->ctx;
    alcore__aligner_table *table = b->table;
    const size_t threads = (size_t)alcore_ctx_threads(ctx), symbols = table->source_symbols;
    ALCORE__TRY(alcore__new_array(ctx, symbols, sizeof(uint32_t), &table->row_pairs));
    ALCORE__TRY(alcore__new_array(ctx, threads * b->stamp_count, sizeof(uint32_t), &b->stamps));
    choose_shift(b);
    ALCORE__TRY(index_rows(b));
    ALCORE__TRY(visit_all(b));
    ALCORE__TRY(alcore__aligner_table_lay_out(ctx, table));
    b->fill = true;
    return visit_all(b);
}

/* Builds the table of two corpora with the same rows and frees what only the build needs.
 * source->max_symbol bounds the symbols, of which some may be unused: their rows are empty. */
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

/* The cell of a pair of symbols, NULL when they never occurred together: the search that may fail,
 * unlike alcore__aligner_slot(). */
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

/* Computes *y and returns c with digamma(x) = ln(*y) - c, x > 0: the recurrence digamma(x) =
 * digamma(x + 1) - 1 / x up to y >= 12, where the asymptotic series 1 / (2 y) + 1 / (12 y^2) - ...
 * has an error below the rounding of a double. The sum of the 1 / x is kept as one fraction,
 * numerator / denominator, so that there is a single division. */
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

/* What the tasks of one M-step share. */
typedef struct maximizer {
    alcore_ctx *ctx;
    alcore__aligner_table *table;
    double alpha; /* pseudo count of variational Bayes; 0: t is the ratio of counts */
    double unit;  /* 2^-shift, the value of one unit of a count */
} maximizer;

/* The sum of the counts of the row of a source word, as a number of occurrences. A count is below
 * 2^62, so a sum of counts could overflow: the upper and the lower 32 bits are added apart. Both
 * sums are integers, so the total does not depend on the order of the slots, which threads
 * decide. */
static double row_total(const alcore__aligner_table *table, uint32_t source, double unit) {
    uint64_t upper = 0, lower = 0;
    for (uint64_t i = table->row_begin[source]; i < table->row_begin[source + 1]; i++) {
        const uint64_t count = atomic_load_explicit(&table->cell[i].count, memory_order_relaxed);
        upper += count >> 32;
        lower += count & UINT32_MAX;
    }
    return ((double)upper * 4294967296.0 + (double)lower) * unit;
}

/* Computes t of every pair of the row of a source word from its counts, and sets the counts to 0.
 * Free slots take part as pairs of count 0, which is harmless: nothing reads their t. One worker
 * has the row to itself in the M-step. */
static void maximize_row(const maximizer *m, uint32_t source) {
    alcore__aligner_table *table = m->table;
    double total = row_total(table, source, m->unit);
    double total_digamma = 0, zero_count_t = 0;
    if (m->alpha > 0) {
        total += m->alpha * table->row_pairs[source];
        total_digamma = alcore__digamma(total);
        /* many pairs have a count of 0: their t is computed once */
        zero_count_t = exp(alcore__digamma(m->alpha) - total_digamma);
    }
    for (uint64_t i = table->row_begin[source]; i < table->row_begin[source + 1]; i++) {
        alcore__aligner_cell *cell = &table->cell[i];
        const uint64_t units = atomic_load_explicit(&cell->count, memory_order_relaxed);
        atomic_store_explicit(&cell->count, 0, memory_order_relaxed);
        if (units == 0) {
            cell->t = zero_count_t;
        } else if (m->alpha > 0) {
            double y;
            const double c = digamma_parts((double)units * m->unit + m->alpha, &y);
            cell->t = y * exp(-c - total_digamma);
        } else {
            cell->t = (double)units * m->unit / total;
        }
    }
}

/* The task of BLOCK_SYMBOLS source symbols (alcore__task). */
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
