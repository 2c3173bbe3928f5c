/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * libalcore for C++17: destructors and exceptions, nothing else. A handle releases itself; check()
 * and the make functions throw what alcore_last_error() says. Everything is still called by its C
 * name, with handle.get():
 *
 *     alcore::ctx ctx = alcore::make(alcore_ctx_new, nullptr);
 *     alcore::pool pool = alcore::make(alcore_pool_new, ctx.get(), nullptr);
 *     alcore::check(alcore_pool_read(pool.get(), "pool.txt", nullptr)); */
#ifndef ALCORE_HPP
#define ALCORE_HPP

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "alcore/alcore.h"

namespace alcore {

/** A call that failed; what() is the text of alcore_last_error(). */
class error : public std::runtime_error {
  public:
    error(alcore_status status, const std::string &text)
        : std::runtime_error(text), status_(status) {}
    /** ALCORE_E_*. */
    alcore_status status() const noexcept { return status_; }

  private:
    alcore_status status_;
};

/** Throws unless status is ALCORE_OK: std::bad_alloc for ALCORE_E_NOMEM, error for all others. */
inline void check(alcore_status status) {
    if (status == ALCORE_OK) return;
    if (status == ALCORE_E_NOMEM) throw std::bad_alloc();
    const char *text = alcore_last_error();
    throw error(status, *text != '\0' ? text : alcore_status_name(status));
}

/** Runs the body of a callback so that no exception leaves it. An exception must not cross a C
 * frame of the library: what happens then is undefined, and a table of functions written in C++
 * (alcore_model_host, alcore_files, a log or progress function) is called from C frames only. Wrap
 * the body of each function that can throw; the exception's text and status come back from the
 * outer call and are thrown again by its check(). A function without a status, such as destroy or
 * log, calls guard() and drops the result.
 *
 *     static alcore_status compute(void *user, const alcore_batch *batch, const char *const *names,
 *                                  alcore_column_writer *const *outs, int64_t count) {
 *         return alcore::guard(
 *             [&] { static_cast<encoder *>(user)->compute(*batch, names, outs, count); });
 *     }
 *
 * The body returns nothing, or an alcore_status, which is passed on.
 * @return ALCORE_OK; the status of an alcore::error; ALCORE_E_NOMEM for std::bad_alloc;
 * ALCORE_E_CALLBACK for every other exception */
template <typename Body> alcore_status guard(Body &&body) noexcept {
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return ALCORE_OK;
        } else {
            return body();
        }
    } catch (const error &failure) {
        return alcore_error_set(failure.status(), failure.what(), std::strlen(failure.what()));
    } catch (const std::bad_alloc &) {
        const char text[] = "out of memory in a callback";
        return alcore_error_set(ALCORE_E_NOMEM, text, sizeof text - 1);
    } catch (const std::exception &failure) {
        return alcore_error_set(ALCORE_E_CALLBACK, failure.what(), std::strlen(failure.what()));
    } catch (...) {
        const char text[] = "an exception that is no std::exception left a callback";
        return alcore_error_set(ALCORE_E_CALLBACK, text, sizeof text - 1);
    }
}

/** Releases a handle with its _unref function. */
template <auto Unref> struct releaser {
    template <typename Handle> void operator()(Handle *handle) const noexcept { Unref(handle); }
};

/** Owns one reference of a handle; moves like std::unique_ptr, which it is. */
template <typename Handle, auto Unref> using owner = std::unique_ptr<Handle, releaser<Unref>>;

using ctx = owner<alcore_ctx, alcore_ctx_unref>;
using pool = owner<alcore_pool, alcore_pool_unref>;
using column_writer = owner<alcore_column_writer, alcore_column_writer_unref>;
using model = owner<alcore_model, alcore_model_unref>;
using scorer = owner<alcore_scorer, alcore_scorer_unref>;
using strategy = owner<alcore_strategy, alcore_strategy_unref>;
using request = owner<alcore_request, alcore_request_unref>;
using selection = owner<alcore_selection, alcore_selection_unref>;

namespace detail {

/** The owner of a handle. */
template <typename Handle> struct owner_of;
template <> struct owner_of<alcore_ctx> { using type = ctx; };
template <> struct owner_of<alcore_pool> { using type = pool; };
template <> struct owner_of<alcore_column_writer> { using type = column_writer; };
template <> struct owner_of<alcore_model> { using type = model; };
template <> struct owner_of<alcore_scorer> { using type = scorer; };
template <> struct owner_of<alcore_strategy> { using type = strategy; };
template <> struct owner_of<alcore_request> { using type = request; };
template <> struct owner_of<alcore_selection> { using type = selection; };

/** The last argument of a function that makes a handle is where the handle goes. */
template <typename Last, typename... Rest> struct made : made<Rest...> {};
template <typename Handle> struct made<Handle **> { using type = Handle; };

} // namespace detail

/** Calls a function that makes a handle with all arguments but the last: make(alcore_pool_new,
 * ctx.get(), nullptr).
 * @return the handle; throws what check() throws */
template <typename... Parameters, typename... Arguments>
typename detail::owner_of<typename detail::made<Parameters...>::type>::type
make(alcore_status (*function)(Parameters...), Arguments &&...arguments) {
    using handle = typename detail::made<Parameters...>::type;
    handle *out = nullptr;
    check(function(std::forward<Arguments>(arguments)..., &out));
    return typename detail::owner_of<handle>::type(out);
}

} // namespace alcore

#endif
