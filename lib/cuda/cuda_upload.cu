/* SPDX-License-Identifier: Apache-2.0 */
/* upload, release, store and download of the kernel table. upload: rows that stay on the device
 * between calls, for strategies with many passes. The rows of the mask are gathered on the host in
 * pieces, which are copied one after the other. A quarter of the device's memory stays free for
 * other programs; where that is impossible, nothing is copied, which is no failure. Cost: one read
 * of the rows and one copy. store: changes to what upload copied. download: rows of the caller's
 * arrays on the device, for what the library reads on the host.
 *
 * Terms used here: work->workspace, the host's allocator of device memory, NULL where the device's
 * own is used; it returns NULL when memory is short. A call (cuda_call.cuh) has the stream of one
 * call of the kernel table; copy_in() copies to the device, its source may change after the
 * return; poll() throws when the host wants to stop; guarded() turns exceptions into the returned
 * status. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
/* One part in FREE_SHARE of the device's memory stays free when rows are kept there. */
const size_t FREE_SHARE = 4;

/* Bytes of the rows, stored without gaps, whatever their stride. */
size_t bytes_of(const alcore_sys_rows *rows) {
    return (size_t)rows->count * (size_t)rows->dims * alcore_sys_dtype_bytes(rows->dtype);
}

} // namespace

/* Memory for what is kept between calls: from the workspace, whose owner decides how much stays
 * free, or from the device. */
void *kept_memory(const alcore_sys_work *work, size_t bytes) {
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

namespace {
/* Throws for rows that cannot be copied: a negative shape, a type without a size, absent data. */
void check_shape(call &c, const alcore_sys_rows *rows) {
    c.check_count(rows->count);
    c.check_count(rows->dims);
    if (alcore_sys_dtype_bytes(rows->dtype) == 0)
        fail(c.work, ALCORE_E_SHAPE, "a copy was asked for with an unknown type");
    if (!rows->data && rows->count > 0 && rows->dims > 0)
        fail(c.work, ALCORE_E_INVALID, "a copy was asked for without data");
}

/* Throws where the stream of the call is of another device than the call, before anything is read
 * or written. */
void check_stream(call &c) {
    if (cudaEventRecord(c.streams->begin, c.compute) == cudaSuccess) return;
    cudaGetLastError(); /* or the next launch would report it */
    fail(c.work, ALCORE_E_INVALID, "the stream is of another device than the array");
}

/* Copies the rows of the mask (mask [rows] on the host, NULL: all), without gaps, from host memory
 * to the device memory out, as many rows as PIECE bytes hold at a time, but one at least. */
void gather(call &c, const alcore_sys_rows *rows, const uint8_t *mask, char *out) {
    const size_t component = alcore_sys_dtype_bytes(rows->dtype);
    const size_t PIECE = (size_t)1 << 18, row_bytes = (size_t)rows->dims * component;
    const char *data = (const char *)rows->data;
    std::vector<char> piece; /* rows that are gathered and not yet copied */
    piece.reserve(std::max(PIECE, row_bytes));
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        const char *row = data + (size_t)(i * rows->stride) * component;
        piece.insert(piece.end(), row, row + row_bytes);
        if (piece.size() + row_bytes <= PIECE) continue;
        c.poll();
        c.copy_in(out, piece.data(), piece.size());
        out += piece.size();
        piece.clear();
    }
    c.copy_in(out, piece.data(), piece.size()); /* the rows that are left; perhaps none */
}
} // namespace

/* Kernel table: copies the rows of the mask, without gaps, to new device memory, which *out then
 * describes (count: the rows of the mask, stride: dims; first, dtype and unit as in `rows`) and
 * release() frees. *out is zeroed where the rows are on the device already or memory is short,
 * which is no failure. After a failure the call has waited for its copies (call::~call), so the
 * memory can be freed at once. */
