/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a kernel: device, stream, memory, checks and copies (cuda_call.cuh says how they work
 * together). Every function throws on failure; guarded() turns that into a status. */
#include "cuda_call.cuh"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <new>

#include "cuda_stream.cuh"

namespace alcore_cuda {

/* Sets the error text through the host's callback and throws: guarded() turns the exception into
 * the status. format as in printf; longer texts than 255 bytes are cut. */
void fail(const alcore_sys_work *work, alcore_status status, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (work && work->host && work->host->set_error)
        work->host->set_error(status, text, strlen(text));
    throw failure{status};
}

/* A field of work that an older caller's struct does not have is 0. */
#define HAS(work, field) ((work)->size >= offsetof(alcore_sys_work, field) + sizeof((work)->field))

/* Enters the device of the call and takes a stream slot. The arrays of the caller are ready in the
 * order of the caller's stream, or of the default stream where none was given; the compute stream
 * waits for that. */
call::call(const alcore_sys_work *given) : work(given), compute(nullptr), streams(nullptr) {
    int device = HAS(work, device) ? work->device : 0;
    /* Blocks are given back while kernels that use them wait in a stream: only in the order of the
     * owner's own stream may the owner use them again. */
    if (work->workspace && !work->stream)
        fail(work, ALCORE_E_INVALID,
             "a workspace comes with the stream in whose order it is used; the default stream is 1 "
             "as a pointer");
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "counting devices");
    if (device < 0 || device >= devices)
        fail(work, ALCORE_E_UNSUPPORTED, "no device cuda:%d: there are %d", device, devices);
    try {
        context.emplace(device);
        streams = stream_slot_acquire(work, device);
        compute = work->stream ? (cudaStream_t)work->stream : streams->compute;
        /* Without a stream the caller's arrays are ready in the default stream's order. */
        if (!work->stream) {
            check(cudaEventRecord(streams->begin, nullptr), "recording an event");
            check(cudaStreamWaitEvent(compute, streams->begin, 0), "waiting for an event");
        }
    } catch (cudaError_t error) {
        check(error, "entering the device and making a stream");
    } catch (...) {
        if (streams) stream_slot_release(streams);
        throw;
    }
}

/* Gives everything back. The event `busy` lets the next call that gets the slot wait for kernels
 * that are still queued in a caller's stream. */
call::~call() {
    /* After a failure nothing may still use what is given back. */
    if (failed) {
        cudaStreamSynchronize(streams->copy);
        cudaStreamSynchronize(compute);
    }
    cudaEventRecord(streams->busy, compute);
    for (const lent &block : lent_blocks)
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, block.memory, block.bytes);
    stream_slot_release(streams);
}

void call::finish() {
    if (!work->stream) check(cudaStreamSynchronize(compute), "running kernels");
    check(cudaPeekAtLastError(), "running kernels");
    failed = false;
}

/* error: what a CUDA call returned; what: the sentence "CUDA failed while ..." goes on with it.
 * Clears CUDA's own error state, so that the next call does not report this one again. */
void call::check(int error, const char *what) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    fail(work, error == cudaErrorMemoryAllocation ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL,
         "CUDA failed while %s: %s", what, cudaGetErrorString((cudaError_t)error));
}

void call::launched() {
    check(cudaPeekAtLastError(), "launching a kernel");
}

void call::poll() {
    if (work->host && work->host->poll_cancel && work->host->poll_cancel(work->host_user))
        fail(work, ALCORE_E_CANCELLED, "cancelled");
}

void call::wait_and_poll() {
    check(cudaStreamSynchronize(compute), "running kernels");
    poll();
}

/* Refuses shapes and dtypes that no kernel of this engine takes; data may be NULL only where
 * nothing is read. */
void call::check_rows(const alcore_sys_rows *rows) {
    if (!rows) fail(work, ALCORE_E_INVALID, "a kernel was called without rows");
    if (rows->count < 0 || rows->dims < 0)
        fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
    if (rows->dtype < ALCORE_FLOAT16 || rows->dtype > ALCORE_FLOAT64)
        fail(work, ALCORE_E_SHAPE, "a kernel takes float16, bfloat16, float32 and float64 only");
    if (!rows->data && rows->count > 0 && rows->dims > 0)
        fail(work, ALCORE_E_INVALID, "a kernel was called without data");
}

/* Whether kernels can use the array where it is: device memory of the call's device, or managed
 * memory. Host memory, pinned or not, gives false and is copied; memory of another device is an
 * error, as copying between devices is the caller's decision. */
bool call::on_device(const void *array) {
    if (!array) return false;
    cudaPointerAttributes stats;
    memset(&stats, 0, sizeof stats);
    if (cudaPointerGetAttributes(&stats, array) != cudaSuccess) {
        cudaGetLastError(); /* memory that CUDA has never seen is on the host */
        return false;
    }
    if (stats.type == cudaMemoryTypeManaged) return true;
    if (stats.type != cudaMemoryTypeDevice) return false;
    if (stats.device != streams->device)
        fail(work, ALCORE_E_INVALID, "an array is on cuda:%d, the call runs on cuda:%d",
             stats.device, streams->device);
    return true;
}

size_t call::limit() const {
    return HAS(work, workspace_bytes) && work->workspace_bytes > 0
               ? std::max((size_t)work->workspace_bytes, (size_t)1024)
               : STAGING_BYTES;
}

