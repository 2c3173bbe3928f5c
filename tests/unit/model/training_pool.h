/* SPDX-License-Identifier: Apache-2.0 */
/* The pool that tests of training share. Include after check_suite.h. */
#ifndef TRAINING_POOL_H
#define TRAINING_POOL_H

#include "alcore/extra.h"

/* A pool of three rows with these references. */
static alcore_pool *pool_of(alcore_ctx *ctx, const char *const references[3]) {
    static const char *const texts[] = {"one text of five words", "another text", "a third"};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.texts = texts;
    records.references = references;
    records.count = 3;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_records(pool, &records, NULL), ALCORE_OK);
    return pool;
}

#endif