alcore_status upload(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                     alcore_sys_held *out) {
    memset(out, 0, sizeof *out);
    alcore_sys_held held = alcore_sys_held();
    alcore_status status = guarded(work, [&](call &c) {
        check_shape(c, rows);
        if (c.on_device(rows->data)) return;
        std::vector<uint8_t> memory;
        const uint8_t *host_mask = c.to_host(mask, rows->count, &memory);
        held.rows = *rows;
        held.rows.stride = rows->dims;
        if (host_mask)
            held.rows.count = rows->count - std::count(host_mask, host_mask + rows->count, 0);
        held.memory = bytes_of(&held.rows) ? kept_memory(work, bytes_of(&held.rows)) : nullptr;
        held.rows.data = held.memory;
        if (held.memory) gather(c, rows, host_mask, (char *)held.memory);
    });
    if (status == ALCORE_OK && held.memory)
        *out = held;
    else if (held.memory)
        release(work, &held);
    return status;
}

/* Kernel table: frees what upload() or convert() allocated, with the workspace and device of the
 * same `work`; memory NULL: nothing. It has no status, because there is nothing that a caller could
 * do. It does not wait: kernels in work->stream may still read a lent block, which its lender may
 * reuse in the order of that stream only; cudaFree() waits by itself. workspace_release NULL: the
 * lender takes care of its blocks, and nothing is given back. */
void release(const alcore_sys_work *work, const alcore_sys_held *held) {
    if (!held->memory) return;
    if (work->workspace) {
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, held->memory, bytes_of(&held->rows));
        return;
    }
    try {
        context_scope context(device_of(work));
        /* An error that stayed would be reported by the next launch. */
        if (cudaFree(held->memory) != cudaSuccess) cudaGetLastError();
    } catch (cudaError_t) {
        /* The device is gone, and its memory with it. */
    }
}

/* Kernel table: copies rows to device memory, memory [count, dims] without gaps, in stream order.
 * Rows in host memory pass through pinned memory, so that the caller may change them at once. With
 * no rows the call says whether the memory and the stream are of the device. */
alcore_status store(const alcore_sys_work *work, const alcore_sys_rows *rows, void *memory) {
    return guarded(work, [&](call &c) {
        check_shape(c, rows);
        check_stream(c);
        if (memory && !c.on_device(memory))
            fail(work, ALCORE_E_INVALID, "rows are to be stored in memory of no device");
        if (c.on_device(rows->data)) { /* both ends are there: one copy */
            const size_t component = alcore_sys_dtype_bytes(rows->dtype);
            const size_t width = (size_t)rows->dims * component;
            c.check(cudaMemcpy2DAsync(memory, width, rows->data, (size_t)rows->stride * component,
                                      width, (size_t)rows->count, cudaMemcpyDefault, c.compute),
                    "copying on the device");
            return;
        }
        gather(c, rows, nullptr /* no mask */, (char *)memory);
    });
}

/* Kernel table: copies rows to host memory, out [count, dims] without gaps, in stream order, and
 * waits for the stream, also where there is nothing to copy: after the call the array may be read
 * in any stream. About DOWNLOAD_BYTES are copied between two looks at the host's wish to stop. */
alcore_status download(const alcore_sys_work *work, const alcore_sys_rows *rows, void *out) {
    return guarded(work, [&](call &c) {
        const size_t DOWNLOAD_BYTES = (size_t)16 << 20;
        const size_t component = alcore_sys_dtype_bytes(rows->dtype);
        const size_t width = (size_t)rows->dims * component,
                     pitch = (size_t)rows->stride * component;
        const char *source = (const char *)rows->data;
        char *destination = (char *)out;
        check_shape(c, rows);
        check_stream(c);
        c.check(cudaStreamSynchronize(c.compute), "waiting for the stream of the caller");
        const bool direct = !c.on_device(source); /* in host memory */
        const int64_t together =
            std::max<int64_t>((int64_t)(DOWNLOAD_BYTES / std::max<size_t>(width, 1)), 1);
        for (int64_t done = 0; done < rows->count && width > 0; done += together) {
            const int64_t part = std::min(together, rows->count - done);
            c.poll();
            for (int64_t i = 0; direct && i < part; i++)
                memcpy(destination + (size_t)i * width, source + (size_t)i * pitch, width);
            if (!direct) c.download_rows(destination, source, pitch, width, part);
            source += (size_t)part * pitch;
            destination += (size_t)part * width;
        }
    });
}

} // namespace alcore_cuda
