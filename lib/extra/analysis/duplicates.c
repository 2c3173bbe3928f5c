/* SPDX-License-Identifier: Apache-2.0 */
/* Which texts of a test set are also training data (spec 1.9; the check that
 * belongs to the resplit of Aharoni and Goldberg 2020, whose domains HUDS uses). */
#include <math.h>

#include "alcore/extra/analysis.h"
#include "pool/pool_internal.h"

/* Counts with both pools locked for reading. */
static alcore_status count_known(const alcore_pool *test, const alcore_pool *train,
                                 alcore_duplicates_result *out) {
    alcore_ctx *ctx = alcore__pool_ctx(test);
    const int64_t rows = alcore_pool_row_count(test);
    uint8_t *known; /* [rows] 1: the training data has the text */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, 1, &known));
    const alcore_status status = alcore__pool_match_texts(test, train, known);
    for (int64_t row = 0; row < rows && status == ALCORE_OK; row++) out->in_train += known[row];
    alcore__free(ctx, known);
    out->texts = rows - alcore_pool_state_count(test, ALCORE_ROW_EMPTY);
    out->repeated = alcore_pool_state_count(test, ALCORE_ROW_DUPLICATE);
    out->duplicates =
        out->texts > 0 ? 100.0 * (double)out->in_train / (double)out->texts : (double)NAN;
    return status;
}

/* Locks both pools, counts, and unlocks them. */
static alcore_status count_locked(const alcore_pool *test, const alcore_pool *train,
                                  alcore_duplicates_result *out) {
    ALCORE__TRY(alcore__read_begin(test, "pool of the test set"));
    alcore_status status = alcore__read_begin(train, "pool of the training data");
    if (status == ALCORE_OK) {
        status = count_known(test, train, out);
        alcore__read_end(train);
    }
    alcore__read_end(test);
    return status;
}

alcore_status alcore_analysis_compute_duplicates(const alcore_pool *test, const alcore_pool *train,
                                                 const alcore_duplicates_options *options,
                                                 alcore_duplicates_result *out) {
    alcore_duplicates_result found = {0};
    alcore_ctx *ctx = test ? alcore__pool_ctx(test) : NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    alcore_status status = ALCORE_OK;
    if (!test || !train || !out || test == train)
        status = alcore__fail(ALCORE_E_INVALID, "alcore_analysis_compute_duplicates: two pools and "
                                                "out are needed");
    if (status == ALCORE_OK) status = alcore__struct_empty(options, "alcore_duplicates_options");
    if (status == ALCORE_OK) status = count_locked(test, train, &found);
    if (status == ALCORE_OK)
        status = alcore__struct_write(out, &found, sizeof found,
                                      ALCORE__FIRST_SIZE(alcore_duplicates_result, repeated),
                                      "alcore_duplicates_result");
    return alcore__leave(ctx, status);
}
