/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include <ATen/Parallel.h>

#include "torch_signals.h"

/* Of the OpenMP that torch brings along (GNU's, or another that has its entries), in whose threads
 * torch computes; nullptr: of a torch without it. */
extern "C" void GOMP_parallel(void (*function)(void *), void *data, unsigned threads,
                              unsigned flags) __attribute__((weak));

namespace alcore_torch {

/* What holds the signals of this thread; nullptr: nothing does. */
static thread_local const HeldSignals *holder;

static sigset_t asynchronous_signals() {
    sigset_t all;
    sigfillset(&all);
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
        sigdelset(&all, number);
    return all;
}

HeldSignals::HeldSignals() : outer_(holder) {
    const sigset_t all = asynchronous_signals();
    pthread_sigmask(SIG_BLOCK, &all, &before_);
    holder = this;
}

HeldSignals::~HeldSignals() {
    holder = outer_;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

DeliveredSignals::DeliveredSignals() : outer_(holder) {
    if (outer_ == nullptr) return;
    holder = nullptr;
    pthread_sigmask(SIG_SETMASK, &outer_->before_, &held_);
}

DeliveredSignals::~DeliveredSignals() {
    if (outer_ == nullptr) return;
    pthread_sigmask(SIG_SETMASK, &held_, nullptr);
    holder = outer_;
}

/* Where this is not the caller's thread. */
static void hold_here(void *caller) {
    const sigset_t all = asynchronous_signals();
    if (!pthread_equal(pthread_self(), *static_cast<const pthread_t *>(caller)))
        pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

/* at::parallel_for() is a template, which has threads only where it is compiled with OpenMP. */
void keep_signals_from_workers() {
    pthread_t caller = pthread_self();
    if (GOMP_parallel != nullptr)
        GOMP_parallel(hold_here, &caller, static_cast<unsigned>(at::get_num_threads()), 0);
}

} // namespace alcore_torch
