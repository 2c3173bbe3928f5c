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

/* Whether the caller's struct, which may be that of an older release, is large enough to have the
 * field; a missing field counts as 0. Used for the members from `device` on; those before it are
 * read without a check. */
#define HAS(work, field) ((work)->size >= offsetof(alcore_sys_work, field) + sizeof((work)->field))

int device_of(const alcore_sys_work *work) {
    return HAS(work, device) ? work->device : 0;
}

int major_of(int device) {
    int major = OLDEST_MAJOR;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) {
        cudaGetLastError();
        return OLDEST_MAJOR;
    }
    return major;
}

const alcore_sys_converted *converted_of(const alcore_sys_work *work) {
    return HAS(work, converted) ? work->converted : nullptr;
}

/* Enters the device of the call and acquires a stream slot. The arrays of the caller are ready in
 * the order of the caller's stream, or of the default stream where none was given; the compute
 * stream, then the slot's own, waits for that. When this throws, the slot and the context are given
 * back here, as the destructor does not run. A cudaError_t comes from entering the context or from
 * making a slot, so there is no slot to give back then. */
call::call(const alcore_sys_work *caller_work)
    : work(caller_work), compute(nullptr), streams(nullptr) {
    int device = device_of(work);
    /* Blocks are released while kernels that use them wait in a stream: the lender may reuse them
     * in the order of that stream only, so the stream must be the lender's. */
    if (work->workspace && !work->stream)
        fail(work, ALCORE_E_INVALID,
             "a workspace comes with the stream in whose order it is used; the default stream is 1 "
             "as a pointer");
    if (is_forked())
        fail(work, ALCORE_E_UNSUPPORTED,
             "this process was forked from one that has loaded the CUDA engine, and CUDA does not "
             "work there: start it anew (in Python, multiprocessing with \"spawn\")");
    int devices = 0;
    check(cudaGetDeviceCount(&devices), "counting devices");
    if (device < 0 || device >= devices)
        fail(work, ALCORE_E_UNSUPPORTED, "no device cuda:%d: there are %d", device, devices);
    if (major_of(device) < OLDEST_MAJOR)
        fail(work, ALCORE_E_UNSUPPORTED,
             "cuda:%d has compute capability %d.x, this module needs %d.0", device,
             major_of(device), OLDEST_MAJOR);
    try {
        context.emplace(device);
        check_capture((cudaStream_t)work->stream);
        cudaEvent_t behind;
        streams = stream_slot_acquire(work, device, context->id(), &behind);
        compute = work->stream ? (cudaStream_t)work->stream : streams->compute;
        if (behind) check(cudaStreamWaitEvent(compute, behind, 0), "waiting for an event");
        if (!work->stream) put_behind(compute, nullptr /* the default stream */, streams->begin);
    } catch (cudaError_t error) {
        check(error, "entering the device and making a stream");
    } catch (...) {
        if (streams) stream_slot_release(streams);
        throw;
    }
}

/* Releases everything. The event `busy` lets the next call that gets the slot come behind kernels
 * that are still queued in a caller's stream. After a failure nothing may be queued that uses the
 * memory. */
call::~call() {
    if (failed) {
        cudaStreamSynchronize(streams->copy);
        cudaStreamSynchronize(compute);
    }
    /* Fails for a caller's stream of another device, in which nothing was queued; the next call is
     * not to find that error. */
    if (cudaEventRecord(streams->busy, compute) != cudaSuccess) cudaGetLastError();
    streams->last = compute;
    for (const lent &block : lent_blocks)
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, block.memory, block.bytes);
    stream_slot_release(streams);
}

/* Called by guarded() after the body: host outputs were written by download() or a pipeline; with
 * the slot's own stream device outputs must be complete, too. */
void call::finish() {
    if (!work->stream) check(cudaStreamSynchronize(compute), "running kernels");
    check(cudaPeekAtLastError(), "running kernels");
    failed = false;
}

