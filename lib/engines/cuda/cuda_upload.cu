/* SPDX-License-Identifier: Apache-2.0 */
/* upload, hold, release, store, gather and download of the kernel table. upload: rows that stay on
 * the device between calls, for strategies with many passes. The rows of the mask are gathered on
 * the host in pieces, which are copied one after the other. A quarter of the device's memory stays
 * free for other programs; where that is impossible, nothing is copied, which is no failure. Cost:
 * one read of the rows and one copy. store: changes to what upload copied. hold: the memory alone,
 * for columns of a pool, which store and gather fill from arrays on the device. gather: rows in the
 * order of their numbers. download: rows of the caller's arrays on the device, for what the library
 * reads on the host. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
/* One part in FREE_SHARE of the device's memory stays free when rows are kept there. */
const size_t FREE_SHARE = 4;

/* Bytes of a row without the gap behind it, from a row to the next, and of all rows without gaps.
 */
size_t width_of(const alcore_sys_rows *rows) {
    return (size_t)rows->dims * alcore_sys_dtype_bytes(rows->dtype);
}
size_t pitch_of(const alcore_sys_rows *rows) {
    return (size_t)rows->stride * alcore_sys_dtype_bytes(rows->dtype);
}
size_t bytes_of(const alcore_sys_rows *rows) {
    return (size_t)rows->count * width_of(rows);
}

/* Device memory that outlives the call: from the workspace, whose owner decides how much stays
 * free, or from the device; NULL: there is not enough. A failed call of CUDA's leaves an error,
 * which cudaGetLastError() takes away, as the next check would report it. */
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

/* The address of a row in host memory. */
const char *row_at(const alcore_sys_rows *rows, int64_t i) {
    return (const char *)rows->data + (size_t)i * pitch_of(rows);
}

/* Copies rows of row_bytes bytes, without gaps, from host memory to the device memory out, as many
 * as PIECE bytes hold at a time, but one at least. next(i) is the address of the i-th of `count`
 * rows; NULL: it is left out. */
template <class Next>
void copy_pieces(call &c, size_t row_bytes, int64_t count, const Next &next, char *out) {
    const size_t PIECE = (size_t)1 << 18;
    std::vector<char> piece; /* rows that are gathered and not yet copied */
    piece.reserve(std::max(PIECE, row_bytes));
    for (int64_t i = 0; i < count; i++) {
        const char *row = next(i);
        if (!row) continue;
        piece.insert(piece.end(), row, row + row_bytes);
        if (piece.size() + row_bytes <= PIECE) continue;
        c.poll();
        c.copy_in(out, piece.data(), piece.size());
        out += piece.size();
        piece.clear();
    }
    c.copy_in(out, piece.data(), piece.size()); /* the rows that are left; perhaps none */
}

/* copy_pieces() of the rows of the mask (mask [rows] on the host, NULL: all). */
void copy_rows(call &c, const alcore_sys_rows *rows, const uint8_t *mask, char *out) {
    copy_pieces(
        c, width_of(rows), rows->count,
        [&](int64_t i) { return mask && !mask[i] ? nullptr : row_at(rows, i); }, out);
}

/* What a thread of numbered_kernel copies, of 16, 4 or 2 bytes, or a single one. */
struct alignas(16) wide_unit {
    uint64_t half[2];
};
template <class Unit> __device__ inline Unit all_ones() {
    return (Unit) ~(Unit)0;
}
template <> __device__ inline wide_unit all_ones<wide_unit>() {
    return {{~(uint64_t)0, ~(uint64_t)0}};
}

/* out[i] = row items[i] of the rows at data, `pitch` bytes apart, each of `units` units; all bits
 * are 1 for a negative item. A thread copies a unit, so that those of a warp read adjacent ones. */
template <class Unit>
static __global__ void __launch_bounds__(CUDA_THREADS)
    numbered_kernel(const char *data, int64_t pitch, int64_t units, const int64_t *items,
                    int64_t count, Unit *out) {
    int64_t t = thread_index();
    if (t >= count * units) return;
    int64_t i = t / units, item = items[i];
    if (item < 0)
        out[t] = all_ones<Unit>();
    else
        out[t] = ((const Unit *)(data + item * pitch))[t - i * units];
}

} // namespace

void hold_rows(const alcore_sys_work *work, const alcore_sys_rows &rows, alcore_sys_held *held) {
    held->rows = rows;
    held->rows.stride = rows.dims;
    held->memory = bytes_of(&rows) ? kept_memory(work, bytes_of(&rows)) : nullptr;
    held->rows.data = held->memory;
}

alcore_status make_held(const alcore_sys_work *work, alcore_sys_held *out,
                        const std::function<void(call &, alcore_sys_held *)> &make) {
    memset(out, 0, sizeof *out);
    alcore_sys_held held = alcore_sys_held();
    alcore_status status = guarded(work, [&](call &c) { make(c, &held); });
    if (status == ALCORE_OK && held.memory)
        *out = held;
    else if (held.memory)
        release(work, &held);
    return status;
}

