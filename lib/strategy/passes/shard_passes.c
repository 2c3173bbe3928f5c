/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a run whose candidates lie in shards (shard_passes.h). */
#include "strategy/passes/shard_passes.h"

/* Whether the rows of a source are those of the shards; every process has the others. */
static bool is_in_shards(enum alcore__row_source source) {
    return source == ALCORE__OVER_CANDIDATES || source == ALCORE__OVER_LABELED_ROWS ||
           source == ALCORE__OVER_CHOSEN;
}

/* Leaves the partials that have bytes in the set, in place of all blocks one where the pass joins
 * them. */
static void pack(alcore__run *run, alcore__partials *partials) {
    const alcore__pass *pass = alcore__present_pass(run);
    const alcore__partial_type *type = &pass->partial;
    const bool joins = alcore__pass_joins(run, pass);
    alcore__block block;
    size_t kept = 0;
    alcore__describe_block(run, pass, 0 /* any */, &block);
    for (size_t p = 0; p < partials->count; p++) {
        const alcore__partial *entry = &partials->entries[p];
        if (!entry->bytes) {
            alcore__free(run->ctx, entry->data);
            continue;
        }
        if (joins && kept > 0) {
            type->join(&block, partials->entries[0].data, entry->data, entry->bytes);
            alcore__free(run->ctx, entry->data);
            continue;
        }
        partials->entries[kept++] = *entry;
    }
    partials->count = kept;
}

/* Adds what the shard tells of its rows, as the partial of its first block. */
static alcore_status tell(alcore__run *run, int64_t first, alcore__partials *out) {
    const alcore__pass *pass = alcore__present_pass(run);
    alcore__buffer told = {0};
    const alcore_status status = pass->partial.tell(run, &told);
    if (status != ALCORE_OK || told.length == 0) {
        alcore__free(run->ctx, told.data);
        return status;
    }
    return alcore__partials_add(run->ctx, out, run->runner->pass_count, first, told.data,
                                told.length);
}

/* Visits the own blocks of a pass and adds to *out what they contribute to all shards; a wave at a
 * time where values stay here or partials become one. */
static alcore_status map_own(alcore__run *run, alcore__shard *shard, int64_t first, int64_t end,
                             alcore__partials *out) {
    const bool keeps = alcore__lists_own(run);
    const bool waves = keeps || alcore__pass_joins(run, alcore__present_pass(run));
    const bool tells = alcore__pass_tells(run, alcore__present_pass(run)) && first < end;
    const int64_t first_own = first;
    for (int64_t wave_end; first < end; first = wave_end) {
        alcore__partials wave = {0};
        const int64_t blocks = waves ? alcore__blocks_per_wave(run, first) : end - first;
        wave_end = end - first < blocks ? end : first + blocks;
        alcore_status status = alcore__run_map(run, shard, first, wave_end, &wave);
        if (status == ALCORE_OK && keeps) alcore__run_keep_values(run, &wave);
        if (status == ALCORE_OK) pack(run, &wave);
        if (status == ALCORE_OK) status = alcore__partials_merge(run->ctx, out, &wave);
        alcore__partials_clear(run->ctx, &wave);
        ALCORE__TRY(status);
    }
    pack(run, out); /* of all waves */
    return tells ? tell(run, first_own, out) : ALCORE_OK;
}

/* Whether the shards exchange partials of the pass. */
static bool is_exchanged(alcore__run *run, const alcore__pass *pass) {
    bool any = !alcore__lists_own(run) || pass->partial.sums;
    if (alcore__pass_tells(run, pass) || alcore__pass_varies(run, pass)) return true;
    if (any) return alcore__pass_has_partial(pass);
    for (int64_t b = 0; b < run->active[pass->source].blocks && !any; b++) {
        alcore__block block;
        alcore__describe_block(run, pass, b, &block);
        any = alcore__layout_of(pass, &block).extra_bytes > 0;
    }
    return any;
}

alcore_status alcore__run_to_exchange(alcore__run *run, alcore__shard *shard, int64_t first,
                                      int64_t end, alcore__partials *out, bool *waits) {
    run->runner->exchanges = true;
    while (!alcore__run_done(run)) {
        const alcore__pass *pass = alcore__present_pass(run);
        run->runner->visit_blocks = 1;
        if (!is_in_shards(pass->source)) {
            ALCORE__TRY(alcore__run_make_pass(run, shard));
            continue;
        }
        ALCORE__TRY(map_own(run, shard, first, end, out));
        *waits = is_exchanged(run, pass);
        if (*waits) return ALCORE_OK;
        run->runner->next_block = run->active[pass->source].blocks;
        ALCORE__TRY(alcore__run_end_pass(run));
    }
    *waits = false;
    return ALCORE_OK;
}

alcore_status alcore__run_complete_partials(alcore__run *run, alcore__partials *partials) {
    const int64_t pass = run->runner->pass_count;
    const int64_t blocks = run->active[alcore__present_pass(run)->source].blocks;
    alcore__partials missing = {0};
    alcore_status status = ALCORE_OK;
    size_t at = 0;
    int64_t next;
    for (int64_t b = 0; b < blocks && status == ALCORE_OK; b++) {
        if (at < partials->count && partials->entries[at].block == b)
            at++;
        else
            status = alcore__partials_add(run->ctx, &missing, pass, b, NULL, 0);
    }
    if (status == ALCORE_OK && at < partials->count)
        status = alcore__fail(ALCORE_E_CORRUPT, "there is no block %lld",
                              (long long)partials->entries[at].block);
    if (status == ALCORE_OK) status = alcore__partials_merge(run->ctx, partials, &missing);
    alcore__partials_clear(run->ctx, &missing);
    if (status == ALCORE_OK) status = alcore__run_check_partials(run, partials, &next);
    return status;
}
