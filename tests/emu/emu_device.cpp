/* SPDX-License-Identifier: Apache-2.0 */
/* The run-time library and the driver of the emulated devices: memory, streams, events, contexts.
 *
 * Everything is as late and as strict as CUDA allows. Work that was put into a stream is queued,
 * and runs only when somebody waits for the stream or for an event behind it. Between two
 * operations the memory of the devices is poisoned for AddressSanitizer, so that the host cannot
 * touch it. New memory holds 0xff. One lock guards everything; operations run on the thread that
 * waits. */
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <deque>
#include <map>
#include <mutex>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "emu_state.h"

/* A context; primary: the one of the run-time library, else one that a host made by the driver. */
struct emu_context {
    int device;
    bool primary;
    unsigned long long id = 1; /* another one after each reset */
    bool active = true;        /* false: a primary one that was not made yet, or that was reset */
};

/* What was put into a stream. kept: also done where an operation before it has failed, as what the
 * host may use is then known all the same. */
struct emu_operation {
    std::function<void()> what;
    bool kept;
};

struct emu_stream {
    explicit emu_stream(int number) : device(number) {}
    int device;                      /* whose context it was made in */
    std::deque<emu_operation> queue; /* operations that have not run, the oldest first */
    uint64_t issued = 0, done = 0;   /* operations that were put in, and that have run */
    bool runs = false;               /* run_to() is working on it */
    bool lost = false;               /* its device was reset */
};

struct emu_event {
    explicit emu_event(int number) : device(number) {}
    int device;
    emu_stream *stream = nullptr; /* where it was recorded; NULL: not yet */
    uint64_t position = 0;        /* it has passed when so many operations of the stream are done */
    bool lost = false;            /* its device was reset */
};

struct emu_pool {
    int device;
    uint64_t threshold = 0; /* bytes that it keeps when the host waits */
    bool lost = false;      /* its device was reset */
};

