/* SPDX-License-Identifier: Apache-2.0 */
/* Fibres: stacks that switch to each other inside one operating-system thread; each thread of a
 * CUDA block is one. The address and thread sanitizers and valgrind are told of every switch. */
#ifndef EMU_FIBRE_H
#define EMU_FIBRE_H

#include <cstddef>

namespace emu {
struct fibre {
    void *stack = nullptr; /* lowest byte; NULL: the thread's own */
    size_t bytes = 0;
    void *resume = nullptr; /* its stack pointer, or its ucontext */
    void *fake = nullptr;   /* of the address sanitizer */
    void *race = nullptr;   /* of the thread sanitizer */
};

/* Makes or renews a fibre that will call main(), which never returns. given_up: whether it may have
 * been in the middle of what main() calls. */
void fibre_prepare(fibre *made, void (*main)(), bool given_up);
/* Saves the running fibre in `from` and continues `to`; returns when somebody switches to `from`.
 */
void fibre_switch(fibre *from, fibre *to);
/* Must be the first call in main() of a fibre. */
void fibre_begun();
} // namespace emu

#endif
