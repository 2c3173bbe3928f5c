/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of this engine does around its launches: checking arguments, device memory,
 * copies of what is on the host, streams, errors.
 *
 *     call      one call of an entry: its context, stream slot and memory, all given back when it
 * ends
 *
 *     pipeline  passes over rows in chunks: host arrays are copied through pinned memory in a copy
 *               stream while the chunk before is computed; device arrays are used where they are
 *
 *     guarded   runs an entry; failures inside are exceptions (failure, no_memory, bad_alloc),
 * which become a status and a text here, so that no exception crosses the C boundary
 *
 * Order: the compute stream is the caller's or the slot's own; the copy stream waits for it by
 * events. A call with host outputs synchronizes; one with device outputs in the caller's stream
 * does not. */
#ifndef ALCORE__CUDA_CALL_CUH
#define ALCORE__CUDA_CALL_CUH

#include <functional>
#include <optional>
#include <vector>

#include "cuda_context.cuh"
#include "cuda_warp.cuh"

namespace alcore_cuda {

/* Its text is set already. */
struct failure {
    alcore_status status;
};

/* The device, or the host for pinned memory, has no `bytes` bytes. */
struct no_memory {
    size_t bytes;
};

[[noreturn]] void fail(const alcore_sys_work *work, alcore_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Streams, events and memory that one call at a time uses (cuda_stream.cu). */
struct stream_slot;

/* One call of an entry. */
class call {
  public:
    explicit call(const alcore_sys_work *work);
    ~call();
    call(const call &) = delete;
    call &operator=(const call &) = delete;

    /* To be called last: sees to it that the outcome is where the caller expects it. */
    void finish();

    /* Throws when a CUDA call failed. */
    void check(int error, const char *what);
    /* Throws when a launch failed. */
    void launched();
    /* Throws when the host wants to stop. */
    void poll();
    /* Between launches that each take milliseconds: lets the device finish, so that a host that
     * wants to stop waits for one launch and not for a queue of them. */
    void wait_and_poll();

    /* Refuses what no kernel takes. */
    void check_rows(const alcore_sys_rows *rows);

    /* Whether an array is on the device; throws when it is on another one. */
    bool on_device(const void *array);

    /* Memory of the device until the call ends, or until it is given back. */
    void *device(size_t bytes);
    template <class T> T *device_array(int64_t count) {
        return (T *)device((size_t)count * sizeof(T));
    }
    void give_back(void *memory);

    /* Copies, in the order of the stream `compute`. A destination on the host has its bytes on
     * return. */
    void upload(void *to, const void *from, size_t bytes);
    void download(void *to, const void *from, size_t bytes);
    /* `count` rows of `width` bytes, `pitch` apart on the device, to the host one after the other,
     * as many in one copy as the pinned memory holds. */
    void download_rows(char *to, const char *from, size_t pitch, size_t width, int64_t count);
    /* Writes what the host found out to the caller's memory. */
    void answer(void *to, const void *from, size_t bytes);

    /* The array on the device: itself, or a copy. */
    template <class T> const T *whole(const T *array, int64_t count) {
        if (!array || (on_device(array) && (uintptr_t)array % sizeof(T) == 0)) return array;
        T *copy = device_array<T>(count);
        upload(copy, array, (size_t)count * sizeof(T));
        return copy;
    }
    /* The array on the host: itself, or a copy in `memory`. */
    template <class T> const T *on_host(const T *array, int64_t count, std::vector<T> *memory) {
        if (!array || !on_device(array)) return array;
        memory->resize((size_t)count);
        download(memory->data(), array, (size_t)count * sizeof(T));
        return memory->data();
    }

    /* Bytes of device memory that staging may take. */
    size_t limit() const;

    const alcore_sys_work *work;
    cudaStream_t compute; /* the caller's stream, or our own */
    stream_slot *streams;

  private:
    friend class pipeline;
    void *pinned(size_t bytes);
    void give_back_pinned(void *memory);
    void *ring(size_t bytes);

    std::optional<context_scope> context; /* of the call's device; the host's is back after it */
    bool failed = true;
    struct lent {
        void *memory;
        size_t bytes;
    };
    std::vector<lent> lent_blocks; /* from work->workspace */
};

/* Rows of one pass. Pointers are by the numbers that pipeline's functions gave. */
struct chunk {
    int64_t first, count;
    cudaStream_t stream;
    const std::vector<char *> *at;
    const std::vector<int64_t> *strides, *planes;
    template <class T> T *get(int column) const {
        return column < 0 ? nullptr : (T *)(*at)[(size_t)column];
    }
    int64_t stride(int column) const { return (*strides)[(size_t)column]; }
    /* Entries from a plane of a column to the next. */
    int64_t plane(int column) const { return column < 0 ? 0 : (*planes)[(size_t)column]; }
};

/* Arrays with an entry per row, passed over in chunks: what is on the host is copied through pinned
 * memory in a stream of its own while the chunk before is worked on; what is on the device is used
 * where it is. */
class pipeline {
  public:
    pipeline(call &owner, int64_t count) : c(owner), rows_count(count) {}
    ~pipeline();
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    /* Each gives the number of the column; -1 for NULL. */
    int rows(const alcore_sys_rows *rows);
    int in(const void *array, size_t bytes, size_t number_bytes = 0);
    /* planes: the array is [planes, rows]. */
    int out(void *array, size_t bytes, int64_t planes = 1);
    int inout(void *array, size_t bytes);
    int scratch(size_t bytes);
    /* No chunk has more rows. */
    void at_most(int64_t rows) { most_rows = rows; }
    /* The same mask as a column of bytes; outputs of rows with a 0 are not written. */
    int row_mask(const uint8_t *given);
    /* Outputs of rows with a 0 in this mask on the host are not written; NULL: all are. */
    void only(const uint8_t *written) { mask = written; }
    /* Outputs of rows with a negative group, here on the host, are not written. */
    void leave_out(const int32_t *group);

    void run(const std::function<void(const chunk &)> &body);

  private:
    struct column {
        char *user;
        size_t bytes, pitch, number_bytes, planes;
        bool in, out, scratch, staged, from_device;
        char *device[2], *pinned[2];
    };
    int add(const void *array, size_t bytes, size_t pitch, size_t number_bytes, bool in, bool out);
    void allocate();
    void release();
    bool try_allocate();
    void fill(int slot, int64_t first, int64_t count);
    void drain(int slot);
    void wait(int slot);

    call &c;
    int64_t rows_count, step = 0, most_rows = INT64_MAX;
    int slots = 1;
    bool staged = false;
    std::vector<column> columns;
    const uint8_t *mask = nullptr;
    std::vector<uint8_t> mask_memory;
    const int32_t *groups = nullptr;
    int64_t slot_first[2] = {0, 0}, slot_count[2] = {0, 0};
    bool slot_busy[2] = {false, false};
};

/* Runs an entry behind a wall: no exception leaves it. */
alcore_status guarded(const alcore_sys_work *work,
                      const std::function<void(call &)> &body) noexcept;

/* Blocks of `threads` threads for `count` warps or threads. */
inline unsigned blocks_for(int64_t count, int64_t per_block) {
    return (unsigned)((count + per_block - 1) / per_block);
}

} // namespace alcore_cuda

#endif
