/* SPDX-License-Identifier: Apache-2.0 */
/* What every kernel of this engine does around its launches: checking arguments, device memory,
 * copies of what is on the host, streams, errors.
 *
 *   - call: one call of an entry of the kernel table: context, stream slot, memory. Its destructor
 *     releases all of them.
 *   - pipeline: a pass over rows in chunks, runs of adjacent rows that are on the device at a time.
 *     Host arrays are copied through pinned memory in a copy stream while the chunk before is
 *     computed ("staged"); device arrays are used in place.
 *   - guarded: runs an entry. Failures inside are exceptions (failure, no_memory, bad_alloc), which
 *     become a status and a text here, so that no exception crosses the C boundary.
 *
 * A stream slot is a pair of streams with events and kept memory, which one call at a time has
 * (cuda_stream.cuh).
 *
 * Order: kernels run in the compute stream, which is the caller's or the slot's own; events order
 * the copy stream against it. A call with outputs on the host waits until they are written; one
 * whose outputs are all on the device and in the caller's stream returns with its work queued.
 *
 * An array of the caller may be in host or device memory, each on its own; in this folder a name
 * with "host" says that it is in host memory.
 *
 * Words of this room, and the header that declares what they name:
 *
 *   entry        a function of the kernel table (alcore/sys/kernel.h says what each computes)
 *   chunk, part  the rows of a pass, and the others that they are compared with, that are on the
 *                device at a time: a chunk of a pipeline, a part of operand_parts
 *                (cuda_wide_rows.cuh), whose part() makes one the current one and returns its size
 *   other        a row of the second operand: a query, centroid or target
 *   pipeline     a pass over the rows of a call; its columns are arrays with an entry for each row
 *   staged       copied through buffers, as kernels cannot use the array where it is
 *   pinned       host memory that is page-locked, so that the device copies from and to it
 *   lent         device memory of the caller's workspace, until it is given back
 *   row_set      rows on the device as kernels get them, by value (cuda_rows.cuh)
 *   half_rows    rows in half precision (units of 8 components) with the numbers that bound the
 *                error of their products (half_stats, filter_error(); cuda_filter.cuh)
 *   tile         TILE_ROWS rows and TILE_OTHERS others, whose products the threads of a block hold
 *                in registers; a line is a row or an other of it (cuda_tile.cuh)
 *   PAIR_ROWS    four rows and four others that a warp compares in double: pair_sums() gives
 *                threads 2 p and 2 p + 1 the value of pair p, pair_value() any thread any of the
 *                16 (cuda_pairs.cuh)
 *   top_entry    a row with its value, nearer() their order; a block keeps up to SORTED of them in
 *                shared memory, join_others() sorts new ones in (cuda_top_k.cuh)
 *
 * CUDA_LAUNCH(kernel, blocks, threads, stream, arguments) returns before the kernel ends.
 * CUDA_EACH_DTYPE runs a statement with DTYPE as a constant, CUDA_SHARED declares shared memory of
 * a block (cuda_platform.cuh). */
#ifndef ALCORE__CUDA_CALL_CUH
#define ALCORE__CUDA_CALL_CUH

#include <functional>
#include <optional>
#include <vector>

#include "cuda_context.cuh"
#include "cuda_warp.cuh"

