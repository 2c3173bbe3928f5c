/* SPDX-License-Identifier: Apache-2.0 */
/* upload, store, gather and download of the kernel table. upload: rows that stay on the device
 * between calls, for strategies with many passes, in memory of hold_rows() (cuda_held.cu). The rows
 * of the mask are gathered in pieces of pinned memory, which are copied one after the other. Cost:
 * one read of the rows and one copy. store: changes to what upload copied. gather: rows in the
 * order of their numbers. download: rows of the caller's arrays on the device, for what the library
 * reads on the host. */
#include <algorithm>

#include "cuda_entries.h"
#include "cuda_stream.cuh"

namespace alcore_cuda {

namespace {
/* Bytes of a row without the gap behind it, and from a row to the next. */
size_t width_of(const alcore_sys_rows *rows) {
    return (size_t)rows->dims * alcore_sys_dtype_bytes(rows->dtype);
}
size_t pitch_of(const alcore_sys_rows *rows) {
    return (size_t)rows->stride * alcore_sys_dtype_bytes(rows->dtype);
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

/* Copies rows of row_bytes bytes, without gaps, from host memory to the device memory out: gathered
 * in pieces of pinned memory, as many as one holds; a longer row in several. next(i) is the address
 * of the i-th of `count` rows; NULL: it is left out. */
template <class Next>
void copy_pieces(call &c, size_t row_bytes, int64_t count, const Next &next, char *out) {
    const size_t together = PIECE_BYTES / std::max<size_t>(row_bytes, 1) * row_bytes;
    char *piece = nullptr; /* NULL: none is begun */
    size_t used = 0;       /* bytes of it that rows have */
    auto copy_piece = [&] {
        c.poll();
        c.check(cudaMemcpyAsync(out, piece, used, cudaMemcpyDefault, c.compute),
                "copying to the device");
        out += used;
        piece = nullptr;
        used = 0;
    };
    for (int64_t i = 0; i < count && row_bytes > 0; i++) {
        const char *row = next(i);
        if (!row) continue;
        if (together == 0) {
            c.poll();
            c.copy_in(out, row, row_bytes);
            out += row_bytes;
            continue;
        }
        if (!piece)
            piece = (char *)c.ring_piece(std::min(together, (size_t)(count - i) * row_bytes));
        memcpy(piece + used, row, row_bytes);
        used += row_bytes;
        if (used == together) copy_piece();
    }
    if (piece) copy_piece(); /* the rows that are left */
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
        hold_rows(c, chosen, held);
        if (held->memory) copy_rows(c, rows, host_mask, (char *)held->memory);
    });
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
