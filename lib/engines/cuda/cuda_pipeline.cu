/* SPDX-License-Identifier: Apache-2.0 */
/* Passes over rows in chunks, adjacent rows that are on the device at a time (class pipeline of
 * cuda_call.cuh). A column is an array with an entry of some bytes for each row. Columns that
 * kernels cannot use in place are staged through two buffers: the copy stream fills one while the
 * compute stream works on the other (see pipeline::run). A chunk has as many rows as the staging
 * limit allows. */
#include <algorithm>

#include "cuda_stream.cuh"

namespace alcore_cuda {

/* Staged bytes of a chunk: a copy of this size takes much longer than starting it does, and larger
 * ones would delay the first kernel. */
static const size_t CHUNK_BYTES = (size_t)8 << 20;

/* Adds a column, an array with an entry of `bytes` bytes per row, `pitch` bytes apart, and returns
 * its number for chunk::get(); -1 for NULL. It is staged when it is on the host, or on the device
 * but not aligned as kernels need it (alignment: bytes, 0: any). in, out: kernels read, write it.
 */
int pipeline::add(const void *array, size_t bytes, size_t pitch, size_t alignment, bool in,
                  bool out) {
    if (!array) return -1;
    column made = column();
    made.user = (char *)array;
    made.bytes = bytes;
    made.pitch = pitch;
    made.alignment = alignment;
    made.planes = 1;
    made.in = in;
    made.out = out;
    made.from_device = c.on_device(array);
    made.staged =
        !made.from_device || (alignment && ((uintptr_t)array % alignment || pitch % alignment));
    columns.push_back(made);
    return (int)columns.size() - 1;
}

/* The rows of a matrix as an input column; entries keep the dtype of the matrix. */
int pipeline::rows(const alcore_sys_rows *rows) {
    static const char nothing = 0;
    size_t bytes = alcore_sys_dtype_bytes(rows->dtype);
    /* Rows without components may have no data. */
    const void *data = rows->data ? rows->data : &nothing;
    return add(data, (size_t)rows->dims * bytes, (size_t)rows->stride * bytes, bytes, true /* in */,
               false /* out */);
}

/* Adds an array [planes, rows] of the caller that kernels write. */
int pipeline::out(void *array, size_t bytes, int64_t planes) {
    int index =
        add(array, bytes, bytes /* pitch */, 0 /* alignment */, false /* in */, true /* out */);
    if (index >= 0) columns[(size_t)index].planes = (size_t)planes;
    return index;
}

/* Adds device memory of `bytes` bytes for each row of a chunk; its content does not survive a
 * chunk. */
int pipeline::scratch(size_t bytes) {
    column made = column();
    made.bytes = made.pitch = bytes;
    made.planes = 1;
    made.scratch = true;
    columns.push_back(made);
    return (int)columns.size() - 1;
}

/* Releases the buffers of all columns; called again, as by the destructor, it finds none. Kernels
 * may still be queued that use the device buffers: the next user comes behind them in the compute
 * stream, which waits for the copies to these buffers since fill(), or they are waited for here,
 * where fill() threw: a lender may use its block again at once. The copies through pinned buffers
 * are done when run() returns, as wait() was called for both. Where run() threw, they may be in
 * flight: then nothing else is allocated in this call, whose destructor waits for both streams
 * before the stream slot is given away. */
void pipeline::free_buffers() {
    if (filling) cudaStreamSynchronize(c.streams->copy);
    filling = false;
    for (column &col : columns) {
        for (int buffer = 0; buffer < 2; buffer++) {
            c.deallocate(col.device[buffer]);
            stream_slot_block_back(c.streams, true /* pinned */, col.pinned[buffer]);
            col.device[buffer] = col.pinned[buffer] = nullptr;
        }
    }
}

/* Allocates the buffers of all columns for chunks of `step` rows: one for scratch, `buffers`
 * for staged columns, and as many pinned ones for those of the host. Returns false, with everything
 * released, when memory ran out; throws when it did with a step of 1. */
bool pipeline::try_allocate() {
    try {
        for (column &col : columns) {
            size_t bytes = col.bytes * col.planes * (size_t)step;
            if (col.scratch) col.device[0] = (char *)c.allocate(bytes);
            for (int buffer = 0; col.staged && buffer < buffers; buffer++) {
                col.device[buffer] = (char *)c.allocate(bytes);
                if (!col.from_device) col.pinned[buffer] = (char *)c.pinned(bytes);
            }
        }
    } catch (const no_memory &) {
        free_buffers();
        if (step <= 1) throw;
        return false;
    }
    return true;
}

/* Chooses `step`, the rows of a chunk: as many as the staging limit (the bytes of device memory
 * that copies and scratch may occupy) holds, with two buffers of some CHUNK_BYTES for staged
 * columns, or of 32 rows where these are longer; allocates the buffers; halves the step while the
 * device has less memory, and once more, as what a chunk is computed with needs some too. */
void pipeline::allocate() {
    size_t scratch_bytes = 0, staged_bytes = 0;
    for (const column &col : columns) {
        if (col.scratch) scratch_bytes += col.bytes;
        if (col.staged) {
            staged_bytes += col.bytes * col.planes;
            staged = true;
        }
    }
    step = std::max<int64_t>(std::min(rows_count, max_rows), 1);
    if (scratch_bytes + staged_bytes > 0) {
        size_t row_bytes = scratch_bytes + 2 * staged_bytes;
        if (staged_bytes > 0) step = std::min(step, (int64_t)(CHUNK_BYTES / staged_bytes) + 32);
        /* What fits the smallest limit of the engine fits any, and need not be asked for. */
        if ((size_t)step > MIN_STAGING_BYTES / row_bytes || c.has_limit())
            step = std::min(step, std::max<int64_t>((int64_t)(c.staging_limit() / row_bytes), 1));
    }
    for (bool is_short = false;; step = (step + 1) / 2) {
        buffers = step < rows_count ? 2 : 1;
        bool allocated = try_allocate();
        if (allocated && (!is_short || step == 1)) return;
        if (allocated) free_buffers();
        is_short = !allocated;
    }
}

/* Copies the staged inputs of the rows first .. first + count - 1 of the pass to buffer `buffer` (0
 * or 1) in the copy stream and lets the compute stream wait for it. wait(buffer) came before, so
 * the pinned memory of the buffer is not in use. Rows with gaps are copied one by one. */
void pipeline::fill(int buffer, int64_t first, int64_t count) {
    filling = true;
    for (column &col : columns) {
        if (!col.staged || !col.in || col.bytes == 0) continue;
        const char *source = col.user + (size_t)first * col.pitch;
        if (col.from_device) {
            c.check(cudaMemcpy2DAsync(col.device[buffer], col.bytes, source, col.pitch, col.bytes,
                                      (size_t)count, cudaMemcpyDefault, c.streams->copy),
                    "copying on the device");
            continue;
        }
        const int64_t together = col.pitch == col.bytes ? count : 1; /* rows without gaps */
        for (int64_t i = 0; i < count; i += together)
            memcpy(col.pinned[buffer] + (size_t)i * col.bytes, source + (size_t)i * col.pitch,
                   (size_t)together * col.bytes);
        c.check(cudaMemcpyAsync(col.device[buffer], col.pinned[buffer], col.bytes * (size_t)count,
                                cudaMemcpyDefault, c.streams->copy),
                "copying to the device");
    }
    /* Entries that no kernel writes (mask, groups) are copied back with the others, though drain()
     * skips them: they must not be uninitialized. */
    for (column &col : columns) {
        if (!col.staged || col.in || (!mask && !groups)) continue;
        c.check(cudaMemsetAsync(col.device[buffer], 0, col.bytes * col.planes * (size_t)step,
                                c.streams->copy),
                "clearing memory");
    }
    c.put_behind(c.compute, c.streams->copy, c.streams->up[buffer]);
    filling = false;
    in_buffer[buffer] = {first, count, true /* busy */};
}

/* Fills *views [columns] for the chunk that begins with row `first` and has that buffer. Strides
 * are in components: the alignment of a matrix is the size of one (pipeline::rows). */
void pipeline::view_columns(int64_t first, int buffer, std::vector<chunk::view> *views) const {
    views->clear();
    for (const column &col : columns) {
        char *data = col.staged    ? col.device[buffer]
                     : col.scratch ? col.device[0]
                                   : col.user + (size_t)first * col.pitch;
        size_t pitch = col.staged ? col.bytes : col.pitch;
        views->push_back({data, (int64_t)(pitch / std::max<size_t>(col.alignment, 1)),
                          col.staged ? step : rows_count});
    }
}

/* Starts copying the outputs of a chunk of `count` rows from its buffer to pinned memory, behind
 * its kernels, and notes in done[buffer] when they are there. The event is recorded where somebody
 * waits for it: wait(), which drains staged columns, or run(), which without any lets no third
 * chunk be queued. A single chunk that is all in place needs none: the call itself waits for its
 * stream, if it is to. */
void pipeline::copy_back(int buffer, int64_t count) {
    for (column &col : columns) {
        if (!col.staged || !col.out || col.bytes == 0) continue;
        size_t plane = col.bytes * (size_t)step;
        c.check(cudaMemcpy2DAsync(col.pinned[buffer], plane, col.device[buffer], plane,
                                  col.bytes * (size_t)count, col.planes, cudaMemcpyDefault,
                                  c.compute),
                "copying from the device");
    }
    if (staged || buffers > 1)
        c.check(cudaEventRecord(c.streams->done[buffer], c.compute), "recording an event");
}

/* Waits until the chunk in buffer `buffer` is computed and copied back, and writes its outputs to
 * the caller's arrays; then the buffer can be filled again. */
void pipeline::wait(int buffer) {
    if (!in_buffer[buffer].busy) return;
    c.check(cudaEventSynchronize(c.streams->done[buffer]), "running kernels");
    drain(buffer);
    in_buffer[buffer].busy = false;
}

/* Copies the outputs of the chunk in buffer `buffer` from pinned memory, [planes, step] entries a
 * column, to the caller's arrays, [planes, rows], run by run of rows that are to be written: those
 * whose mask is not 0 and whose group is not negative. An output on the device is never staged: its
 * address is a multiple of the size of its numbers (alcore/sys/kernel.h). */
void pipeline::drain(int buffer) {
    const int64_t first = in_buffer[buffer].first, count = in_buffer[buffer].count;
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
                char *out = col.user + (p * (size_t)rows_count + (size_t)(first + i)) * col.bytes;
                memcpy(out, col.pinned[buffer] + (p * (size_t)step + (size_t)i) * col.bytes,
                       (size_t)(end - i) * col.bytes);
            }
        }
    }
}