/* A graph would replay the call's kernels with the memory that it has now and gives back at its
 * end, and the host would not get what it waits for. The query fails for the default stream (NULL)
 * while a stream captures that waits for it; neither capture is spoilt by being asked for. */
void call::check_capture(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing(stream, &status);
    if (error == cudaErrorStreamCaptureImplicit) {
        cudaGetLastError();
        fail(work, ALCORE_E_UNSUPPORTED,
             "a stream that waits for the default stream is capturing a graph: call behind the "
             "capture, or name the stream in whose order the arrays are ready");
    }
    check(error, "asking whether the stream captures");
    if (status != cudaStreamCaptureStatusNone)
        fail(work, ALCORE_E_UNSUPPORTED,
             "the stream is capturing a graph, of which this call cannot be a part: call before or "
             "behind the capture");
}

/* Whether the error stays for the life of the process: its context is lost. */
static bool is_lasting(int error) {
    switch (error) {
    case cudaErrorECCUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/* Throws unless error, the result of a CUDA call, is success; the text is "CUDA failed while ",
 * what, and CUDA's description, and the remedy where no later call can succeed. Clears CUDA's error
 * state, so that the next call does not report it again. */
void call::check(int error, const char *what) {
    if (error == cudaSuccess) return;
    cudaGetLastError();
    fail(work, error == cudaErrorMemoryAllocation ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL,
         "CUDA failed while %s: %s%s", what, cudaGetErrorString((cudaError_t)error),
         is_lasting(error) ? "; the device does nothing more for this process: restart it" : "");
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

void call::put_behind(cudaStream_t later, cudaStream_t earlier, cudaEvent_t event) {
    check(cudaEventRecord(event, earlier), "recording an event");
    check(cudaStreamWaitEvent(later, event, 0 /* no flags */), "waiting for an event");
}

/* Throws for shapes and dtypes that no kernel of this engine accepts; data may be NULL only where
 * nothing is read. Called first by every entry that computes with rows; those that only move them
 * (upload, download, store, hold, gather) take integers too. */
void call::check_rows(const alcore_sys_rows *rows) {
    if (!rows) fail(work, ALCORE_E_INVALID, "a kernel was called without rows");
    if (rows->count < 0 || rows->dims < 0)
        fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
    if (rows->dtype < ALCORE_FLOAT16 || rows->dtype > ALCORE_FLOAT64)
        fail(work, ALCORE_E_SHAPE, "kernels read float16, bfloat16, float32 and float64 only");
    if (!rows->data && rows->count > 0 && rows->dims > 0)
        fail(work, ALCORE_E_INVALID, "a kernel was called without data");
}

void call::check_stats(int64_t classes, const int64_t *labels, const alcore_sys_token_stats *out) {
    if (classes > INT32_MAX) fail(work, ALCORE_E_SHAPE, "a token has more than 2^31 - 1 classes");
    if (out->logprob && !labels)
        fail(work, ALCORE_E_INVALID, "log-probabilities of labels were asked for without labels");
}

/* Whether kernels can use the array where it is: device memory of the call's device, or managed
 * memory. Host memory, pinned or not, gives false and is copied; memory of another device is an
 * error, as copying between devices is the caller's decision. */
bool call::on_device(const void *array) {
    if (!array) return false;
    check_held(*this, array);
    cudaPointerAttributes attributes;
    memset(&attributes, 0, sizeof attributes);
    if (cudaPointerGetAttributes(&attributes, array) != cudaSuccess) {
        cudaGetLastError(); /* memory that CUDA has never seen is on the host */
        return false;
    }
    if (attributes.type == cudaMemoryTypeManaged) return true;
    if (attributes.type != cudaMemoryTypeDevice) return false;
    if (attributes.device != streams->device)
        fail(work, ALCORE_E_INVALID, "an array is on cuda:%d, the call runs on cuda:%d",
             attributes.device, streams->device);
    return true;
}

/* The caller's workspace_bytes, at least 1 KiB, or a part of the memory that was free when the call
 * first asked. Pipelines, second operands and token ranges divide it among their buffers. */
bool call::has_limit() const {
    return HAS(work, workspace_bytes) && work->workspace_bytes > 0;
}

size_t call::staging_limit() {
    if (has_limit()) return std::max((size_t)work->workspace_bytes, (size_t)1024);
    if (own_limit == 0) {
        size_t unused = 0, total = 0;
        check(cudaMemGetInfo(&unused, &total), "asking for the free memory");
        own_limit = std::max(unused / STAGING_PART, MIN_STAGING_BYTES);
    }
    return own_limit;
}

/* Allocates device memory for the call: from the caller's workspace where there is one, else a
 * block of the stream slot, which keeps blocks between calls. Throws no_memory, upon which a
 * pipeline tries smaller chunks. */
void *call::allocate(size_t bytes) {
    void *memory;
    if (bytes == 0) bytes = 1;
    if (work->workspace) {
        /* First, so that push_back() cannot throw, which would lose the block. */
        lent_blocks.reserve(lent_blocks.size() + 1);
        memory = work->workspace(work->workspace_user, bytes);
        if (memory) lent_blocks.push_back({memory, bytes});
    } else {
        memory = stream_slot_block(streams, false /* not pinned: on the device */, bytes, compute);
    }
    if (!memory) throw no_memory{bytes};
    return memory;
}

/* Kernels that use the memory may still be queued: the next user works in the same stream, behind
 * them. The stream of a call that takes the block from the slot waits for `busy` before
 * (cuda_stream.cu); a workspace comes with its stream (the constructor). */
void call::deallocate(const void *memory) {
    if (!work->workspace) {
        stream_slot_block_back(streams, false /* not pinned */, memory);
        return;
    }
    for (size_t i = 0; i < lent_blocks.size(); i++) {
        if (lent_blocks[i].memory != memory) continue;
        if (work->workspace_release)
            work->workspace_release(work->workspace_user, lent_blocks[i].memory,
                                    lent_blocks[i].bytes);
        lent_blocks.erase(lent_blocks.begin() + (std::ptrdiff_t)i);
        return;
    }
}

void *call::allocate_rows(int64_t *rows, size_t bytes) {
    for (;; *rows = (*rows + 1) / 2) {
        try {
            return allocate((size_t)*rows * bytes);
        } catch (const no_memory &) {
            if (*rows == 1) throw;
        }
    }
}

/* Pinned host memory of the stream slot: staging buffers of a pipeline. */
void *call::pinned(size_t bytes) {
    void *memory = stream_slot_block(streams, true /* pinned */, bytes, compute);
    if (!memory) throw no_memory{bytes};
    return memory;
}

/* The next `bytes` bytes, at most PIECE_BYTES, of the ring, the pinned memory for small copies. The
 * halves of the ring are used in turn: before a half is used again, the copies of the time before
 * have passed, while those of the other half may be in flight. Pieces are never given back one by
 * one; they begin at multiples of 16 bytes. */
void *call::ring_piece(size_t bytes) {
    const size_t half = RING_BYTES / 2;
    if (streams->ring_used + bytes > half) {
        check(cudaEventRecord(streams->passed[streams->ring_half], compute), "recording an event");
        streams->ring_half = 1 - streams->ring_half;
        check(cudaEventSynchronize(streams->passed[streams->ring_half]), "copying");
        streams->ring_used = 0;
    }
    void *piece = streams->ring + (size_t)streams->ring_half * half + streams->ring_used;
    streams->ring_used += (bytes + 15) / 16 * 16;
    return piece;
}

/* Copies `bytes` bytes to device memory in stream order, from memory of either kind. Host memory
 * goes through the ring in parts of PIECE_BYTES, so that the source may change as soon as this
 * returns. */
void call::copy_in(void *destination, const void *source, size_t bytes) {
    bool direct = on_device(source);
    for (size_t done = 0; done < bytes;) {
        size_t part = direct ? bytes : std::min(bytes - done, PIECE_BYTES);
        const void *next = (const char *)source + done;
        if (!direct) {
            void *piece = ring_piece(part);
            memcpy(piece, next, part);
            next = piece;
        }
        check(cudaMemcpyAsync((char *)destination + done, next, part, cudaMemcpyDefault, compute),
              "copying to the device");
        done += part;
    }
}

const void *call::to_device(const void *array, size_t bytes, size_t alignment) {
    if (!array || in_place(array, alignment)) return array;
    void *copy = allocate(bytes);
    copy_in(copy, array, bytes);
    return copy;
}

/* A destination on the host goes through the ring, as memory that is not pinned has to be staged in
 * any case: if not here, by the driver, which then chooses what it waits for. Here it is the
 * compute stream alone. Each part is waited for before it is copied on. */
void call::download(void *destination, const void *source, size_t bytes) {
    bool direct = on_device(destination);
    for (size_t done = 0; done < bytes;) {
        size_t part = direct ? bytes : std::min(bytes - done, PIECE_BYTES);
        void *piece = direct ? (char *)destination + done : (char *)ring_piece(part);
        check(cudaMemcpyAsync(piece, (const char *)source + done, part, cudaMemcpyDefault, compute),
              "copying from the device");
        if (!direct) {
            check(cudaStreamSynchronize(compute), "copying from the device");
            memcpy((char *)destination + done, piece, part);
        }
        done += part;
    }
}

/* A strided copy to the host: `count` rows of `width` bytes, `pitch` bytes apart on the device, to
 * adjacent rows at destination, which is written on return; as many at a time as a piece of the
 * ring holds, and a row that is longer in parts. */
void call::download_rows(char *destination, const char *source, size_t pitch, size_t width,
                         int64_t count) {
    const int64_t together =
        std::max<int64_t>((int64_t)(PIECE_BYTES / std::max<size_t>(width, 1)), 1);
    for (int64_t done = 0; done < count; done += together) {
        int64_t part = std::min(together, count - done);
        size_t bytes = (size_t)part * width;
        if (bytes > PIECE_BYTES) {
            download(destination, source + (size_t)done * pitch, width); /* one row, in pieces */
        } else {
            char *piece = (char *)ring_piece(bytes);
            check(cudaMemcpy2DAsync(piece, width, source + (size_t)done * pitch, pitch, width,
                                    (size_t)part, cudaMemcpyDefault, compute),
                  "copying from the device");
            check(cudaStreamSynchronize(compute), "copying from the device");
            memcpy(destination, piece, bytes);
        }
        destination += bytes;
    }
}

void call::write_back(void *destination, const void *source, size_t bytes) {
    if (on_device(destination))
        copy_in(destination, source, bytes);
    else
        memcpy(destination, source, bytes);
}

/* Runs an entry of the kernel table: makes the call, runs body, finishes, and turns every exception
 * into a status with a text. noexcept: nothing crosses the C boundary. The inner try turns a lack
 * of memory into failure, by fail(), which also sets the text; what is unknown has none. */
alcore_status guarded(const alcore_sys_work *work,
                      const std::function<void(call &)> &body) noexcept {
    try {
        if (!work) return ALCORE_E_INVALID;
        try {
            call running(work);
            body(running);
            running.finish();
        } catch (const no_memory &missing) {
            fail(work, ALCORE_E_NOMEM,
                 "out of memory on the device: %zu bytes could not be allocated, and the call "
                 "cannot work with less",
                 missing.bytes);
        } catch (const std::bad_alloc &) {
            fail(work, ALCORE_E_NOMEM, "out of memory in a kernel");
        }
    } catch (const failure &error) {
        return error.status;
    } catch (...) {
        return ALCORE_E_INTERNAL;
    }
    return ALCORE_OK;
}

} // namespace alcore_cuda