namespace alcore_cuda {

/* Thrown by fail(), after the error text was set. */
struct failure {
    alcore_status status;
};

/* Thrown when `bytes` bytes of device or pinned memory cannot be allocated. */
struct no_memory {
    size_t bytes;
};

/* Sets the error text (format as in printf) and throws failure{status}. */
[[noreturn]] void fail(const alcore_sys_work *work, alcore_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The device of a call of the kernel table; 0 for a host that was built before there were more. */
int device_of(const alcore_sys_work *work);
/* The oldest compute capability that the module holds code for: 8.0. */
const int OLDEST_MAJOR = 8;
/* The first number of the compute capability of a device; OLDEST_MAJOR where CUDA does not say. */
int major_of(int device);
/* What convert() made for the rows of the call; NULL: nothing, as for such a host. */
const alcore_sys_converted *converted_of(const alcore_sys_work *work);

/* Streams, events and memory that one call at a time uses (cuda_stream.cu). */
struct stream_slot;

/* One call of an entry. */
class call {
  public:
    explicit call(const alcore_sys_work *work);
    ~call();
    call(const call &) = delete;
    call &operator=(const call &) = delete;

    /* The last step of a call that succeeded: without a caller's stream, waits for the kernels. */
    void finish();

    /* Throws when a CUDA call returned an error; what: "copying to the device" and the like. */
    void check(int error, const char *what);
    /* To be called after launches: throws when one failed. */
    void launched();
    /* Asks the host whether to stop, and throws ALCORE_E_CANCELLED then. */
    void poll();
    /* poll() between launches that each take milliseconds: waits for the device first, so that
     * after a cancellation one launch is left to run and not a queue of them. */
    void wait_and_poll();
    /* Lets what is queued in the stream `later` from now on wait for what is in `earlier` now. */
    void put_behind(cudaStream_t later, cudaStream_t earlier, cudaEvent_t event);

    /* Throws for rows with a negative shape, an unknown dtype, or absent data. */
    void check_rows(const alcore_sys_rows *rows);

    /* Throws for more classes than int32_t, the type of class indices, can number, and for labels
     * NULL where the log-probability of the label is wanted (out->logprob). */
    void check_stats(int64_t classes, const int64_t *labels, const alcore_sys_token_stats *out);

    /* Throws for a negative number of items, groups or centroids. */
    void check_count(int64_t count) {
        if (count < 0) fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
    }

    /* Whether kernels can use an array in place: false for host memory and NULL; throws for memory
     * of another device. Managed memory is in place. */
    bool on_device(const void *array);
    /* The same, and the address is a multiple of `alignment` bytes, as a device needs: for an array
     * the alignment of its type, as kernels read the members of a struct one by one. */
    bool in_place(const void *array, size_t alignment) {
        return on_device(array) && (uintptr_t)array % alignment == 0;
    }

    /* Device memory until the call ends or deallocate(); never NULL, also for 0 bytes; throws
     * no_memory, upon which a pipeline tries smaller chunks. Counts are not negative: entries check
     * them (check_rows, check_count). */
    void *allocate(size_t bytes);
    template <class T> T *allocate_array(int64_t count) {
        return (T *)allocate((size_t)count * sizeof(T));
    }
    /* Gives memory of allocate() back before the call ends; ignores NULL and memory of the caller.
     * Work that uses it may still be queued in the compute stream: whoever gets the memory next,
     * this call or a later one in the stream slot or the caller's workspace, comes behind in the
     * order of that stream. Copies in the copy stream are in that order once put_behind() made the
     * compute stream wait for them. */
    void deallocate(const void *memory);
    /* Device memory for *rows rows of `bytes` bytes, *rows at least 1, or for half as many until
     * the device has it; throws no_memory where it has none for a row. */
    void *allocate_rows(int64_t *rows, size_t bytes);

    /* Copy `bytes` bytes, perhaps 0, in the order of the compute stream. copy_in: from anywhere to
     * the device; a host source may change after the return. download: from the device to anywhere;
     * a destination on the host is written on return, after a failure perhaps in part. */
    void copy_in(void *destination, const void *source, size_t bytes);
    void download(void *destination, const void *source, size_t bytes);
    /* download() of `count` rows of `width` bytes, `pitch` bytes apart on the device, to adjacent
     * rows on the host; as many in one copy as the pinned memory holds. */
    void download_rows(char *destination, const char *source, size_t pitch, size_t width,
                       int64_t count);
    /* A piece of pinned memory, of at most PIECE_BYTES, which copies that are queued in the compute
     * stream before the next piece is asked for may use; the host writes to it at once. */
    void *ring_piece(size_t bytes);
    /* Copies a value that the host computed to an output of the caller, on host or device. */
    void write_back(void *destination, const void *source, size_t bytes);

    /* An array of `bytes` bytes for kernels: in place, or a copy on the device where it is in host
     * memory or its address is no multiple of `alignment`; NULL for NULL. */
    const void *to_device(const void *array, size_t bytes, size_t alignment);
    /* The same of array [count]. */
    template <class T> const T *to_device(const T *array, int64_t count) {
        return (const T *)to_device(array, (size_t)count * sizeof(T), alignof(T));
    }
    /* A list of the host for kernels: a copy on the device. */
    template <class T> const T *to_device(const std::vector<T> &list) {
        return to_device(list.data(), (int64_t)list.size());
    }
    /* array [count] of the caller that kernels write: in place, or device memory of any content,
     * which hand_back() copies to the array. in_out(): the same, where kernels read entries too or
     * leave some as they are. NULL for NULL. */
    template <class T> T *output(T *array, int64_t count) {
        return !array || in_place(array, alignof(T)) ? array : allocate_array<T>(count);
    }
    template <class T> T *in_out(T *array, int64_t count) {
        return const_cast<T *>(to_device((const T *)array, count));
    }
    template <class T> void hand_back(T *array, const T *device, int64_t count) {
        if (device != array) download(array, device, (size_t)count * sizeof(T));
    }
    /* array [count] for the host: in place, or a copy in *memory; NULL for NULL. */
    template <class T> const T *to_host(const T *array, int64_t count, std::vector<T> *memory) {
        if (!array || !on_device(array)) return array;
        memory->resize((size_t)count);
        download(memory->data(), array, (size_t)count * sizeof(T));
        return memory->data();
    }

    /* Whether the caller limits staging_limit(). */
    bool has_limit() const;
    /* Bytes of device memory that copies of host arrays may occupy. */
    size_t staging_limit();

    const alcore_sys_work *work; /* the first argument of the kernel */
    cudaStream_t compute;        /* stream of all kernels: the caller's, or that of the slot */
    stream_slot *streams;        /* owned until the call ends */

  private:
    friend class pipeline;
    /* Throws where the stream, or one that waits for it, captures a graph. */
    void check_capture(cudaStream_t stream);
    /* Pinned (page-locked) host memory, which the device copies from and to by itself, until
     * stream_slot_block_back() or the end of the call; throws no_memory. */
    void *pinned(size_t bytes);

    std::optional<context_scope> context; /* of the call's device; restores the host's at the end */
    bool failed = true;                   /* until finish() */
    size_t own_limit = 0;                 /* staging_limit() without the caller's; 0: not asked */
    /* A block that the host's work->workspace lent, as it is to be given back. */
    struct lent {
        void *memory;
        size_t bytes;
    };
    std::vector<lent> lent_blocks; /* blocks from work->workspace that are not released yet */
};

/* The rows first .. first + count - 1 of a pass, and where their entries of each column are on the
 * device. Columns are named by the numbers that the functions of the pipeline returned; -1 is a
 * column that does not exist. */
struct chunk {
    /* A column as a chunk has it. */
    struct view {
        char *data;     /* the entry of row `first`, on the device */
        int64_t stride; /* of a matrix: components from a row to the next */
        int64_t plane;  /* of an output [planes, rows]: entries from a plane to the next */
    };
    int64_t first, count;             /* `first` counts from row 0 of the pass */
    cudaStream_t stream;              /* the compute stream */
    const std::vector<view> *columns; /* by number; the pipeline's own list, which the next chunk
                                         overwrites: valid until body returns */
    /* The entries of the chunk, [count] or [count, ...]; NULL for column -1. */
    template <class T> T *get(int column) const {
        return column < 0 ? nullptr : (T *)(*columns)[(size_t)column].data;
    }
    /* Components from a row to the next, of a column that rows() added. */
    int64_t stride(int column) const { return (*columns)[(size_t)column].stride; }
    /* Entries from a plane of an output column [planes, rows] to the next. */
    int64_t plane(int column) const { return column < 0 ? 0 : (*columns)[(size_t)column].plane; }
};

/* A pass over rows in chunks. Its columns are arrays with an entry of some bytes per row: inputs
 * and outputs of the caller, and scratch. First all columns are added, then run() calls a body for
 * each chunk, in order. A column that is on the host, or not aligned, is staged: copied chunk by
 * chunk through buffers; the others are used in place. */
class pipeline {
  public:
    pipeline(call &owner, int64_t count) : c(owner), rows_count(count) {}
    ~pipeline() { free_buffers(); }
    pipeline(const pipeline &) = delete;
    pipeline &operator=(const pipeline &) = delete;

    /* Each adds a column and returns its number; -1 for NULL. bytes: size of the entry of a row.
     * Arrays are borrowed until the pipeline is destroyed. */
    int rows(const alcore_sys_rows *rows);    /* a matrix, read, in its dtype */
    int in(const void *array, size_t bytes) { /* [rows] read */
        return add(array, bytes, bytes /* pitch */, 0 /* any alignment */, true, false);
    }
    int inout(void *array, size_t bytes) { /* [rows] read and written */
        return add(array, bytes, bytes /* pitch */, 0 /* any alignment */, true, true);
    }
    int out(void *array, size_t bytes, int64_t planes = 1); /* [planes, rows] written */
    int scratch(size_t bytes); /* device memory, undefined at the begin of each chunk */
    /* The mask [rows] of the call as an input column of bytes; also makes staged outputs skip rows
     * with 0. */
    int row_mask(const uint8_t *row_mask) {
        write_only(row_mask);
        return in(row_mask, 1);
    }

    /* Sets the most rows that a chunk may have, at least 1. */
    void limit_rows(int64_t rows) { max_rows = rows; }
    /* The same by what a launch computes for each row: `products` products, `most` a launch. */
    void limit_products(double products, int64_t most) {
        double rows = (double)most / (products < 1.0 ? 1.0 : products);
        limit_rows(rows > 64.0 ? (int64_t)rows : 64);
    }
    /* Makes staged outputs skip rows with 0 in written [rows], in host memory, borrowed until run()
     * returns: the caller's entries of these rows stay as they are. NULL: all are written.
     * row_mask() sets the same mask, so the later call counts; skip_ungrouped() leaves out further
     * rows. */
    void write_only(const uint8_t *written) { mask = written; }
    /* Makes staged outputs skip rows with a negative group; group [rows], in host memory, borrowed
     * likewise. */
    void skip_ungrouped(const int32_t *group) { groups = group; }

    /* Calls body for each chunk, without rows never; its launches go into chunk.stream. Before each
     * call run() asks the host whether to stop (poll()), behind each it checks the launches
     * (launched()), so that a body of few launches need do neither. When run() returns, outputs in
     * host memory are written, those in device memory in the order of that stream; after an
     * exception some chunks may be. Buffers stay until the pipeline is destroyed. Called once for a
     * pipeline: a second call would allocate them again and lose the first. */
    void run(const std::function<void(const chunk &)> &body);

  private:
    struct column {
        char *user;       /* array of the caller; NULL for scratch */
        size_t bytes;     /* of the entry of a row */
        size_t pitch;     /* bytes from a row to the next in the array of the caller */
        size_t alignment; /* alignment that kernels need; 0: any */
        size_t planes;    /* 1, or more for an output [planes, rows] */
        bool in, out, scratch;
        bool staged;      /* goes through the buffers below */
        bool from_device; /* staged although on the device, because it is not aligned */
        char *device[2];  /* [planes, step, bytes] both buffers; scratch uses the first */
        char *pinned[2];  /* the same in pinned host memory, for arrays of the host */
    };
    int add(const void *array, size_t bytes, size_t pitch, size_t alignment, bool in, bool out);
    void allocate();
    bool try_allocate();
    void free_buffers();
    void fill(int buffer, int64_t first, int64_t count);
    void view_columns(int64_t first, int buffer, std::vector<chunk::view> *views) const;
    void copy_back(int buffer, int64_t count);
    void wait(int buffer);
    void drain(int buffer);

    call &c;
    int64_t rows_count;           /* rows of the pass */
    int64_t step = 0;             /* rows of a chunk, but the last */
    int64_t max_rows = INT64_MAX; /* limit of step */
    int buffers = 1;              /* of a staged column: 2 when there is a second chunk */
    bool staged = false;          /* some column is */
    bool filling = false; /* copies may be queued that the compute stream does not wait for */
    std::vector<column> columns;
    /* [rows] 0: staged outputs of the row are not written; before run() it may be on the device. */
    const uint8_t *mask = nullptr;
    std::vector<uint8_t> mask_memory; /* its copy on the host */
    const int32_t *groups = nullptr;  /* [rows] host; negative: likewise */
    struct buffered {
        int64_t first, count; /* the chunk in a buffer */
        bool busy;            /* its outputs are still to be written to the caller */
    } in_buffer[2] = {};
};

/* Runs body as an entry of the kernel table and returns its status; no exception leaves it. */
alcore_status guarded(const alcore_sys_work *work,
                      const std::function<void(call &)> &body) noexcept;

/* The most products of two components that one launch computes, in double, and in half precision on
 * tensor cores: some tens of milliseconds on devices that are slow at them. The host is asked
 * whether to stop between launches only. */
const int64_t LAUNCH_DOUBLES = (int64_t)1 << 32, LAUNCH_HALVES = (int64_t)1 << 39;

/* Number of blocks when each serves `per_block` of `count` rows, items or tasks. */
inline unsigned blocks_for(int64_t count, int64_t per_block) {
    return (unsigned)((count + per_block - 1) / per_block);
}

} // namespace alcore_cuda

#endif
