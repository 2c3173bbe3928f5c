/* SPDX-License-Identifier: Apache-2.0 */
/* What every CPU kernel does around its loop: it checks arguments, reports errors through the
 * host's callbacks, allocates for the length of a call, and asks the host whether to stop
 * (cpu_call.h). alcore_sys_work, the first argument of every kernel, has the host's callbacks
 * (host, each NULL where the host has none; host_user is their argument) and perhaps an allocator
 * of the caller's (workspace, workspace_release, with workspace_user). */
#include "engines/cpu/cpu_call.h"

#include <string.h>

alcore_status alcore__cpu_fail(const alcore_sys_work *work, alcore_status status,
                               const char *text) {
    if (work && work->host && work->host->set_error) {
        return work->host->set_error(status, text, strlen(text));
    }
    return status;
}

/* The types of floats are four consecutive values, FLOAT16, BFLOAT16, FLOAT32 and FLOAT64
 * (alcore/tensor.h). What is not checked is the caller's to keep: the stride, and that data has
 * count rows. */
alcore_status alcore__cpu_check(const alcore_sys_work *work, const alcore_sys_rows *rows) {
    if (!work || !rows)
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "a kernel was called without rows");
    if (rows->count < 0 || rows->dims < 0) {
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    }
    if (rows->dtype < ALCORE_FLOAT16 || rows->dtype > ALCORE_FLOAT64) {
        return alcore__cpu_fail(work, ALCORE_E_SHAPE,
                                "kernels read float16, bfloat16, float32 and float64 only");
    }
    if (!rows->data && rows->count > 0 && rows->dims > 0) {
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "a kernel was called without data");
    }
    return ALCORE_OK;
}

alcore_status alcore__cpu_check_groups(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                       const int32_t *group, int64_t groups) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (status) return status;
    if (groups < 0)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "a kernel was called with a negative shape");
    for (int64_t i = 0; i < rows->count; i++) {
        if (group[i] >= groups) {
            return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                    "the group of a row is not below the number of groups");
        }
    }
    return ALCORE_OK;
}

alcore_status alcore__cpu_check_targets(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                        const alcore_sys_rows *targets, const int32_t *group,
                                        int64_t groups) {
    alcore_status status = alcore__cpu_check(work, rows);
    if (!status) status = alcore__cpu_check(work, targets);
    if (status) return status;
    if (rows->dims != targets->dims)
        return alcore__cpu_fail(work, ALCORE_E_SHAPE,
                                "rows and targets have different numbers of components");
    if (groups < 1)
        return alcore__cpu_fail(work, ALCORE_E_INVALID, "a kernel was called without groups");
    return group ? alcore__cpu_check_groups(work, targets, group, groups) : ALCORE_OK;
}

alcore_status alcore__cpu_check_stats(const alcore_sys_work *work, int64_t classes,
                                      const int64_t *labels, const alcore_sys_token_stats *out) {
    if (classes > INT32_MAX)
        return alcore__cpu_fail(work, ALCORE_E_SHAPE, "a token has more than 2^31 - 1 classes");
    if (out->logprob && !labels)
        return alcore__cpu_fail(work, ALCORE_E_INVALID,
                                "log-probabilities of labels were asked for without labels");
    return ALCORE_OK;
}

/* 0 bytes are asked for as 1, so that NULL always means failure. */
alcore_status alcore__cpu_new(const alcore_sys_work *work, int64_t count, size_t bytes, void *out) {
    size_t total;
    void *memory = NULL;
    if (!__builtin_mul_overflow((size_t)count, bytes, &total)) {
        if (total == 0) total = 1;
        if (work->workspace) {
            memory = work->workspace(work->workspace_user, total);
        } else if (work->host && work->host->allocate) {
            memory = work->host->allocate(work->host_user, total);
        }
    }
    memcpy(out, &memory, sizeof memory);
    if (!memory) return alcore__cpu_fail(work, ALCORE_E_NOMEM, "out of memory in a kernel");
    return ALCORE_OK;
}

/* A host that allocates releases too. Without workspace_release the lender of the workspace takes
 * its blocks back by itself. */
void alcore__cpu_free(const alcore_sys_work *work, void *memory, int64_t count, size_t bytes) {
    if (!memory) return;
    size_t total = (size_t)count * bytes;
    if (total == 0) total = 1;
    if (work->workspace) {
        if (work->workspace_release) work->workspace_release(work->workspace_user, memory, total);
    } else {
        work->host->release(work->host_user, memory, total);
    }
}

void alcore__cpu_add(cpu_arrays *arrays, int64_t count, size_t bytes, void *out) {
    void *memory = NULL;
    if (!arrays->status) arrays->status = alcore__cpu_new(arrays->work, count, bytes, &memory);
    if (memory) {
        arrays->each[arrays->count].memory = memory;
        arrays->each[arrays->count].count = count;
        arrays->each[arrays->count++].bytes = bytes;
    }
    memcpy(out, &memory, sizeof memory);
}

/* The last one first: a workspace may be a stack. */
void alcore__cpu_release(cpu_arrays *arrays) {
    while (arrays->count > 0) {
        arrays->count--;
        alcore__cpu_free(arrays->work, arrays->each[arrays->count].memory,
                         arrays->each[arrays->count].count, arrays->each[arrays->count].bytes);
    }
}

alcore_status alcore__cpu_poll(const alcore_sys_work *work, int64_t *spent, int64_t cost) {
    *spent += cost;
    if (*spent < CPU_POLL_EVERY) return ALCORE_OK;
    *spent = 0;
    if (work->host && work->host->poll_cancel && work->host->poll_cancel(work->host_user)) {
        return alcore__cpu_fail(work, ALCORE_E_CANCELLED, "cancelled");
    }
    return ALCORE_OK;
}
