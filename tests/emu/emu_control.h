/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the emulated module by which tests steer and observe the emulated devices, with C
 * linkage. Tests call them through the pointers of emulated_module.h. */
#ifndef EMU_CONTROL_H
#define EMU_CONTROL_H

#include <stddef.h>
#include <stdint.h>

/* Order in which the threads and blocks of a kernel run. */
enum { EMU_ASCENDING, EMU_DESCENDING, EMU_RANDOM };

/* Events that CUDA_COUNT(name) in a kernel counts as EMU_name. */
enum {
    EMU_FILTERED_TILES,    /* tiles of pairs that a filter in half precision computed */
    EMU_DECIDED_PAIRS,     /* pairs that a filter left undecided */
    EMU_FALL_BACKS,        /* items that a filter gave up on */
    EMU_CONVERTED_ROWS,    /* rows that were read for a filter, into doubles and half precision */
    EMU_ORDERED_ADDITIONS, /* additions of a running sum, each of which waits for the one before */
    EMU_EVENTS
};

/* Number of devices, which are alike; each has its own memory. */
enum { EMU_DEVICES = 2 };

/* What the engine asked of a device. A wait is counted where the host found work that was not done:
 * each costs tens of microseconds, in which the device has nothing to do. Memory of the devices is
 * freed when everything on them is done, so that is a wait too. Copies are counted by where they
 * go; memory that host and devices share counts as the host's. */
typedef struct emu_work {
    uint64_t launches;              /* kernels that were queued */
    uint64_t stream_waits;          /* cudaStreamSynchronize() */
    uint64_t event_waits;           /* cudaEventSynchronize() */
    uint64_t device_waits;          /* cudaFree() and cudaFreeHost() */
    uint64_t copies_in, bytes_in;   /* from the host to the device */
    uint64_t copies_out, bytes_out; /* from the device to the host */
    uint64_t copies_within;         /* from the device to itself */
    uint64_t bytes_within;
    uint64_t copies_by_row; /* of all copies: cudaMemcpy2DAsync(), a transfer for each row */
    uint64_t clears, bytes_cleared; /* cudaMemsetAsync() */
    /* Blocks of memory, of the device or pinned, that were made and given back: by cudaMalloc() and
     * the like, or because a pool grew or shrank. */
    uint64_t allocations, frees;
} emu_work;

/* What a kernel did. waits: those of the host, in emu_work, between a launch of it and the next
 * launch by the same thread. */
typedef struct emu_kernel_work {
    uint64_t launches, blocks, threads, waits;
} emu_kernel_work;

/* What warps did to a variable in the shared memory of a kernel, in all of its launches. An
 * instruction of a warp is served in `passes`: one for each 32 lanes of up to 4 bytes, 16 of 8 or 8
 * of 16, and one more for each further word of 4 bytes that lies in the same of 32 banks: those are
 * `conflicts`. Lanes that access the same word share it. */
typedef struct emu_shared_work {
    const char *kernel, *variable;
    uint64_t instructions, passes, conflicts;
} emu_shared_work;

