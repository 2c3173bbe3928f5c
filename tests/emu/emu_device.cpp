/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, streams and events. Nothing that was put into a stream runs before somebody waits for it,
 * and between two operations no memory of the device may be touched. */
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "emu_state.h"

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ADDRESS 1
#endif
#endif
#ifdef EMU_ADDRESS
extern "C" {
void __asan_poison_memory_region(void const volatile *memory, size_t size);
void __asan_unpoison_memory_region(void const volatile *memory, size_t size);
}
#endif

struct emu_stream {
    std::deque<std::function<void()>> queue;
    uint64_t issued = 0, done = 0;
    bool runs = false;
};

struct emu_event {
    emu_stream *stream = nullptr; /* NULL: not recorded yet */
    uint64_t position = 0;
};

namespace emu {
state settings;

namespace {
std::recursive_mutex lock;
typedef std::lock_guard<std::recursive_mutex> guard;

struct memory {
    size_t bytes;
    bool device;
};
std::map<char *, memory> memories;
size_t device_bytes, device_most = (size_t)-1;
int depth; /* operations that run */
thread_local int device_number;
emu_stream default_stream;

void begin_settings() {
    const char *order = getenv("ALCORE_EMU_ORDER"), *seed = getenv("ALCORE_EMU_SEED");
    if (order && strcmp(order, "ascending") == 0) settings.order = EMU_ASCENDING;
    if (order && strcmp(order, "descending") == 0) settings.order = EMU_DESCENDING;
    if (seed) settings.random = strtoull(seed, nullptr, 10);
    settings.perturb = getenv("ALCORE_EMU_PERTURB") != nullptr;
}
const int begun = (begin_settings(), 1);

void touchable(bool yes) {
#ifdef EMU_ADDRESS
    for (const auto &m : memories) {
        if (!m.second.device) continue;
        if (yes)
            __asan_unpoison_memory_region(m.first, m.second.bytes);
        else
            __asan_poison_memory_region(m.first, m.second.bytes);
    }
#else
    (void)yes;
#endif
}

/* The memory that pointer is in, or the end. */
std::map<char *, memory>::iterator find(const void *pointer) {
    auto at = memories.upper_bound((char *)pointer);
    if (at == memories.begin()) return memories.end();
    --at;
    return (char *)pointer < at->first + at->second.bytes ? at : memories.end();
}

emu_stream *stream_of(cudaStream_t stream) {
    return stream ? stream : &default_stream;
}

void put(cudaStream_t stream, std::function<void()> what) {
    emu_stream *to = stream_of(stream);
    to->queue.push_back(std::move(what));
    to->issued++;
}

/* Runs a stream until `position` operations of it are done. */
void run_to(emu_stream *stream, uint64_t position) {
    if (stream->runs) return; /* it waits for a wait of its own */
    stream->runs = true;
    while (stream->done < position) {
        std::function<void()> next = std::move(stream->queue.front());
        stream->queue.pop_front();
        if (!settings.error) next();
        stream->done++;
    }
    stream->runs = false;
}

void operate(const std::function<void()> &what) {
    fenv_t before; /* a device knows nothing of the host's rounding */
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    if (depth++ == 0) touchable(true);
    what();
    if (--depth == 0) touchable(false);
    fesetenv(&before);
}

cudaError_t allocate(void **out, size_t bytes, bool device) {
    guard held(lock);
    *out = nullptr;
    if (device && (bytes > device_most || device_bytes > device_most - bytes))
        return cudaErrorMemoryAllocation;
    char *memory = (char *)malloc(bytes ? bytes : 1);
    if (!memory) return cudaErrorMemoryAllocation;
    memset(memory, 0xff, bytes ? bytes : 1);
    memories[memory] = {bytes ? bytes : 1, device};
    if (device) device_bytes += bytes ? bytes : 1;
    if (depth == 0) touchable(false);
    *out = memory;
    return cudaSuccess;
}

cudaError_t give_back(void *memory, bool device) {
    guard held(lock);
    auto at = memories.find((char *)memory);
    if (!memory) return cudaSuccess;
    if (at == memories.end() || at->second.device != device) return cudaErrorInvalidValue;
#ifdef EMU_ADDRESS
    __asan_unpoison_memory_region(at->first, at->second.bytes);
#endif
    if (device) device_bytes -= at->second.bytes;
    memories.erase(at);
    free(memory);
    return cudaSuccess;
}

/* Host memory that is not pinned would make a copy wait, or not: no code may count on either. */
bool copyable(const void *pointer) {
    if (find(pointer) != memories.end()) return true;
    fprintf(stderr, "emulation: a copy in a stream from or to memory that is not pinned\n");
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

bool filters(bool pays) {
    guard held(lock);
    return settings.filters < 0 ? pays : settings.filters > 0;
}

void launch(dim3 blocks, dim3 threads, size_t shared, void *stream, const char *name,
            std::function<void()> body) {
    guard held(lock);
    put((cudaStream_t)stream,
        [=] { operate([&] { run_grid(blocks, threads, shared, name, body); }); });
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
    cudaError_t error = settings.error;
    settings.error = cudaSuccess; /* kinder than a device, so that a test can go on */
    return error;
}
cudaError_t cudaPeekAtLastError() {
    guard held(lock);
    return settings.error;
}
cudaError_t cudaDriverGetVersion(int *out) {
    *out = 13000;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *out) {
    *out = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *out) {
    *out = device_number;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    device_number = device;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *out, cudaDeviceAttr what, int device) {
    *out = what == cudaDevAttrComputeCapabilityMajor ? 8 : 0;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaMalloc(void **out, size_t bytes) {
    return allocate(out, bytes, true);
}
cudaError_t cudaFree(void *memory) {
    return give_back(memory, true);
}
cudaError_t cudaMemGetInfo(size_t *unused, size_t *total) {
    guard held(lock);
    *total = device_most;
    *unused = device_most > device_bytes ? device_most - device_bytes : 0;
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned) {
    return allocate(out, bytes, false);
}
cudaError_t cudaFreeHost(void *memory) {
    return give_back(memory, false);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *pointer) {
    guard held(lock);
    auto at = find(pointer);
    out->type = at == memories.end() ? cudaMemoryTypeUnregistered
                : at->second.device  ? cudaMemoryTypeDevice
                                     : cudaMemoryTypeHost;
    out->device = 0;
    return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind, cudaStream_t stream) {
    guard held(lock);
    if (width == 0 || height == 0) return cudaSuccess;
    if (!copyable(to) || !copyable(from)) return cudaErrorInvalidValue;
    put(stream, [=] {
        operate([&] {
            for (size_t i = 0; i < height; i++)
                memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
        });
    });
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream) {
    guard held(lock);
    put(stream, [=] { operate([&] { memset(to, byte, bytes); }); });
    return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned) {
    *out = new emu_stream();
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    /* Events that were recorded in it, and waits for them, live on. */
    static std::vector<emu_stream *> &destroyed = *new std::vector<emu_stream *>();
    cudaStreamSynchronize(stream);
    guard held(lock);
    destroyed.push_back(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    guard held(lock);
    run_to(stream_of(stream), stream_of(stream)->issued);
    return settings.error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    guard held(lock);
    emu_event waits = *event;
    if (waits.stream && waits.stream != stream_of(stream))
        put(stream, [=] { run_to(waits.stream, waits.position); });
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned) {
    *out = new emu_event();
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    guard held(lock);
    event->stream = stream_of(stream);
    event->position = event->stream->issued;
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
    guard held(lock);
    bool done = !event->stream || event->stream->done >= event->position;
    return done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    guard held(lock);
    if (event->stream) run_to(event->stream, event->position);
    return settings.error;
}

void alcore_emu_mode(int order, uint64_t seed, int perturb) {
    guard held(lock);
    settings.order = order;
    settings.random = seed;
    settings.perturb = perturb;
}
void alcore_emu_memory(size_t bytes) {
    guard held(lock);
    device_most = bytes;
}
void alcore_emu_filters(int always) {
    guard held(lock);
    settings.filters = always;
}
uint64_t alcore_emu_counted(int way) {
    guard held(lock);
    return settings.ways[way];
}
uint64_t alcore_emu_arrivals(void) {
    guard held(lock);
    return settings.arrivals;
}
void *alcore_emu_new(size_t bytes) {
    void *memory;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
}
void alcore_emu_free(void *memory) {
    cudaFree(memory);
}
void alcore_emu_copy(void *to, const void *from, size_t bytes) {
    guard held(lock);
    run_to(&default_stream, default_stream.issued);
    operate([&] { memcpy(to, from, bytes); });
}
void *alcore_emu_stream(void) {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
}
int alcore_emu_wait(void *stream) {
    return cudaStreamSynchronize((cudaStream_t)stream);
}
void alcore_emu_stream_free(void *stream) {
    cudaStreamDestroy((cudaStream_t)stream);
}
