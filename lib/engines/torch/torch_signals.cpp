/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "torch_parallel.h"
#include "torch_signals.h"

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

void keep_signals_from_workers() {
    pthread_t caller = pthread_self();
    on_every_thread(hold_here, &caller);
}

} // namespace alcore_torch
