/* SPDX-License-Identifier: Apache-2.0 */
/* What a pool holds beside its texts, as one number: the functions of a host's model may read all
 * of it, so that columns that they made are valid only while it is the same (model/model_host.c).
 *
 * Left out is what changes from round to round while an encoder does not, as a cache would else
 * keep nothing for the next round: states, references (which come back as labels), and numbers that
 * models make. The header asks a model that reads these to name what it reads. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "pool/column_names.h"
#include "pool/pool_state.h"

/* Joins text [length] to the hash; NULL, which the row does not have, differs from the empty text.
 */
static void join(uint64_t *hash, const void *text, size_t length) {
    const uint64_t all[3] = {*hash, text ? length + 1 : 0, alcore__hash64(text, length)};
    *hash = alcore__hash64(all, sizeof all);
}

static void join_string(uint64_t *hash, const char *text) {
    join(hash, text, text ? strlen(text) : 0);
}

/* One detail of a row; each joins what the row has, or that it has nothing. */
typedef void join_detail(const alcore_pool *pool, int64_t row, uint64_t *hash);

static void join_id(const alcore_pool *pool, int64_t row, uint64_t *hash) {
    join_string(hash, alcore__pool_given_id(pool, row));
}

static void join_language(const alcore_pool *pool, int64_t row, uint64_t *hash) {
    join_string(hash, alcore_pool_language(pool, row));
}

static void join_group(const alcore_pool *pool, int64_t row, uint64_t *hash) {
    join_string(hash, alcore_pool_group(pool, row));
}

static void join_reference(const alcore_pool *pool, int64_t row, uint64_t *hash) {
    size_t length;
    const char *reference = alcore_pool_reference(pool, row, &length);
    join(hash, reference, length);
}

static void join_cost(const alcore_pool *pool, int64_t row, uint64_t *hash) {
    const double cost = alcore_pool_cost(pool, row);
    join(hash, isnan(cost) ? NULL : &cost, sizeof cost);
}

/* Whether a list that ends with NULL has the name. */
static bool names(const char *const *reads, const char *name) {
    for (; *reads; reads++)
        if (strcmp(*reads, name) == 0) return true;
    return false;
}

/* Whether a model may depend on the column: the list names it or, without one, a caller gave it,
 * and it is none of the numbers that models make. */
static bool is_read(const alcore__column *column, const char *const *reads) {
    const alcore__column_name *known = alcore__column_name_find(column->name);
    if (reads) return names(reads, column->name);
    return alcore__column_is_given(column) && (!known || known->values == ALCORE__COLUMN_TEXTS);
}

/* Joins name and values of the columns. Their order in the pool is that in which they were set. */
static alcore_status join_columns(const alcore_pool *pool, const char *const *reads,
                                  uint64_t *hash) {
    uint64_t sum = 0;
    for (size_t i = 0; i < pool->column_count; i++) {
        const alcore__column *column = pool->columns[i];
        uint64_t values;
        if (!is_read(column, reads)) continue;
        ALCORE__TRY(alcore__column_fingerprint_whole(column, &values));
        join_string(&values, column->name);
        sum += values;
    }
    if (sum != 0) join(hash, &sum, sizeof sum);
    return ALCORE_OK;
}

/* A detail that rows can have. */
typedef struct row_detail {
    const char *name;
    size_t segments; /* offset of the alcore__segments of the pool, which rows without it lack */
    join_detail *join;
} row_detail;

static const row_detail languages = {"languages", offsetof(alcore_pool, languages), join_language};

/* Joins a detail of all rows. One that no row has leaves the hash as it is, so that a pool of texts
 * alone has 0. */
static void join_rows(const alcore_pool *pool, const row_detail *detail, uint64_t *hash) {
    const alcore__segments *there =
        (const alcore__segments *)(const void *)((const char *)pool + detail->segments);
    if (there->capacity == 0) return;
    join_string(hash, detail->name);
    for (int64_t row = 0; row < pool->rows; row++) detail->join(pool, row, hash);
}

uint64_t alcore__pool_hash_languages(const alcore_pool *pool) {
    uint64_t hash = 0;
    join_rows(pool, &languages, &hash);
    return hash;
}

alcore_status alcore__pool_hash_details(const alcore_pool *pool, const char *const *reads,
                                        uint64_t *out) {
    static const row_detail others[] = {
        {"ids", offsetof(alcore_pool, ids), join_id},
        {"groups", offsetof(alcore_pool, groups), join_group},
        {"costs", offsetof(alcore_pool, costs), join_cost},
        {"references", offsetof(alcore_pool, references), join_reference}};
    enum { USUAL = 3 }; /* of them, without a list */
    *out = alcore__pool_hash_languages(pool);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (reads ? names(reads, others[i].name) : i < USUAL) join_rows(pool, &others[i], out);
    return join_columns(pool, reads, out);
}
