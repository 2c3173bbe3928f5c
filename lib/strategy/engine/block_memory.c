/* SPDX-License-Identifier: Apache-2.0 */
/* What stays with the candidates of a block between passes. */
#include <string.h>

#include "strategy/strategy.h"

alcore_status alcore__block_local(alcore__block *block, size_t bytes, void *out) {
    void **local = &block->memory->local;
    if (!*local) ALCORE__TRY(alcore__new_array(block->run->ctx, 1, bytes, local));
    *(void **)out = *local;
    return ALCORE_OK;
}

double *alcore__block_numbers(const alcore__block *block) {
    return (double *)(uintptr_t)block->memory->numbers.data;
}

alcore_status alcore__block_keep(alcore__block *block, double *numbers, int64_t count) {
    const alcore__run *run = block->run;
    const alcore_sys_kernels *kernels = run->input->engine.kernels;
    alcore__memory *memory = block->memory;
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows here = {.data = numbers,
                            .count = 1,
                            .dims = count,
                            .stride = count,
                            .dtype = ALCORE_FLOAT64},
                    there = {0};
    alcore_status status =
        kernels->upload ? kernels->upload(&work, &here, NULL, &there) : ALCORE_OK;
    if (status != ALCORE_OK || there.data) alcore__free(run->ctx, numbers);
    ALCORE__TRY(status);
    memory->numbers_held = there.data != NULL;
    memory->numbers = there.data ? there : here;
    return ALCORE_OK;
}

alcore_status alcore__numbers_read(const alcore__run *run, const double *numbers, int64_t count,
                                   double *out) {
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows row = {
        .data = numbers, .count = 1, .dims = count, .stride = count, .dtype = ALCORE_FLOAT64};
    return run->input->engine.kernels->widen(&work, &row, NULL, out);
}

void alcore__memory_clear(alcore__run *run, alcore__memory *memory) {
    const alcore_sys_kernels *kernels = run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(run);
    if (kernels->release) kernels->release(&work, &memory->held);
    if (memory->numbers_held) {
        kernels->release(&work, &memory->numbers);
    } else {
        alcore__free(run->ctx, (void *)(uintptr_t)memory->numbers.data);
    }
    alcore__free(run->ctx, memory->rows);
    alcore__free(run->ctx, memory->local);
    memset(memory, 0, sizeof *memory);
}