namespace emu {
state settings;

namespace {
std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> guard;

/* In place of a device: pinned host memory, and memory that host and devices share. */
const int HOST = -1, SHARED = -2;
struct memory {
    size_t bytes;
    int device; /* or HOST, SHARED */
    int owner;  /* the device in whose context it was made */
    /* Of a pool, NULL: of none. Its memory is in use from one operation of a stream to another,
     * `used`; idle: it was given back, by operation freed_at of freed_in. */
    emu_pool *pool = nullptr;
    bool used = true, idle = false;
    emu_stream *freed_in = nullptr;
    uint64_t freed_at = 0;
};
std::map<char *, memory> memories; /* every allocation, by its first byte */
size_t device_bytes[EMU_DEVICES],
    device_capacity = (size_t)-1; /* allocated; limit of each device */
int multiprocessors = 132;        /* that a device says it has */
int device_cache = 50 << 20;      /* bytes of the second-level cache that a device says it has */
int depth;                        /* operations that run now: one may wait for another */
emu_work work[EMU_DEVICES];       /* what the engine asked of each device */
struct counted_kernel {
    std::string name;
    emu_kernel_work work;
};
std::deque<counted_kernel> kernels;       /* every kernel that was launched, where it stays */
thread_local counted_kernel *last_kernel; /* the one that the thread has launched last */
int64_t objects;        /* streams, events and pinned blocks that the run-time library has made and
                           not destroyed */
int64_t failing_object; /* alcore_emu_fail_object(): 1: the next one fails; 0: none does */
bool primary_made[EMU_DEVICES];
emu_context primaries[EMU_DEVICES] = {{0, true, 1, false}, {1, true, 2, false}};
unsigned long long context_ids = 2; /* the last one that was given */
std::set<emu_stream *> &streams_made = *new std::set<emu_stream *>(); /* and not destroyed */
std::set<emu_event *> &events_made = *new std::set<emu_event *>();
/* Those of devices that were reset stay, so that a use of them is seen, and is no leak. */
std::vector<const void *> &lost_objects = *new std::vector<const void *>();
bool pools_there = true; /* alcore_emu_pools() */
emu_stream default_streams[EMU_DEVICES] = {emu_stream(0), emu_stream(1)};
thread_local std::vector<emu_context *> contexts; /* of the thread; the last one is current */
/* cudaErrorNotReady while it is the thread's last error: no operation failed, but CUDA reports it
 * until cudaGetLastError(), like a failure. */
thread_local cudaError_t not_ready = cudaSuccess;
int test_device; /* alcore_emu_device() */
int capabilities[EMU_DEVICES] = {8, 8}, driver_version = 13000;
/* The stream that captures a graph, NULL: none does; whether it waits for the default stream; what
 * was captured, and whether that is spoilt. */
emu_stream *capturing;
bool capture_blocks, capture_spoilt;
int64_t captured;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

cudaError_t spoil_capture(cudaError_t error) {
    fprintf(stderr, "emulation: the capture of a graph is spoilt\n");
    capture_spoilt = true;
    return settings.error = error;
}

/* What a call returns that may not be made while a graph is captured, cudaSuccess otherwise. */
cudaError_t while_capturing() {
    return capturing && capture_mode == cudaStreamCaptureModeGlobal
               ? spoil_capture(cudaErrorStreamCaptureUnsupported)
               : cudaSuccess;
}

/* The primary context of a device, which is made by this call if need be. */
emu_context *primary_of(int device) {
    primary_made[device] = true;
    if (device == settings.without) {
        fprintf(stderr, "emulation: device %d is used, which nobody named\n", device);
        settings.error = cudaErrorInvalidDevice;
    }
    if (!primaries[device].active) {
        primaries[device].active = true;
        primaries[device].id = ++context_ids;
    }
    return &primaries[device];
}

/* cudaSuccess unless the object is one of a device that was reset since it was made. */
template <class Object> cudaError_t not_lost(const Object *object) {
    if (!object || !object->lost) return cudaSuccess;
    fprintf(stderr, "emulation: a stream, event or pool from before a reset is used\n");
    return settings.error = cudaErrorContextIsDestroyed;
}

/* The device that a call of the run-time library is about. */
int current_device() {
    if (contexts.empty() || !contexts.back()) contexts.assign(1, primary_of(0));
    if (!contexts.back()->primary) {
        fprintf(stderr, "emulation: a call in a context that the host made for itself\n");
        settings.error = cudaErrorInvalidContext;
    }
    return contexts.back()->device;
}

void begin_settings() {
    const char *order = getenv("ALCORE_EMU_ORDER"), *seed = getenv("ALCORE_EMU_SEED");
    if (order && strcmp(order, "ascending") == 0) settings.order = EMU_ASCENDING;
    if (order && strcmp(order, "descending") == 0) settings.order = EMU_DESCENDING;
    if (seed) settings.random = strtoull(seed, nullptr, 10);
    settings.perturb = getenv("ALCORE_EMU_PERTURB") != nullptr;
    if (const char *without = getenv("ALCORE_EMU_WITHOUT")) settings.without = atoi(without);
}
const int begun = (begin_settings(), 1);

/* Lets AddressSanitizer allow accesses to the memory of a device, or forbid them. */
void set_accessible(int device, bool yes) {
#ifdef EMU_ADDRESS
    for (const auto &m : memories) {
        if (m.second.device != device) continue;
        if (yes && m.second.used)
            __asan_unpoison_memory_region(m.first, m.second.bytes);
        else
            __asan_poison_memory_region(m.first, m.second.bytes);
    }
#else
    (void)device;
    (void)yes;
#endif
}

/* The memory that pointer is in, or the end; what a pool has idle is nobody's. */
std::map<char *, memory>::iterator find(const void *pointer) {
    auto found = memories.upper_bound((char *)pointer);
    if (found == memories.begin()) return memories.end();
    --found;
    if ((char *)pointer >= found->first + found->second.bytes || found->second.idle)
        return memories.end();
    return found;
}

/* The stream of a handle on a device. The default stream has two handles: NULL, and 1
 * (cudaStreamLegacy); 2 (cudaStreamPerThread) is the calling thread's own, which is never
 * destroyed. */
emu_stream *stream_on(int device, cudaStream_t stream) {
    thread_local emu_stream *own[EMU_DEVICES];
    static std::vector<emu_stream *> &all_own = *new std::vector<emu_stream *>();
    if (!stream || stream == (cudaStream_t)1) return &default_streams[device];
    if (stream != (cudaStream_t)2) return stream;
    if (!own[device]) all_own.push_back(own[device] = new emu_stream(device));
    return own[device];
}
emu_stream *stream_of(cudaStream_t stream) {
    return (uintptr_t)stream > 2 ? stream : stream_on(current_device(), stream);
}

/* Whether it is the default stream that a stream which captures waits for. */
bool waits_for_capture(const emu_stream *queue) {
    return capturing && capture_blocks && queue == &default_streams[capturing->device];
}

/* Queues an operation; it is an error to use a stream in the context of another device. */
cudaError_t put(cudaStream_t stream, std::function<void()> what, bool kept = false) {
    emu_stream *queue = stream_of(stream);
    if (waits_for_capture(queue)) return spoil_capture(cudaErrorStreamCaptureImplicit);
    if (cudaError_t error = not_lost(queue)) return error;
    if (queue->device != current_device()) {
        fprintf(stderr, "emulation: work for a stream of another device than the current one\n");
        return settings.error = cudaErrorInvalidHandle;
    }
    if (queue == capturing) {
        captured++;
        return cudaSuccess;
    }
    queue->queue.push_back({std::move(what), kept});
    queue->issued++;
    return cudaSuccess;
}

/* Runs a stream until `position` operations of it are done. */
void run_to(emu_stream *stream, uint64_t position) {
    if (stream->runs) return; /* called by an operation of this stream */
    stream->runs = true;
    while (stream->done < position) {
        emu_operation next = std::move(stream->queue.front());
        stream->queue.pop_front();
        if (next.kept || !settings.error) next.what();
        stream->done++;
    }
    stream->runs = false;
}

/* Runs a stream until `position` operations are done, for a host that waits: counted in `waits`, a
 * member of emu_work, if there is something to wait for, and for the kernel that the thread has
 * launched before. */
void wait_for(emu_stream *stream, uint64_t position, uint64_t emu_work::*waits) {
    if (stream->done < position) {
        work[stream->device].*waits += 1;
        if (last_kernel) last_kernel->work.waits++;
    }
    run_to(stream, position);
}

/* Runs one operation of a device, which may touch the memory of that device only, with the default
 * floating-point environment whatever the host has set. */
void operate(int device, const std::function<void()> &what) {
    fenv_t before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    if (depth++ == 0) set_accessible(device, true);
    what();
    if (--depth == 0) set_accessible(device, false);
    fesetenv(&before);
}

/* Allocates on a device or, for HOST, pinned memory, filled with 0xff. */
cudaError_t allocate(void **out, size_t bytes, int device) {
    guard held(lock);
    *out = nullptr;
    if (cudaError_t error = while_capturing()) return error;
    if (device != HOST &&
        (bytes > device_capacity || device_bytes[device] > device_capacity - bytes))
        return cudaErrorMemoryAllocation;
    char *memory = (char *)malloc(bytes ? bytes : 1);
    if (!memory) return cudaErrorMemoryAllocation;
    memset(memory, 0xff, bytes ? bytes : 1);
    memories[memory] = {bytes ? bytes : 1, device, device == HOST ? current_device() : device};
    if (device != HOST) device_bytes[device] += bytes ? bytes : 1;
    if (depth == 0 && device != HOST) set_accessible(device, false);
    *out = memory;
    return cudaSuccess;
}

/* Takes an allocation away: nobody may use it any more. The lock is held. */
void end_memory(std::map<char *, memory>::iterator at) {
#ifdef EMU_ADDRESS
    __asan_unpoison_memory_region(at->first, at->second.bytes);
#endif
    if (at->second.device >= 0) device_bytes[at->second.device] -= at->second.bytes;
    free(at->first);
    memories.erase(at);
}

/* Whether a stream may have the idle memory of a pool: that was given back in the same stream, or
 * what came before in the other one is done. */
bool is_free(const memory &m, const emu_stream *stream) {
    return m.idle && (m.freed_in == stream || m.freed_in->done >= m.freed_at);
}

/* Gives memory of a pool that is idle and no longer used back to the device, until the pool has at
 * most `bytes`. */
void shrink(emu_pool *pool, uint64_t bytes) {
    uint64_t reserved = 0;
    for (const auto &m : memories)
        if (m.second.pool == pool) reserved += m.second.bytes;
    for (auto at = memories.begin(); at != memories.end() && reserved > bytes;) {
        auto next = std::next(at);
        if (at->second.pool == pool && is_free(at->second, nullptr)) {
            reserved -= at->second.bytes;
            work[pool->device].frees++;
            end_memory(at);
        }
        at = next;
    }
}

/* Every pool that has memory keeps no more than its threshold. */
void shrink_all() {
    std::set<emu_pool *> pools;
    for (const auto &m : memories)
        if (m.second.pool) pools.insert(m.second.pool);
    for (emu_pool *pool : pools) shrink(pool, pool->threshold);
}

/* Counts one more stream, event or pinned block; false: it is the one that is to fail, and CUDA's
 * error state says so, as on a device. The lock is held. */
bool count_object() {
    if (failing_object > 0 && --failing_object == 0) {
        settings.error = cudaErrorMemoryAllocation;
        return false;
    }
    objects++;
    return true;
}

/* Frees memory of a device or, for HOST, pinned memory; freeing it as memory of another is an
 * error. */
cudaError_t free_memory(void *memory, int device) {
    guard held(lock);
    if (cudaError_t error = while_capturing()) return error;
    auto found = memories.find((char *)memory);
    if (!memory) return cudaSuccess;
    if (found == memories.end() || found->second.device != device) {
        fprintf(stderr, "emulation: memory is freed on another device than its own\n");
        return settings.error = cudaErrorInvalidValue;
    }
    end_memory(found);
    return cudaSuccess;
}

/* The kernel of a launch: `written` is what CUDA_LAUNCH() has as its name, "(each_row<DTYPE,
 * Body>)", `parameters` the mangled type of its parameters, in which Body is named. Both are
 * literals, which are looked up by their addresses. */
counted_kernel *kernel_of(const char *written, const char *parameters) {
    static std::map<std::pair<const char *, const char *>, counted_kernel *> seen;
    static const std::regex function("\\w+"), body("\\w+_body(<[^<>]*>)?");
    counted_kernel *&kernel = seen[{written, parameters}];
    if (kernel) return kernel;
    std::cmatch found;
    std::string name = std::regex_search(written, found, function) ? found.str() : "";
    int failed = 0;
    char *readable = abi::__cxa_demangle(parameters, nullptr, nullptr, &failed);
    if (readable && std::regex_search(readable, found, body)) name += "<" + found.str() + ">";
    free(readable);
    for (counted_kernel &known : kernels)
        if (known.name == name) return kernel = &known;
    kernels.push_back({name, emu_kernel_work()});
    return kernel = &kernels.back();
}

/* Refuses memory that an asynchronous copy must not use: host memory that is not pinned, with which
 * it might wait or not, and memory of another device, to which there may be no path. */
bool copyable(const void *pointer) {
    auto at = find(pointer);
    if (at != memories.end() && (at->second.device < 0 || at->second.device == current_device()))
        return true;
    fprintf(stderr, "emulation: a copy in a stream from or to memory that is not pinned, or of "
                    "another device\n");
    settings.error = cudaErrorInvalidValue;
    return false;
}
} // namespace

uint64_t next_random() {
    uint64_t z = settings.random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

int device_now() {
    guard held(lock);
    return current_device();
}

cudaError_t queue_work(cudaStream_t stream, std::function<void()> what) {
    guard held(lock);
    int device = current_device();
    work[device].launches++;
    return put(stream, [=] { operate(device, what); });
}

bool device_has(int device, const void *memory, size_t bytes) {
    guard held(lock);
    auto at = find(memory);
    if (at == memories.end() || (at->second.device != device && at->second.device != SHARED))
        return false;
    return bytes <= at->second.bytes - (size_t)((const char *)memory - at->first);
}

bool filters(bool pays) {
    guard held(lock);
    return settings.filters < 0 ? pays : settings.filters > 0;
}

void launch(dim3 blocks, dim3 threads, size_t shared, void *stream, const char *written,
            const char *parameters, std::function<void()> body) {
    guard held(lock);
    int device = current_device();
    counted_kernel *kernel = kernel_of(written, parameters);
    uint64_t grid = (uint64_t)blocks.x * blocks.y * blocks.z;
    work[device].launches++;
    last_kernel = kernel;
    kernel->work.launches++;
    kernel->work.blocks += grid;
    kernel->work.threads += grid * threads.x * threads.y * threads.z;
    put((cudaStream_t)stream, [=] {
        operate(device, [&] { run_grid(blocks, threads, shared, kernel->name.c_str(), body); });
    });
}
} // namespace emu

using namespace emu;

const char *cudaGetErrorString(cudaError_t error) {
    if (error == cudaErrorMemoryAllocation) return "out of memory";
    if (error == cudaErrorLaunchFailure) return "unspecified launch failure";
    return error ? "an error of the emulation" : "no error";
}
cudaError_t cudaGetLastError() {
    guard held(lock);
    cudaError_t error = settings.error ? settings.error : not_ready;
    settings.error = cudaSuccess; /* kinder than a device, so that a test can go on */
    not_ready = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError() {
    guard held(lock);
    return settings.error ? settings.error : not_ready;
}
cudaError_t cudaDriverGetVersion(int *out) {
    *out = driver_version;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *out) {
    *out = EMU_DEVICES;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *out) {
    *out = contexts.empty() || !contexts.back() ? 0 : contexts.back()->device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    guard held(lock);
    if (device < 0 || device >= EMU_DEVICES) return cudaErrorInvalidDevice;
    if (contexts.empty()) contexts.push_back(nullptr);
    contexts.back() = primary_of(device);
    return cudaSuccess;
}
CUresult cuInit(unsigned) {
    return cudaSuccess;
}
CUresult cuDeviceGet(CUdevice *out, int ordinal) {
    *out = ordinal;
    return ordinal >= 0 && ordinal < EMU_DEVICES ? cudaSuccess : cudaErrorInvalidDevice;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    guard held(lock);
    *out = primary_of(device);
    return cudaSuccess;
}
CUresult cuCtxGetId(CUcontext context, unsigned long long *out) {
    guard held(lock);
    *out = context->id;
    return context->active ? cudaSuccess : cudaErrorContextIsDestroyed;
}
CUresult cuCtxPushCurrent(CUcontext context) {
    guard held(lock);
    if (!context->active) return cudaErrorContextIsDestroyed;
    contexts.push_back(context);
    return cudaSuccess;
}
CUresult cuCtxPopCurrent(CUcontext *out) {
    if (contexts.empty()) return cudaErrorInvalidContext;
    *out = contexts.back();
    contexts.pop_back();
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *out, cudaDeviceAttr what, int device) {
    guard held(lock);
    if (device < 0 || device >= EMU_DEVICES) return cudaErrorInvalidDevice;
    *out = what == cudaDevAttrComputeCapabilityMajor ? capabilities[device]
           : what == cudaDevAttrL2CacheSize          ? device_cache
           : what == cudaDevAttrMultiProcessorCount  ? multiprocessors
           : what == cudaDevAttrMemoryPoolsSupported ? pools_there
                                                     : 0;
    return cudaSuccess;
}
cudaError_t cudaMalloc(void **out, size_t bytes) {
    guard held(lock);
    work[current_device()].allocations++;
    return allocate(out, bytes, current_device());
}
cudaError_t cudaFree(void *memory) {
    guard held(lock);
    int device = current_device();
    if (memory) work[device].device_waits++, work[device].frees++;
    return free_memory(memory, device);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props) {
    /* Known for ever, as memory of a pool names it. */
    static std::vector<emu_pool *> &made = *new std::vector<emu_pool *>();
    guard held(lock);
    if (!pools_there) return settings.error = cudaErrorNotSupported;
    made.push_back(*out = new emu_pool{props->location.id});
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void *value) {
    guard held(lock);
    pool->threshold = *(uint64_t *)value;
    return not_lost(pool);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
    guard held(lock);
    if (cudaError_t error = not_lost(pool)) return error;
    shrink(pool, bytes);
    return cudaSuccess;
}
/* Memory that the stream may use from now on, and the host not at all: before that it may still be
 * another one's, whose content the stream then overwrites. */
cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    guard held(lock);
    cudaError_t error = while_capturing();
    if (!error) error = not_lost(pool);
    if (error) return error;
    emu_stream *queue = stream_of(stream);
    char *found = nullptr;
    for (const auto &m : memories)
        if (m.second.pool == pool && m.second.bytes >= bytes && m.second.bytes / 2 <= bytes &&
            is_free(m.second, queue) && (!found || m.second.bytes < memories[found].bytes))
            found = m.first;
    if (!found) {
        work[pool->device].allocations++;
        error = allocate(out, bytes, pool->device);
        if (error) return error;
        found = (char *)*out;
        memories[found].pool = pool;
        memories[found].used = false;
    }
    memories[found].idle = false;
    *out = found;
    return put(
        stream,
        [=] {
            operate(queue->device, [=] {
                auto at = memories.find(found);
                if (at == memories.end()) return; /* the device was reset */
                at->second.used = true;
                set_accessible(at->second.device, true);
                memset(found, 0xff, at->second.bytes);
            });
        },
        true);
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream) {
    guard held(lock);
    cudaError_t error = while_capturing();
    auto at = find(memory);
    if (error) return error;
    if (at == memories.end() || at->first != memory || !at->second.pool) {
        fprintf(stderr, "emulation: what is freed in a stream is no memory of a pool\n");
        return settings.error = cudaErrorInvalidValue;
    }
    char *first = at->first;
    int device = at->second.device;
    error = put(
        stream,
        [=] {
            operate(device, [=] {
                auto mine = memories.find(first);
                if (mine == memories.end()) return;
                memset(first, 0xff, mine->second.bytes);
                mine->second.used = false;
            });
        },
        true);
    if (error) return error;
    at->second.idle = true;
    at->second.freed_in = stream_of(stream);
    at->second.freed_at = at->second.freed_in->issued;
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total) {
    guard held(lock);
    int device = current_device();
    *total = device_capacity;
    *unused = device_capacity > device_bytes[device] ? device_capacity - device_bytes[device] : 0;
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned) {
    guard held(lock);
    if (!count_object()) return cudaErrorMemoryAllocation;
    work[current_device()].allocations++;
    return allocate(out, bytes, HOST);
}
cudaError_t cudaFreeHost(void *memory) {
    guard held(lock);
    if (memory) objects--;
    if (memory) work[current_device()].device_waits++, work[current_device()].frees++;
    return free_memory(memory, HOST);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *pointer) {
    guard held(lock);
    auto at = find(pointer);
    out->type = at == memories.end()          ? cudaMemoryTypeUnregistered
                : at->second.device == HOST   ? cudaMemoryTypeHost
                : at->second.device == SHARED ? cudaMemoryTypeManaged
                                              : cudaMemoryTypeDevice;
    out->device = out->type == cudaMemoryTypeDevice ? at->second.device : 0;
    return cudaSuccess;
}
/* All copies come here: they are queued, after a check of both ends. by_row: they were asked for by
 * cudaMemcpy2DAsync(). */
static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, cudaStream_t stream, bool by_row) {
    guard held(lock);
    if (width > to_pitch || width > from_pitch) {
        fprintf(stderr, "emulation: a copy of rows that overlap\n");
        return cudaErrorInvalidPitchValue;
    }
    if (width == 0 || height == 0) return cudaSuccess;
    if (!copyable(to) || !copyable(from)) return cudaErrorInvalidValue;
    int device = current_device();
    emu_work *counted = &work[device];
    bool from_host = find(from)->second.device < 0, to_host = find(to)->second.device < 0;
    if (from_host && !to_host) counted->copies_in++, counted->bytes_in += width * height;
    if (to_host && !from_host) counted->copies_out++, counted->bytes_out += width * height;
    if (!to_host && !from_host) counted->copies_within++, counted->bytes_within += width * height;
    if (by_row) counted->copies_by_row++;
    return put(stream, [=] {
        operate(device, [&] {
            for (size_t i = 0; i < height; i++)
                memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        });
    });
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind, cudaStream_t stream) {
    return copy_rows(to, to_pitch, from, from_pitch, width, height, stream, true);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
    return copy_rows(to, bytes, from, bytes, bytes, 1 /* row */, stream, false);
}
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream) {
    guard held(lock);
    int device = current_device();
    work[device].clears++;
    work[device].bytes_cleared += bytes;
    return put(stream, [=] { operate(device, [&] { memset(to, byte, bytes); }); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned) {
    guard held(lock);
    if (!count_object()) return cudaErrorMemoryAllocation;
    streams_made.insert(*out = new emu_stream(current_device()));
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    /* Events that were recorded in it, and waits for them, live on. */
    static std::vector<emu_stream *> &destroyed = *new std::vector<emu_stream *>();
    guard held(lock);
    run_to(stream, stream->issued);
    if (streams_made.erase(stream)) objects--;
    destroyed.push_back(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *out) {
    guard held(lock);
    emu_stream *queue = stream_of(stream);
    *out = capturing && queue == capturing ? cudaStreamCaptureStatusActive
                                           : cudaStreamCaptureStatusNone;
    return waits_for_capture(queue) ? settings.error = cudaErrorStreamCaptureImplicit : cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
    std::swap(*mode, capture_mode);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    guard held(lock);
    if (capturing && stream_of(stream) == capturing)
        return spoil_capture(cudaErrorStreamCaptureUnsupported);
    if (cudaError_t error = not_lost(stream_of(stream))) return error;
    wait_for(stream_of(stream), stream_of(stream)->issued, &emu_work::stream_waits);
    shrink_all();
    return settings.error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    guard held(lock);
    emu_event waits = *event;
    if (cudaError_t error = not_lost(event)) return error;
    if (waits.stream && waits.stream != stream_of(stream))
        return put(stream, [=] { run_to(waits.stream, waits.position); });
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned) {
    guard held(lock);
    if (!count_object()) return cudaErrorMemoryAllocation;
    events_made.insert(*out = new emu_event(current_device()));
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    guard held(lock);
    if (events_made.erase(event)) objects--;
    delete event;
    return cudaSuccess;
}
/* The event passes when what is in the stream now is done. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    guard held(lock);
    if (cudaError_t error = not_lost(event)) return error;
    if (event->device != stream_of(stream)->device) {
        fprintf(stderr, "emulation: an event of one device in a stream of another\n");
        return settings.error = cudaErrorInvalidHandle;
    }
    if (waits_for_capture(stream_of(stream))) return spoil_capture(cudaErrorStreamCaptureImplicit);
    if (stream_of(stream) == capturing) captured++;
    event->stream = stream_of(stream);
    event->position = event->stream->issued;
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    guard held(lock);
    if (cudaError_t error = while_capturing()) return error;
    if (cudaError_t error = not_lost(event)) return error;
    bool done = !event->stream || event->stream->done >= event->position;
    return done ? cudaSuccess : not_ready = cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    guard held(lock);
    if (cudaError_t error = not_lost(event)) return error;
    if (event->stream) wait_for(event->stream, event->position, &emu_work::event_waits);
    shrink_all();
    return settings.error;
}

void alcore_emu_mode(int order, uint64_t seed, int perturb) {
    guard held(lock);
    settings.order = order;
    settings.random = seed;
    settings.perturb = perturb;
}
void alcore_emu_cache(int bytes) {
    guard held(lock);
    device_cache = bytes;
}
void alcore_emu_memory(size_t bytes) {
    guard held(lock);
    device_capacity = bytes;
}
emu_work alcore_emu_work(int device) {
    guard held(lock);
    if (device != EMU_ALL) return work[device];
    emu_work sum = work[0];
    for (int d = 1; d < EMU_DEVICES; d++)
        for (size_t i = 0; i < sizeof sum / sizeof(uint64_t); i++)
            ((uint64_t *)&sum)[i] += ((const uint64_t *)&work[d])[i];
    return sum;
}
emu_kernel_work alcore_emu_kernel(const char *name) {
    guard held(lock);
    for (const counted_kernel &kernel : kernels)
        if (kernel.name == name) return kernel.work;
    return emu_kernel_work();
}
const char *alcore_emu_kernel_name(int index) {
    guard held(lock);
    return index >= 0 && (size_t)index < kernels.size() ? kernels[(size_t)index].name.c_str()
                                                        : nullptr;
}
int alcore_emu_primary(int device) {
    guard held(lock);
    return primary_made[device];
}
void *alcore_emu_context(void) {
    return contexts.empty() ? nullptr : contexts.back();
}
void *alcore_emu_context_new(int device) {
    /* Known for ever, so that no leak is reported. */
    static std::vector<emu_context *> &made = *new std::vector<emu_context *>();
    made.push_back(new emu_context{device, false});
    return made.back();
}
void alcore_emu_context_set(void *context) {
    contexts.assign(context ? 1 : 0, (emu_context *)context);
}
void alcore_emu_share(void *memory, size_t bytes) {
    guard held(lock);
    memories[(char *)memory] = {bytes ? bytes : 1, SHARED, SHARED};
}
void alcore_emu_unshare(void *memory) {
    guard held(lock);
    memories.erase((char *)memory);
}
void alcore_emu_device(int device) {
    test_device = device;
}
void alcore_emu_filters(int always) {
    guard held(lock);
    settings.filters = always;
}
uint64_t alcore_emu_counted(int event) {
    guard held(lock);
    return settings.events[event];
}
uint64_t alcore_emu_arrivals(void) {
    guard held(lock);
    return settings.arrivals;
}
void *alcore_emu_new(size_t bytes) {
    void *memory;
    return allocate(&memory, bytes, test_device) == cudaSuccess ? memory : nullptr;
}
void alcore_emu_free(void *memory) {
    auto at = memories.find((char *)memory);
    if (at != memories.end()) free_memory(memory, at->second.device);
}
void alcore_emu_copy(void *to, const void *from, size_t bytes) {
    guard held(lock);
    for (int device = 0; device < EMU_DEVICES; device++) {
        run_to(&default_streams[device], default_streams[device].issued);
        set_accessible(device, true);
    }
    memcpy(to, from, bytes);
    for (int device = 0; device < EMU_DEVICES; device++) set_accessible(device, false);
}
void alcore_emu_fail_object(int64_t number) {
    guard held(lock);
    failing_object = number;
}
int64_t alcore_emu_objects(void) {
    guard held(lock);
    return objects;
}
void *alcore_emu_stream(void) {
    guard held(lock);
    objects++;
    emu_stream *made = new emu_stream(test_device);
    streams_made.insert(made);
    return made;
}
int alcore_emu_wait(void *stream) {
    guard held(lock);
    emu_stream *queue = stream_on(test_device, (cudaStream_t)stream);
    run_to(queue, queue->issued);
    return settings.error;
}
void alcore_emu_queue(void *stream, void *destination, const void *source, size_t bytes) {
    guard held(lock);
    emu_stream *queue = stream_on(test_device, (cudaStream_t)stream);
    int device = queue->device;
    queue->queue.push_back(
        {[=] { operate(device, [&] { memcpy(destination, source, bytes); }); }, false});
    queue->issued++;
}
void alcore_emu_capture(void *stream, int blocking) {
    guard held(lock);
    capturing = (emu_stream *)stream;
    capture_blocks = blocking;
    capture_spoilt = false;
    captured = 0;
}
int64_t alcore_emu_capture_end(void) {
    guard held(lock);
    capturing = nullptr;
    return capture_spoilt ? -1 : captured;
}
int alcore_emu_capture_mode(void) {
    return capture_mode;
}
void alcore_emu_capability(int device, int major) {
    guard held(lock);
    capabilities[device] = major;
}
void alcore_emu_multiprocessors(int count) {
    guard held(lock);
    multiprocessors = count;
}
void alcore_emu_pools(int there) {
    guard held(lock);
    pools_there = there;
}
void alcore_emu_reset(int device) {
    guard held(lock);
    for (auto at = memories.begin(); at != memories.end();) {
        auto next = std::next(at);
        if (at->second.pool && at->second.owner == device) at->second.pool->lost = true;
        if (at->second.device == HOST && at->second.owner == device) objects--;
        if (at->second.owner == device) end_memory(at);
        at = next;
    }
    for (emu_stream *stream : std::set<emu_stream *>(streams_made)) {
        if (stream->device != device) continue;
        stream->lost = true;
        lost_objects.push_back(stream);
        stream->queue.clear();
        stream->done = stream->issued;
        objects--;
        streams_made.erase(stream);
    }
    for (emu_event *event : std::set<emu_event *>(events_made)) {
        if (event->device != device) continue;
        event->lost = true;
        lost_objects.push_back(event);
        objects--;
        events_made.erase(event);
    }
    default_streams[device].queue.clear();
    default_streams[device].done = default_streams[device].issued;
    primaries[device].active = false;
}
void alcore_emu_driver(int version) {
    guard held(lock);
    driver_version = version;
}
void alcore_emu_queue_failure(void *stream) {
    guard held(lock);
    emu_stream *queue = stream_on(test_device, (cudaStream_t)stream);
    queue->queue.push_back({[] { settings.error = cudaErrorLaunchFailure; }, false});
    queue->issued++;
}
void alcore_emu_stream_free(void *stream) {
    cudaStreamDestroy((cudaStream_t)stream);
}