/* Passes all rows, `step` of them at a time, through body. With staged columns two buffers
 * alternate: while chunk n is computed in the compute stream, chunk n + 1 is copied in the copy
 * stream. Events order them: up[b] (copied, the kernels may read), done[b] (computed and copied
 * back, the host may drain the buffer and fill it anew). Without staged columns too no more than
 * two chunks are queued, so that a cancellation finds little work left.
 *
 * A body may run another pipeline of the same call, as operand_parts::part() does. Both use the
 * events of the slot: one that is recorded again stands for later work in the same stream, so that
 * whoever waits for it waits too long at worst. */
void pipeline::run(const std::function<void(const chunk &)> &body) {
    if (rows_count == 0) return;
    allocate();
    bool drains = false; /* some output is on the host, and drain() reads the mask there */
    for (const column &col : columns) drains = drains || (col.staged && col.out);
    mask = drains ? c.to_host(mask, rows_count, &mask_memory) : nullptr;
    /* Kernels may still read device memory of an earlier pass. */
    if (staged) c.put_behind(c.streams->copy, c.compute, c.streams->begin);
    std::vector<chunk::view> views;
    for (int64_t first = 0, index = 0; first < rows_count; first += step, index++) {
        int buffer = (int)(index % buffers);
        int64_t count = std::min(step, rows_count - first);
        c.poll();
        if (staged) {
            wait(buffer);
            fill(buffer, first, count);
        } else if (index >= 2) {
            c.check(cudaEventSynchronize(c.streams->done[buffer]), "running kernels");
        }
        view_columns(first, buffer, &views);
        body({first, count, c.compute, &views});
        c.launched();
        copy_back(buffer, count);
    }
    wait(0);
    wait(1);
    /* When a kernel has failed, what was drained is not its result. */
    c.check(cudaPeekAtLastError(), "running kernels");
}

} // namespace alcore_cuda
