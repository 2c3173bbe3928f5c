/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over rows in chunks. Columns that are not usable on the device are staged: with two
 * buffers a column, the copy stream fills one while the compute stream works on the other (see
 * pipeline::run). Chunks are as large as the workspace allows. */
#include <algorithm>

#include "cuda_stream.cuh"

namespace alcore_cuda {

/* Rows of a chunk when nothing bounds them from below: copies of this size run at full speed. */
static const size_t CHUNK_BYTES = (size_t)8 << 20;

pipeline::~pipeline() {
    release();
}

/* Adds a column, an array with an entry of `bytes` bytes per row, `pitch` bytes apart, and returns
 * its number for chunk::get(); -1 for NULL. A column is staged, which means copied chunk by chunk
 * through buffers of its own, when it is on the host or not aligned to number_bytes; others are
 * used where they are. */
int pipeline::add(const void *array, size_t bytes, size_t pitch, size_t number_bytes, bool in,
                  bool out) {
    if (!array) return -1;
    column made = column();
    made.user = (char *)array;
    made.bytes = bytes;
    made.pitch = pitch;
    made.number_bytes = number_bytes;
    made.planes = 1;
    made.in = in;
    made.out = out;
    made.from_device = c.on_device(array);
    /* A device reads numbers at their own alignment only. */
    made.staged = !made.from_device ||
                  (number_bytes && ((uintptr_t)array % number_bytes || pitch % number_bytes));
    columns.push_back(made);
    return (int)columns.size() - 1;
}

/* The rows of a matrix as an input column; entries keep the dtype of the matrix. */
int pipeline::rows(const alcore_sys_rows *rows) {
    static const size_t number[] = {0, 2, 2, 4, 8};
    static const char nothing = 0;
    size_t bytes = number[rows->dtype];
    /* Rows without numbers need no data. */
    const void *data = rows->data ? rows->data : &nothing;
    return add(data, (size_t)rows->dims * bytes, (size_t)rows->stride * bytes, bytes, true, false);
}

int pipeline::in(const void *array, size_t bytes, size_t number_bytes) {
    return add(array, bytes, bytes, number_bytes, true, false);
}

int pipeline::out(void *array, size_t bytes, int64_t planes) {
    int number = add(array, bytes, bytes, 0, false, true);
    if (number >= 0) columns[(size_t)number].planes = (size_t)planes;
    return number;
}

int pipeline::inout(void *array, size_t bytes) {
    return add(array, bytes, bytes, 0, true, true);
}

int pipeline::scratch(size_t bytes) {
    column made = column();
    made.bytes = made.pitch = bytes;
    made.planes = 1;
    made.scratch = true;
    columns.push_back(made);
    return (int)columns.size() - 1;
}

int pipeline::row_mask(const uint8_t *host_mask) {
    mask = c.on_host(host_mask, rows_count, &mask_memory);
    return in(host_mask, 1);
}

void pipeline::leave_out(const int32_t *group) {
    groups = group;
}

void pipeline::release() {
    for (column &col : columns) {
        for (int slot = 0; slot < 2; slot++) {
            c.give_back(col.device[slot]);
            c.give_back_pinned(col.pinned[slot]);
            col.device[slot] = col.pinned[slot] = nullptr;
        }
    }
}

/* Allocates the buffers of all columns for chunks of `step` rows: scratch once, staged columns in
 * `slots` copies. False: memory ran out and everything was given back; with single rows that is
 * final and is thrown. */
bool pipeline::try_allocate() {
    try {
        for (column &col : columns) {
            size_t bytes = col.bytes * col.planes * (size_t)step;
            if (col.scratch) col.device[0] = (char *)c.device(bytes);
            for (int slot = 0; col.staged && slot < slots; slot++) {
                col.device[slot] = (char *)c.device(bytes);
                if (!col.from_device) col.pinned[slot] = (char *)c.pinned(bytes);
            }
        }
    } catch (const no_memory &) {
        release();
        if (step <= 1) throw;
        return false;
    }
    return true;
}

/* As many rows at a time as the workspace holds; fewer when the device has less. */
void pipeline::allocate() {
    size_t once = 0, twice = 0;
    for (const column &col : columns) {
        if (col.scratch) once += col.bytes;
        if (col.staged) {
            twice += col.bytes * col.planes;
            staged = true;
        }
    }
    step = std::max<int64_t>(std::min(rows_count, most_rows), 1);
    if (once + twice > 0) {
        int64_t most = (int64_t)(c.limit() / (once + 2 * twice));
        if (twice > 0) most = std::min(most, (int64_t)(CHUNK_BYTES / twice) + 32);
        step = std::min(step, std::max<int64_t>(most, 1));
    }
    do {
        slots = step < rows_count ? 2 : 1;
        if (try_allocate()) return;
        step = (step + 1) / 2;
    } while (true);
}

/* Copies the input columns of rows first .. first + count - 1 into buffer `slot` in the copy stream
 * and lets the compute stream wait for it. Pinned memory of the slot is free here, since wait(slot)
 * came before. */
void pipeline::fill(int slot, int64_t first, int64_t count) {
    for (column &col : columns) {
        if (!col.staged || !col.in || col.bytes == 0) continue;
        const char *from = col.user + (size_t)first * col.pitch;
        if (col.from_device) {
            c.check(cudaMemcpy2DAsync(col.device[slot], col.bytes, from, col.pitch, col.bytes,
                                      (size_t)count, cudaMemcpyDefault, c.streams->copy),
                    "copying on the device");
            continue;
        }
        if (col.pitch == col.bytes) {
            memcpy(col.pinned[slot], from, col.bytes * (size_t)count);
        } else {
            for (int64_t i = 0; i < count; i++)
                memcpy(col.pinned[slot] + (size_t)i * col.bytes, from + (size_t)i * col.pitch,
                       col.bytes);
        }
        c.check(cudaMemcpyAsync(col.device[slot], col.pinned[slot], col.bytes * (size_t)count,
                                cudaMemcpyDefault, c.streams->copy),
                "copying to the device");
    }
    /* Entries that no kernel writes are copied back with the others, and then left alone. */
    for (column &col : columns) {
        if (!col.staged || col.in || (!mask && !groups)) continue;
        c.check(cudaMemsetAsync(col.device[slot], 0, col.bytes * col.planes * (size_t)step,
                                c.streams->copy),
                "clearing memory");
    }
    c.check(cudaEventRecord(c.streams->up[slot], c.streams->copy), "recording an event");
    c.check(cudaStreamWaitEvent(c.compute, c.streams->up[slot], 0), "waiting for an event");
    slot_first[slot] = first;
    slot_count[slot] = count;
    slot_busy[slot] = true;
}

/* Writes what the device gave for the rows of a slot to the caller's arrays. */
void pipeline::drain(int slot) {
    int64_t first = slot_first[slot], count = slot_count[slot];
    auto written = [&](int64_t i) {
        return (!mask || mask[first + i]) && (!groups || groups[first + i] >= 0);
    };
    for (column &col : columns) {
        if (!col.staged || !col.out || col.from_device) continue;
        for (int64_t i = 0, end; i < count; i = end) {
            end = i + 1;
            if (!written(i)) continue;
            while (end < count && written(end)) end++;
            for (size_t p = 0; p < col.planes; p++) {
                char *to = col.user + (p * (size_t)rows_count + (size_t)(first + i)) * col.bytes;
                memcpy(to, col.pinned[slot] + (p * (size_t)step + (size_t)i) * col.bytes,
                       (size_t)(end - i) * col.bytes);
            }
        }
    }
}

/* Waits until the kernels of the chunk in buffer `slot` are done and writes its outputs to the
 * caller's arrays; the buffer can be filled again. */
void pipeline::wait(int slot) {
    if (!slot_busy[slot]) return;
    c.check(cudaEventSynchronize(c.streams->done[slot]), "running kernels");
    drain(slot);
    slot_busy[slot] = false;
}

/* Passes all rows, `step` of them at a time, through body. With staged columns two buffers
 * alternate: while chunk n is computed in the compute stream, chunk n + 1 is copied in the copy
 * stream. Events order them: up[b] (copied, the kernels may read), done[b] (computed and copied
 * back, the host may drain the buffer and fill it anew). */
void pipeline::run(const std::function<void(const chunk &)> &body) {
    if (rows_count == 0) return;
    allocate();
    if (staged) { /* device memory of an earlier pass may still be read */
        c.check(cudaEventRecord(c.streams->begin, c.compute), "recording an event");
        c.check(cudaStreamWaitEvent(c.streams->copy, c.streams->begin, 0), "waiting for an event");
    }
    std::vector<char *> at(columns.size());
    std::vector<int64_t> strides(columns.size()), planes(columns.size());
    for (int64_t first = 0, number = 0; first < rows_count; first += step, number++) {
        int slot = (int)(number % slots);
        int64_t count = std::min(step, rows_count - first);
        c.poll();
        if (staged) {
            wait(slot);
            fill(slot, first, count);
        }
        for (size_t i = 0; i < columns.size(); i++) {
            column &col = columns[i];
            at[i] = col.staged    ? col.device[slot]
                    : col.scratch ? col.device[0]
                                  : col.user + (size_t)first * col.pitch;
            strides[i] = (int64_t)((col.staged ? col.bytes : col.pitch) /
                                   std::max<size_t>(col.number_bytes, 1));
            planes[i] = col.staged ? step : rows_count;
        }
        chunk now = {first, count, c.compute, &at, &strides, &planes};
        body(now);
        c.launched();
        if (!staged) continue;
        for (column &col : columns) {
            if (!col.staged || !col.out || col.bytes == 0) continue;
            size_t plane = col.bytes * (size_t)step;
            c.check(cudaMemcpy2DAsync(col.pinned[slot], plane, col.device[slot], plane,
                                      col.bytes * (size_t)count, col.planes, cudaMemcpyDefault,
                                      c.compute),
                    "copying from the device");
        }
        c.check(cudaEventRecord(c.streams->done[slot], c.compute), "recording an event");
    }
    wait(0);
    wait(1);
    /* Kernels failed: what was drained is not what they were to give. */
    c.check(cudaPeekAtLastError(), "running kernels");
}

} // namespace alcore_cuda
