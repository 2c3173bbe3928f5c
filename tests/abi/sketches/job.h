/* SPDX-License-Identifier: Apache-2.0 */
/* A sketch of alcore/extra/job.h: a selection over shards. A job is made of a request, whose pools
 * hold the rows of one shard; what passes between shards are bytes. It needs new names only. */
#ifndef ALCORE_EXTRA_JOB_H
#define ALCORE_EXTRA_JOB_H

#include "alcore/alcore.h"

ALCORE_BEGIN

typedef struct alcore_job alcore_job;

/* Where the rows of a shard stand in the whole. */
typedef struct alcore_shard {
    size_t size;
    uint64_t dataset;          /* fingerprint of the whole; of another one a state is refused */
    int64_t total_rows;        /* of all shards */
    const int64_t *first_rows; /* [run_count] number in the whole of the first row of each run */
    const int64_t *run_rows; /* [run_count] rows of each run; runs follow each other in the pool */
    int64_t run_count;
    int64_t index, count; /* of this shard, and how many there are */
} alcore_shard;
#define ALCORE_SHARD_INIT ALCORE_INIT(alcore_shard)

enum alcore_exchange {
    ALCORE_EXCHANGE_NONE = 9001, /* the shard's part of the selection is there */
    ALCORE_EXCHANGE_FOLD = 9002, /* merged by alcore_job_merge() in any order, and given to all */
    ALCORE_EXCHANGE_BROADCAST = 9003,
    ALCORE_EXCHANGE_SHUFFLE = 9004 /* one part for each shard */
};

ALCORE_API alcore_status alcore_job_new(alcore_request *request, const alcore_shard *shard,
                                        alcore_job **out);
ALCORE_API alcore_job *alcore_job_ref(alcore_job *job);
ALCORE_API void alcore_job_unref(alcore_job *job);
/* Consumes blocks of the shard until bytes have to be exchanged or the job is done; cancelled by
 * the request. */
ALCORE_API alcore_status alcore_job_step(alcore_job *job, int32_t *out_exchange);
ALCORE_API alcore_status alcore_job_get_part(const alcore_job *job, int64_t to,
                                             const void **out_bytes, size_t *out_length);
ALCORE_API alcore_status alcore_job_deliver(alcore_job *job, const void *bytes, size_t length);
ALCORE_API alcore_status alcore_job_merge(alcore_ctx *ctx, const void *const *parts,
                                          const size_t *lengths, int64_t count, alcore_job **out);
/* The picks of this shard: rows of its pool, with their ranks in the whole. */
ALCORE_API alcore_status alcore_job_get_selection(const alcore_job *job, alcore_selection **out);

ALCORE_END

#endif
