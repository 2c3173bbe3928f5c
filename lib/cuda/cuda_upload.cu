/* SPDX-License-Identifier: Apache-2.0 */
/* upload and release: rows that stay on the device between calls, for strategies with many passes.
 * The rows of the mask are gathered on the host in pieces and copied one after the other. A quarter
 * of the device's memory stays free, because others work there too; where it would not, nothing is
 * copied and that is no failure. */
#include <algorithm>

#include "cuda_call.cuh"
#include "cuda_entries.h"

namespace alcore_cuda {

namespace {
const size_t NUMBER_BYTES[] = {0, 2, 2, 4, 8};

/* The share of the device's memory that stays free: others work there too. */
const size_t FREE_SHARE = 4;

size_t bytes_of(const alcore_sys_rows *rows) {
    return (size_t)rows->count * (size_t)rows->dims * NUMBER_BYTES[rows->dtype];
}

/* NULL: there is not enough. */
void *new_memory(const alcore_sys_work *work, size_t bytes) {
    if (work->workspace) return work->workspace(work->workspace_user, bytes);
    size_t unused = 0, total = 0;
    void *memory = nullptr;
    if (cudaMemGetInfo(&unused, &total) != cudaSuccess || bytes > unused ||
        unused - bytes < total / FREE_SHARE || cudaMalloc(&memory, bytes) != cudaSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return memory;
}

/* Copies the rows of the mask, adjacent, to the device memory `to`, 256 KiB at a time. */
void gather(call &c, const alcore_sys_rows *rows, const uint8_t *mask, char *to) {
    const size_t PIECE = (size_t)1 << 18, row = (size_t)rows->dims * NUMBER_BYTES[rows->dtype];
    const char *from = (const char *)rows->data;
    std::vector<char> piece;
    piece.reserve(std::max(PIECE, row));
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        const char *at = from + (size_t)(i * rows->stride) * NUMBER_BYTES[rows->dtype];
        piece.insert(piece.end(), at, at + row);
        if (piece.size() + row <= PIECE) continue;
        c.poll();
        c.upload(to, piece.data(), piece.size());
        to += piece.size();
        piece.clear();
    }
    c.upload(to, piece.data(), piece.size());
}
} // namespace

/* Kernel table: copies the rows of the mask, adjacent, to device memory of their own: *out then
 * describes them; zeroed where they are on the device already or memory is short, which is no
 * failure. */
alcore_status upload(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                     alcore_sys_rows *out) {
    memset(out, 0, sizeof *out);
    alcore_sys_rows held = alcore_sys_rows();
    alcore_status status = guarded(work, [&](call &c) {
        c.check_rows(rows);
        if (c.on_device(rows->data)) return;
        std::vector<uint8_t> memory;
        const uint8_t *host_mask = c.on_host(mask, rows->count, &memory);
        held = *rows;
        held.stride = rows->dims;
        if (host_mask) held.count = rows->count - std::count(host_mask, host_mask + rows->count, 0);
        held.data = bytes_of(&held) ? new_memory(work, bytes_of(&held)) : nullptr;
        if (held.data) gather(c, rows, host_mask, (char *)held.data);
    });
    if (status == ALCORE_OK && held.data)
        *out = held;
    else if (held.data)
        release(work, &held);
    return status;
}

/* Kernel table: frees what upload() allocated. It has no status: a device that is gone cannot be
 * told anything. */
void release(const alcore_sys_work *work, const alcore_sys_rows *held) {
    void *memory = (void *)held->data;
    if (!memory) return;
    if (work->workspace) {
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, memory, bytes_of(held));
        return;
    }
    try {
        context_scope context(work->device);
        cudaFree(memory);
    } catch (cudaError_t) {
        /* A device that has gone took its memory along. */
    }
}

} // namespace alcore_cuda
