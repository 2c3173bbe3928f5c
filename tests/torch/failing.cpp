/* SPDX-License-Identifier: Apache-2.0 */
/* Failures inside a call of the torch engine, one at a time: of memory that C++ takes, of memory
 * for tensors, and of operations of torch. A test loads this library before the engine, so that its
 * operator new is that of the process, and its allocator and its operations are those of torch.
 * They fail in the thread that asked for it, and count what that thread has not freed. */
#include <cstdlib>
#include <new>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/alloc_cpu.h>
#include <torch/library.h>

namespace {

enum Kind { NONE, MEMORY, TENSORS, OPERATIONS };

thread_local Kind kind = NONE;     /* of what is counted */
thread_local int64_t passed, last; /* the points so far; the one that fails, 0: none */
thread_local void (*instead)();    /* what an operation does in place of failing; may be NULL */
thread_local int64_t blocks;       /* of either memory, not freed */

/* Whether this point is the one that fails. */
bool is_last(Kind of) {
    return kind == of && ++passed == last;
}

void *take(size_t bytes) {
    void *memory = is_last(MEMORY) ? nullptr : std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    blocks++;
    return memory;
}

void leave(void *memory) noexcept {
    if (memory == nullptr) return;
    blocks--;
    std::free(memory);
}

/* ---- memory of tensors ---- */

void leave_tensor(void *memory) {
    if (memory != nullptr) blocks--;
    c10::free_cpu(memory);
}

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) override {
        /* The words of alloc_cpu() where posix_memalign() fails. */
        TORCH_CHECK(!is_last(TENSORS),
                    "DefaultCPUAllocator: can't allocate memory: you tried to "
                    "allocate ",
                    bytes, " bytes. Error code 12");
        void *data = c10::alloc_cpu(bytes);
        if (data != nullptr) blocks++;
        return {data, data, leave_tensor, c10::Device(c10::kCPU)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return leave_tensor; }
    void copy_data(void *to, const void *from, size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
};
Memory memory;

/* ---- operations ---- */

constexpr auto KEY = c10::DispatchKey::TESTING_ONLY_GenericMode;

/* Goes before every operation while OPERATIONS are counted. */
void count(const c10::OperatorHandle &operation, c10::DispatchKeySet keys, torch::jit::Stack *all) {
    if (is_last(OPERATIONS)) {
        TORCH_CHECK(instead != nullptr, "operation ", operation.schema().name(), " has failed");
        instead();
    }
    operation.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, KEY),
                              all);
}

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&count>());
}

} // namespace

void *operator new(size_t bytes) {
    return take(bytes);
}
void operator delete(void *data) noexcept {
    leave(data);
}
void operator delete(void *data, size_t) noexcept {
    leave(data);
}

/* Makes point `at` of a kind fail (1 is the next; 0: none), or an operation call `then`. */
extern "C" void failing_begin(int of, int64_t at, void (*then)()) {
    static const bool once = (c10::SetCPUAllocator(&memory, 1), true);
    (void)once;
    passed = 0;
    last = at;
    instead = then;
    kind = static_cast<Kind>(of);
    c10::impl::tls_set_dispatch_key_included(KEY, kind == OPERATIONS);
}

/* Ends that; returns the points that were passed. */
extern "C" int64_t failing_end() {
    kind = NONE;
    c10::impl::tls_set_dispatch_key_included(KEY, false);
    return passed;
}

extern "C" int64_t failing_blocks() {
    return blocks;
}
