/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a column writer; for the files of this folder only. */
#ifndef ALCORE__COLUMN_WRITER_H
#define ALCORE__COLUMN_WRITER_H

#include "pool/column_builder.h"

struct alcore_column_writer {
    alcore__object object;
    alcore_pool *pool;             /* a reference */
    char *name;                    /* of the column, owned */
    uint64_t fingerprint;          /* of the pool when the writer was made */
    int64_t pool_rows;             /* rows of the pool then */
    int32_t shape;                 /* ALCORE_COLUMN_* */
    alcore_column_options options; /* meaning and log_base; the rest is 0 */
    pthread_mutex_t lock; /* guards what follows; of the kind that detects a second lock by its
                             owner, so that a call from a progress callback is ALCORE_E_BUSY */
    const struct alcore__wanted *wanted; /* rows that finishing asks for, borrowed; NULL: every
                                            unmasked one */
    alcore__column_builder builder;      /* the values put so far */
    bool finished;                       /* the column is in the pool; every further call fails */
};

/* Body of alcore_column_writer_save() and _merge(); the lock is held. asks: a cancelled call ends
 * them. */
alcore_status alcore__column_writer_save(const alcore_column_writer *writer, const char *path,
                                         bool asks);
alcore_status alcore__column_writer_merge(alcore_column_writer *writer, const char *path,
                                          bool asks);

#endif
