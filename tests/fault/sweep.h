/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation-failure sweep (reliability goal R1). Every exported function has a case, by name;
 * lib/alcore.map drives the sweep, so an export without a case fails it. */
#ifndef SWEEP_H
#define SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "alcore/extra.h"
#include "fault_allocator.h"

/* What a case wants to find made, beside the context, the pool and the labeled pool. */
enum {
    WITH_SCORES = 1,        /* columns scores, logprobs, probs and embeddings of the pool */
    WITH_LM = 2,            /* lm */
    WITH_MODEL = 4,         /* model: host functions */
    WITH_SCORER = 8,        /* scorer nsp, strategy random */
    WITH_REQUEST = 16,      /* request over pool and labeled pool, budget 3 */
    WITH_SELECTION = 32,    /* selection: an answer of request */
    WITH_WRITER = 64,       /* writer of a scalar column, two rows put */
    WITH_FULL_WRITER = 128, /* writer of a scalar column, all rows put */
    WITH_ALIGNER = 256,     /* aligner of the pool with itself, and links: its own */
    WITH_TOKENIZER = 1024,  /* tokenizer, and tokens of the texts of the pool */
    WITH_MIX = 512 /* references of three rows of both pools, embeddings of the labeled pool,
                      annotations (row 1, translated), mix: a training set of these */
};

#define WORLD_ROWS 12
#define WORLD_DIMS 3

/* A fresh one for every failing allocation: what a function may find. */
typedef struct world {
    fault_allocator fault;
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled;
    alcore_lm *lm;
    alcore_aligner *aligner;
    alcore_links *links;
    alcore_tokenizer *tokenizer;
    alcore_tokens *tokens;
    alcore_annotations *annotations;
    alcore_mix *mix;
    alcore_model *model;
    alcore_scorer *scorer;
    alcore_strategy *strategy;
    alcore_request *request;
    alcore_selection *selection;
    alcore_column_writer *writer;
    long long paused_calls, paused_fail_at;
    char error[200]; /* of sweep_keep_error() */
} world;

void world_begin(world *world, unsigned with);
void world_end(world *world);
/* The embeddings of the pool, of a world made WITH_SCORES, as an operand of a search. */
alcore_search_data world_embeddings(const world *world);
/* A number of everything in the world that a failed call must not change. */
uint64_t world_digest(const world *world);
/* The folder of the input files that world_files_write() wrote; a file in it. */
const char *world_file(const char *name);
void world_files_write(void);
void world_file_write(const char *name, const void *data, size_t bytes);
/* A .npy file of at most 896 bytes of data; type as in "<f4", shape as in "12, 3". */
void world_file_write_npy(const char *name, const char *type, const char *shape, const void *data,
                          size_t bytes);
void world_files_remove(void);
/* Files of a folder of the world; for "nothing left behind". */
int world_files_count(void);
/* Files and folders in the folder for temporary ones, TMPDIR, where no call leaves any. */
int world_temporaries_count(void);

/* Between the two, allocations neither count nor fail: for what only leads to the function under
 * test. */
void sweep_pause(world *world);
void sweep_resume(world *world);

/* Keeps the error text of the function under test, for a case that calls others after it. */
void sweep_keep_error(world *world);

typedef alcore_status (*sweep_call)(world *world);
typedef struct sweep_case {
    const char *name;
    unsigned with;
    bool allocates; /* else the call must make no allocation at all */
    bool keeps;     /* what a handle grew to stays with it after a failure, for the next call */
    sweep_call call;
    struct sweep_case *next;
} sweep_case;
void sweep_register(sweep_case *new_case);
/* Runs the cases that belong to no single function: a whole selection for every strategy. */
void sweep_selections(void (*run)(const sweep_case *));

/* A function of the list: ALLOCATES(name, WITH_...) { return its status; } or NEVER(name,
 * WITH_...). A case may look at more of a function than one call. GROWS() is ALLOCATES() for calls
 * that enlarge a handle's room before they can fail: the arrays of a pool or a writer, the ranks of
 * a selection. That room goes with the handle. */
#define SWEEP_CASE(function, with_what, may_allocate, may_keep)                                    \
    static alcore_status sweep_##function(world *w);                                               \
    static sweep_case case_##function = {#function, with_what,        may_allocate,                \
                                         may_keep,  sweep_##function, NULL};                       \
    __attribute__((constructor)) static void register_##function(void) {                           \
        sweep_register(&case_##function);                                                          \
    }                                                                                              \
    static alcore_status sweep_##function(world *w)
#define ALLOCATES(function, with_what) SWEEP_CASE(function, with_what, true, false)
#define GROWS(function, with_what) SWEEP_CASE(function, with_what, true, true)
#define NEVER(function, with_what) SWEEP_CASE(function, with_what, false, false)

/* The end of a case whose function cannot fail: what it says must hold. */
#define HOLDS(condition) return (void)w, (condition) ? ALCORE_OK : ALCORE_E_INTERNAL
/* The end of a case that makes a handle: after a failure out is NULL; after success it is released.
 */
#define MADE(unref, status, out)                                                                   \
    do {                                                                                           \
        if ((status) != ALCORE_OK) return (out) == NULL ? (status) : ALCORE_E_INTERNAL;            \
        unref(out);                                                                                \
        return ALCORE_OK;                                                                          \
    } while (0)

#endif
