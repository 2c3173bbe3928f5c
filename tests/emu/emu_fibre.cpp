/* SPDX-License-Identifier: Apache-2.0 */
/* Fibres (emu_fibre.h) by switching stacks in a few instructions on x86-64, by swapcontext()
 * elsewhere. A stack has a guard page below it. */
#include "emu_fibre.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define EMU_ADDRESS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ADDRESS 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define EMU_RACE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define EMU_RACE 1
#endif
#endif

#ifdef EMU_ADDRESS
extern "C" {
void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *size);
void __asan_unpoison_memory_region(void const volatile *memory, size_t size);
}
#endif
#ifdef EMU_RACE
extern "C" {
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
}
#endif

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#define EMU_VALGRIND 1
#endif
#endif

namespace emu {
namespace {
const size_t STACK = 128 << 10;
#ifdef EMU_ADDRESS
const size_t FIRST_FRAMES = 4 << 10;
#endif
fibre *arriving; /* the fibre that a switch leads to, and the one it leaves */
fibre *leaving;

#if defined(__x86_64__)
/* Saves the registers that a call preserves and the stack pointer, and loads those of the other
 * fibre. By hand, because swapcontext() makes a system call each time. */
extern "C" void emu_switch_stacks(void **save, void *load);
asm(".text\n.globl emu_switch_stacks\n.hidden emu_switch_stacks\n"
    ".type emu_switch_stacks,@function\nemu_switch_stacks:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
    ".size emu_switch_stacks,.-emu_switch_stacks\n");
#endif

/* Maps a stack of STACK bytes with a guard page below. */
void new_stack(fibre *made) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(nullptr, STACK + page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) {
        fprintf(stderr, "emulation: no memory for a stack\n");
        abort();
    }
    made->stack = (char *)memory + page;
    made->bytes = STACK;
#ifdef EMU_VALGRIND
    VALGRIND_STACK_REGISTER(made->stack, (char *)made->stack + STACK - 1);
#endif
}
} // namespace

/* Writes a stack as if main() had been about to be entered by a return: its address, an empty
 * return address above it, and six zero registers below (x86-64). */
void fibre_prepare(fibre *made, void (*main)(), [[maybe_unused]] bool given_up) {
    if (!made->stack) new_stack(made);
#ifdef EMU_ADDRESS
    /* Frames that did not return are poisoned still: those of a kernel that was given up, and in
     * the first FIRST_FRAMES bytes those of main() itself. */
    const size_t poisoned = given_up ? made->bytes : FIRST_FRAMES;
    __asan_unpoison_memory_region((char *)made->stack + made->bytes - poisoned, poisoned);
    made->fake = nullptr;
#endif
#ifdef EMU_RACE
    if (!made->race) made->race = __tsan_create_fiber(0);
#endif
#if defined(__x86_64__)
    void **top = (void **)((char *)made->stack + made->bytes) - 1;
    *top = nullptr; /* nobody returns from main: the stack is as after a call */
    *--top = (void *)main;
    top -= 6;
    for (int i = 0; i < 6; i++) top[i] = nullptr;
    made->resume = top;
#else
    if (!made->resume) made->resume = malloc(sizeof(ucontext_t));
    ucontext_t *context = (ucontext_t *)made->resume;
    if (!context || getcontext(context) != 0) abort();
    context->uc_stack.ss_sp = made->stack;
    context->uc_stack.ss_size = made->bytes;
    context->uc_link = nullptr;
    makecontext(context, main, 0);
#endif
}

/* To be called first on the stack that a switch leads to: tells AddressSanitizer. */
static void arrived() {
#ifdef EMU_ADDRESS
    const void *bottom;
    size_t size;
    __sanitizer_finish_switch_fiber(arriving->fake, &bottom, &size);
    if (!leaving->stack) { /* the thread's own stack is known from here on */
        leaving->stack = (void *)(uintptr_t)bottom;
        leaving->bytes = size;
    }
#endif
}

void fibre_begun() {
    arrived();
}

/* Tells the sanitizers where the switch leads, switches, and after the switch back, arrived() tells
 * them that this stack runs again. */
void fibre_switch(fibre *from, fibre *to) {
    leaving = from;
    arriving = to;
#ifdef EMU_ADDRESS
    __sanitizer_start_switch_fiber(&from->fake, to->stack, to->bytes);
#endif
#ifdef EMU_RACE
    if (!from->race) from->race = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->race, 0);
#endif
#if defined(__x86_64__)
    emu_switch_stacks(&from->resume, to->resume);
#else
    if (!from->resume) from->resume = malloc(sizeof(ucontext_t));
    if (!from->resume) abort();
    swapcontext((ucontext_t *)from->resume, (ucontext_t *)to->resume);
#endif
    arrived();
}
} // namespace emu