#ifdef __cplusplus
extern "C" {
#endif

/* The order (EMU_ASCENDING, ...), the seed of the random one, and whether exp, log and rsqrt miss
 * by up to 2 units in the last place. */
void alcore_emu_mode(int order, uint64_t seed, int perturb);
/* Filters in half precision: 1: for every shape, 0: for none, below 0: where they pay. */
void alcore_emu_filters(int always);

/* The emulated cuBLAS: whether the engine may use it (1 from the start). blas_fail: the number-th
 * of its calls from now on returns `status` and does nothing; 0: none fails. */
void alcore_emu_blas(int use);
void alcore_emu_blas_fail(int64_t number, int status);
/* The names under which it can be opened, before the engine first looks for it: that of a copy
 * which is in the process, and that of a file; NULL: none. From the start: no copy, and
 * "libcublas.so.13". */
void alcore_emu_blas_names(const char *loaded, const char *file);
/* Products that it has queued since the start of the process. */
uint64_t alcore_emu_blas_products(void);
/* Bytes of the workspace that the engine gave it for the last product; 0: none. */
size_t alcore_emu_blas_workspace(void);

/* Since the start of the process: events of a kind, arrivals of threads at barriers and warp
 * operations. */
uint64_t alcore_emu_counted(int event);
uint64_t alcore_emu_arrivals(void);
/* Since the start of the process: the work of a device, or of all of them (EMU_ALL). */
enum { EMU_ALL = -1 };
emu_work alcore_emu_work(int device);
/* The same of one kernel on all devices. Its name is that of the function, with the type that the
 * kernel is a template of where that is named ..._body: "update_min_kernel", "each_row<dots_body>".
 * A name that no kernel had so far has launched nothing. */
emu_kernel_work alcore_emu_kernel(const char *name);
/* The name of the index-th kernel that was launched, in the order of their first launches; NULL:
 * there are fewer. It lives as long as the process. */
const char *alcore_emu_kernel_name(int index);

/* Bytes of the second-level cache that each device has from now on; 50 MiB from the start. It is
 * what a program is told: nothing is slower here. */
void alcore_emu_cache(int bytes);
/* Multiprocessors that each device says it has from now on; 132 from the start. */
void alcore_emu_multiprocessors(int count);
/* Entry `index` of the work on shared memory since the start of the process; 0: there is none. Only
 * a module whose kernels are compiled with -fsanitize=thread has it (emu_accesses.cpp). */
int alcore_emu_shared(int index, emu_shared_work *out);

/* Bytes of memory that each device has from now on. */
void alcore_emu_memory(size_t bytes);
/* The first number of the compute capability that a device has from now on; 8 from the start. */
void alcore_emu_capability(int device, int major);
/* The version of CUDA that the driver serves from now on; 13000 from the start. */
void alcore_emu_driver(int version);
/* Whether devices have pools of memory (1 from the start). */
void alcore_emu_pools(int there);
/* What cudaDeviceReset() of the host does: memory, streams, events, pools and primary context of
 * the device are gone, also pinned memory that was made there; a new context has another id. */
void alcore_emu_reset(int device);
/* Fails the number-th of the streams, events and pinned blocks that are made from now on, as for
 * lack of memory; 0: none. */
void alcore_emu_fail_object(int64_t number);
/* Streams, events and pinned blocks that exist now, of all devices. */
int64_t alcore_emu_objects(void);
/* The device of the memory and streams that the next functions make. */
void alcore_emu_device(int device);
/* Device memory, and synchronous copies between it and the host. */
void *alcore_emu_new(size_t bytes);
void alcore_emu_free(void *memory);
void alcore_emu_copy(void *destination, const void *source, size_t bytes);
/* Memory of the test's own counts as memory that host and devices share (cudaMallocManaged), until
 * it no longer does. */
void alcore_emu_share(void *memory, size_t bytes);
void alcore_emu_unshare(void *memory);
/* A stream, and waiting for all that is in it; 0 when it went well. */
void *alcore_emu_stream(void);
int alcore_emu_wait(void *stream);
/* Queues a copy between memory of the stream's device, which runs when somebody waits for the
 * stream: work of the host's own, of which the engine knows nothing. */
void alcore_emu_queue(void *stream, void *destination, const void *source, size_t bytes);
void alcore_emu_stream_free(void *stream);
/* A graph is captured from a stream until capture_end(), in the global mode; blocking: the stream
 * and the default stream of its device wait for each other. Until then no thread in that mode may
 * allocate, free or query, and no one may wait for the stream, or put work into the default stream
 * beside a blocking one: that fails, and spoils the capture. capture_end: how many operations were
 * captured, which do not run; -1: it was spoilt. capture_mode: that of the calling thread. */
void alcore_emu_capture(void *stream, int blocking);
int64_t alcore_emu_capture_end(void);
int alcore_emu_capture_mode(void);
/* Queues a kernel that fails, as for a wrong address: whoever waits for the stream finds the error.
 * stream NULL: the default stream of the device. */
void alcore_emu_queue_failure(void *stream);

/* The calling thread's current context, NULL when it has none; and the same, set: a context from
 * alcore_emu_context_new() is one that a host made by the driver, on a device. */
void *alcore_emu_context(void);
void *alcore_emu_context_new(int device);
void alcore_emu_context_set(void *context);
/* 1: somebody made the primary context of the device. */
int alcore_emu_primary(int device);

#ifdef __cplusplus
}
#endif

#endif