/* Kernel table: copies the rows of the mask, without gaps, to new device memory, which *out then
 * describes (count: the rows of the mask, stride: dims; first, dtype and unit as in `rows`) and
 * release() frees. *out is zeroed where the rows are on the device already, there is no byte to
 * copy, or memory is short, which is no failure. After a failure the call has waited for its copies
 * (call::~call), so the memory can be freed at once. */
alcore_status upload(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                     alcore_sys_held *out) {
    return make_held(work, out, [&](call &c, alcore_sys_held *held) {
        check_shape(c, rows);
        if (c.on_device(rows->data)) return;
        std::vector<uint8_t> memory;
        const uint8_t *host_mask = c.to_host(mask, rows->count, &memory);
        alcore_sys_rows chosen = *rows;
        if (host_mask) chosen.count -= std::count(host_mask, host_mask + rows->count, 0);
        hold_rows(work, chosen, held);
        if (held->memory) copy_rows(c, rows, host_mask, (char *)held->memory);
    });
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
            const size_t count = (size_t)rows->count, width = width_of(rows);
            const size_t pitch = count > 1 ? pitch_of(rows) : width;
            c.check(pitch == width ? cudaMemcpyAsync(memory, rows->data, count * width,
                                                     cudaMemcpyDefault, c.compute)
                                   : cudaMemcpy2DAsync(memory, width, rows->data, pitch, width,
                                                       count, cudaMemcpyDefault, c.compute),
                    "copying on the device");
            return;
        }
        copy_rows(c, rows, nullptr /* no mask */, (char *)memory);
    });
}

/* Kernel table: device memory for rows of that shape, which release() frees; *out is zeroed where
 * they have no byte or memory is short. */
alcore_status hold(const alcore_sys_work *work, const alcore_sys_rows *rows, alcore_sys_held *out) {
    return make_held(work, out, [&](call &c, alcore_sys_held *held) {
        c.check_count(rows->count);
        c.check_count(rows->dims);
        if (alcore_sys_dtype_bytes(rows->dtype) == 0)
            fail(work, ALCORE_E_SHAPE, "memory was asked for with an unknown type");
        hold_rows(work, *rows, held);
    });
}

/* Kernel table: row i of the device memory `memory` = row items[i], in stream order; all bits are 1
 * for a negative item, which makes floats NaN. Rows in host
 * memory pass through pinned memory, as in store(); rows on the device are read by one kernel, in
 * the widest units that their addresses, the memory and the rows are multiples of. */
alcore_status gather(const alcore_sys_work *work, const alcore_sys_rows *rows, int64_t count,
                     const int64_t *items, void *memory) {
    return guarded(work, [&](call &c) {
        check_shape(c, rows);
        c.check_count(count);
        check_stream(c);
        if (count == 0 || width_of(rows) == 0) return;
        if (!c.on_device(memory))
            fail(work, ALCORE_E_INVALID, "rows are to be gathered in memory of no device");
        if (!c.on_device(rows->data)) {
            std::vector<int64_t> numbers;
            const std::vector<char> absent(width_of(rows), (char)0xff);
            const int64_t *chosen = c.to_host(items, count, &numbers);
            copy_pieces(
                c, width_of(rows), count,
                [&](int64_t i) { return chosen[i] < 0 ? absent.data() : row_at(rows, chosen[i]); },
                (char *)memory);
            return;
        }
        const int64_t *device_items = c.to_device(items, count);
        const size_t shared =
            (uintptr_t)rows->data | pitch_of(rows) | width_of(rows) | (uintptr_t)memory;
        auto launch = [&](auto unit) {
            typedef decltype(unit) Unit;
            const int64_t units = (int64_t)(width_of(rows) / sizeof unit);
            CUDA_LAUNCH((numbered_kernel<Unit>), blocks_for(count * units, CUDA_THREADS),
                        CUDA_THREADS, c.compute, (const char *)rows->data, (int64_t)pitch_of(rows),
                        units, device_items, count, (Unit *)memory);
        };
        if (shared % sizeof(wide_unit) == 0)
            launch(wide_unit());
        else if (shared % sizeof(uint32_t) == 0)
            launch(uint32_t());
        else if (shared % sizeof(uint16_t) == 0)
            launch(uint16_t());
        else
            launch(uint8_t());
        c.launched();
    });
}

/* Kernel table: copies rows to host memory, out [count, dims] without gaps, in stream order, and
 * waits for the stream, also where there is nothing to copy: after the call the array may be read
 * in any stream. About DOWNLOAD_BYTES are copied between two looks at the host's wish to stop. */
alcore_status download(const alcore_sys_work *work, const alcore_sys_rows *rows, void *out) {
    return guarded(work, [&](call &c) {
        const size_t DOWNLOAD_BYTES = (size_t)16 << 20;
        const size_t width = width_of(rows), pitch = pitch_of(rows);
        const char *source = (const char *)rows->data;
        char *destination = (char *)out;
        check_shape(c, rows);
        check_stream(c);
        const bool direct = !c.on_device(source);     /* in host memory */
        if (direct || rows->count == 0 || width == 0) /* else what is copied is waited for */
            c.check(cudaStreamSynchronize(c.compute), "waiting for the stream of the caller");
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
