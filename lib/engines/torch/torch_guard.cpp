/* SPDX-License-Identifier: Apache-2.0 */
/* guard(), in which every call of the module's table runs, and its failures.
 *
 * The process may be somebody else's PyTorch program. Therefore guard() turns every exception into
 * a status, sets gradients, autocast and the number of threads for the call, holds the signals of
 * the thread, and restores all of it afterwards, also after a failure. Random numbers are drawn
 * from generators of the call, never from that of the process. */
#include <cstdarg>
#include <cstdio>

#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <unistd.h>

#include "torch_parts.h"

namespace alcore_torch {

/* The library's functions (errors, progress, files, threads), set by set_library(). */
static const alcore_sys_host *core;

/* The process that loaded the module, set with it. */
static pid_t loaded_by;

void set_library(const alcore_sys_host *library) {
    core = library;
    if (loaded_by == 0) loaded_by = getpid();
}

const alcore_sys_host *library() {
    return core;
}

bool is_forked() {
    return getpid() != loaded_by;
}

/* ---- failures ---- */

void fail(alcore_status status, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    std::vsnprintf(text, sizeof text, format, args);
    va_end(args);
    throw Failure{status, text};
}

void check(alcore_status status) {
    if (status != ALCORE_OK) throw Failure{status, ""};
}

alcore_status report(alcore_status status, const std::string &text) {
    return core->set_error(status, text.data(), text.size());
}

static alcore_status report_memory() {
    static const char text[] = "torch module: out of memory";
    return core->set_error(ALCORE_E_NOMEM, text, sizeof text - 1);
}

/* torch's own errors: running out of memory is one of them and told by its text on the CPU. */
static alcore_status report_torch(const c10::Error &error) {
    std::string text = error.what_without_backtrace();
    bool memory = text.find("DefaultCPUAllocator") != std::string::npos ||
                  text.find("out of memory") != std::string::npos;
    return report(memory ? ALCORE_E_NOMEM : ALCORE_E_INTERNAL, "torch: " + text);
}

/* Other exceptions. Those of oneDNN say what could not be done and not why; with products of
 * float32, which it always has, the reason is memory. */
static alcore_status report_other(const std::exception &error) {
    std::string text = error.what();
    for (const char *done : {"could not create a", "could not execute a"})
        if (text.find(done) != std::string::npos)
            return report(ALCORE_E_NOMEM, "torch: out of memory: oneDNN " + text);
    return report(ALCORE_E_INTERNAL, "torch module: " + text);
}

/* ---- the surroundings of a call ---- */

namespace {

/* Sets torch's number of threads to that of the context (0: leaves it), and restores it in the
 * destructor. */
struct Threads {
    int before = at::get_num_threads();
    explicit Threads(int32_t count) {
        if (count > 0 && count != before) at::set_num_threads(count);
    }
    ~Threads() {
        if (at::get_num_threads() != before) at::set_num_threads(before);
    }
};

/* Passes what torch warns of, which would be written to standard error, to the library's log. torch
 * has one such object for each thread. */
struct LoggedWarnings : c10::WarningHandler {
    void *user; /* the first argument of the host's functions */
    explicit LoggedWarnings(void *user) : user(user) {}
    void process(const c10::Warning &warning) override {
        core->log(user, LOG_WARN, "torch", warning.msg().c_str());
    }
};

/* Reports the exception that is handled. A Failure with an empty text is that of a host function,
 * which has set its own text. */
alcore_status report_handled() {
    try {
        throw;
    } catch (const Failure &failure) {
        return failure.text.empty() ? failure.status : report(failure.status, failure.text);
    } catch (const c10::OutOfMemoryError &error) {
        return report(ALCORE_E_NOMEM, error.what_without_backtrace());
    } catch (const c10::Error &error) {
        return report_torch(error);
    } catch (const std::bad_alloc &) {
        return report_memory();
    } catch (const std::exception &error) {
        return report_other(error);
    } catch (...) {
        return report(ALCORE_E_INTERNAL, "torch module: an unknown exception");
    }
}

} // namespace

/* Every function of the table but info and close calls it. Where memory has run out, there may be
 * none for the text of an error either: that error has a constant text. InferenceMode(false) also
 * ends an inference mode of the caller, and switches gradients on while the object exists. */
alcore_status guard(void *user, at::Device device, Mode mode, const Borrowed &body) noexcept {
    try {
        c10::InferenceMode inference(mode == Mode::Compute);
        c10::AutoGradMode gradients(mode == Mode::Train);
        c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::autocast_dispatch_keyset);
        /* The threads of OpenMP do not live on in a forked child, which would wait for them forever
         * if it asked for more than one. */
        Threads threads(is_forked() ? 1 : core->threads(user));
        std::optional<HeldSignals> held;
        if (device.is_cpu()) {
            held.emplace();
            if (at::get_num_threads() > 1) keep_signals_from_workers();
        }
        LoggedWarnings logged(user);
        c10::WarningUtils::WarningHandlerGuard warnings(&logged);
        c10::OptionalDeviceGuard current;
        if (!device.is_cpu()) current.reset_device(device);
        body();
        return ALCORE_OK;
    } catch (...) {
        try {
            return report_handled();
        } catch (...) {
            return report_memory();
        }
    }
}

} // namespace alcore_torch
