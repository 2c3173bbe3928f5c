/* SPDX-License-Identifier: Apache-2.0 */
/* Signals wait while the module computes.
 *
 * For some shapes oneDNN's float32 products use memory of the heap as the stack (oneDNN 3.x, seen
 * with torch 2.11 and AVX-512): a handler that the system calls there would write its frame into
 * whatever lies below that memory. Therefore a call of the module holds the signals of its thread,
 * lets them in where it asks whether it is cancelled, well within 100 ms, and keeps them from the
 * threads of torch. Signals that a thread raises itself, such as SIGSEGV, are not held. */
#ifndef TORCH_SIGNALS_H
#define TORCH_SIGNALS_H

#include <csignal>

namespace alcore_torch {

/* Holds the signals of this thread while it lives. */
class HeldSignals {
  public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals &) = delete;
    HeldSignals &operator=(const HeldSignals &) = delete;

  private:
    friend class DeliveredSignals;
    sigset_t before_;
    const HeldSignals *outer_;
};

/* While it lives the signals of this thread are as they were before they were held: those that wait
 * are delivered. Nothing where none are held. */
class DeliveredSignals {
  public:
    DeliveredSignals();
    ~DeliveredSignals();
    DeliveredSignals(const DeliveredSignals &) = delete;
    DeliveredSignals &operator=(const DeliveredSignals &) = delete;

  private:
    sigset_t held_;
    const HeldSignals *outer_;
};

/* Signals are kept from torch's threads, which compute for this one, from now on: a handler of the
 * process runs on another thread. */
void keep_signals_from_workers();

} // namespace alcore_torch

#endif