/* Device memory of the call: from the caller's workspace, where it gave one, else a block of the
 * stream slot, which keeps blocks between calls. Throws no_memory, upon which a pipeline tries
 * smaller chunks. */
void *call::device(size_t bytes) {
    void *memory;
    if (bytes == 0) bytes = 1;
    if (work->workspace) {
        lent_blocks.reserve(lent_blocks.size() + 1);
        memory = work->workspace(work->workspace_user, bytes);
        if (memory) lent_blocks.push_back({memory, bytes});
    } else {
        memory = stream_slot_block(streams, false, bytes);
    }
    if (!memory) throw no_memory{bytes};
    return memory;
}

/* Returns memory of device() before the call ends. The kernels that use it may still be queued: the
 * next user is ordered behind them, since it works in the same stream. */
void call::give_back(void *memory) {
    if (!memory) return;
    if (!work->workspace) {
        stream_slot_block_back(streams, false, memory);
        return;
    }
    for (size_t i = 0; i < lent_blocks.size(); i++) {
        if (lent_blocks[i].memory != memory) continue;
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, memory, lent_blocks[i].bytes);
        lent_blocks.erase(lent_blocks.begin() + (std::ptrdiff_t)i);
        return;
    }
}

void *call::pinned(size_t bytes) {
    void *memory = stream_slot_block(streams, true, bytes);
    if (!memory) throw no_memory{bytes};
    return memory;
}

void call::give_back_pinned(void *memory) {
    if (memory) stream_slot_block_back(streams, true, memory);
}

/* A piece of the ring; the oldest pieces are free again after the stream was waited for. */
void *call::ring(size_t bytes) {
    if (streams->ring_used + bytes > RING_BYTES) {
        check(cudaStreamSynchronize(compute), "copying");
        streams->ring_used = 0;
    }
    void *piece = streams->ring + streams->ring_used;
    streams->ring_used += (bytes + 15) / 16 * 16;
    return piece;
}

/* Copies `bytes` bytes to the device in stream order. Host memory goes through the pinned ring in
 * parts of a quarter of it, so that the source may change as soon as this returns. */
void call::upload(void *to, const void *from, size_t bytes) {
    bool direct = on_device(from);
    for (size_t done = 0; done < bytes;) {
        size_t part = direct ? bytes : std::min(bytes - done, RING_BYTES / 4);
        const void *source = (const char *)from + done;
        if (!direct) {
            void *piece = ring(part);
            memcpy(piece, source, part);
            source = piece;
        }
        check(cudaMemcpyAsync((char *)to + done, source, part, cudaMemcpyDefault, compute),
              "copying to the device");
        done += part;
    }
}

/* Copies `bytes` bytes from the device. A destination on the host has them on return (the stream is
 * waited for); one on a device has them in stream order. */
void call::download(void *to, const void *from, size_t bytes) {
    bool direct = on_device(to);
    for (size_t done = 0; done < bytes;) {
        size_t part = direct ? bytes : std::min(bytes - done, RING_BYTES / 4);
        void *piece = direct ? (char *)to + done : (char *)ring(part);
        check(cudaMemcpyAsync(piece, (const char *)from + done, part, cudaMemcpyDefault, compute),
              "copying from the device");
        if (!direct) {
            check(cudaStreamSynchronize(compute), "copying from the device");
            memcpy((char *)to + done, piece, part);
        }
        done += part;
    }
}

/* A strided copy to the host: `count` rows of `width` bytes, `pitch` bytes apart on the device,
 * packed in `to`; as many rows at a time as a quarter of the ring holds. */
void call::download_rows(char *to, const char *from, size_t pitch, size_t width, int64_t count) {
    const int64_t together =
        std::max<int64_t>((int64_t)(RING_BYTES / 4 / std::max<size_t>(width, 1)), 1);
    for (int64_t done = 0; done < count; done += together) {
        int64_t part = std::min(together, count - done);
        size_t bytes = (size_t)part * width;
        if (bytes > RING_BYTES / 4) {
            download(to, from + (size_t)done * pitch, width); /* one row, in pieces */
        } else {
            char *piece = (char *)ring(bytes);
            check(cudaMemcpy2DAsync(piece, width, from + (size_t)done * pitch, pitch, width,
                                    (size_t)part, cudaMemcpyDefault, compute),
                  "copying from the device");
            check(cudaStreamSynchronize(compute), "copying from the device");
            memcpy(to, piece, bytes);
        }
        to += bytes;
    }
}

/* Copies what the host computed to an output of the caller, which may be on either side. */
void call::answer(void *to, const void *from, size_t bytes) {
    if (on_device(to))
        upload(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

/* Runs an entry of the kernel table: makes the call, runs body, finishes, and turns every exception
 * into a status with a text. noexcept: nothing crosses the C boundary. */
alcore_status guarded(const alcore_sys_work *work,
                      const std::function<void(call &)> &body) noexcept {
    try {
        if (!work) return ALCORE_E_INVALID;
        try {
            call running(work);
            body(running);
            running.finish();
        } catch (const no_memory &wanted) {
            fail(work, ALCORE_E_NOMEM,
                 "out of memory on the device: %zu bytes were wanted, and less would not do",
                 wanted.bytes);
        } catch (const std::bad_alloc &) {
            fail(work, ALCORE_E_NOMEM, "out of memory in a kernel");
        }
    } catch (const failure &known) {
        return known.status;
    } catch (...) {
        return ALCORE_E_INTERNAL;
    }
    return ALCORE_OK;
}

} // namespace alcore_cuda
