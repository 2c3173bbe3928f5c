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
using lm = owner<alcore_lm, alcore_lm_unref>;

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
template <> struct owner_of<alcore_lm> { using type = lm; };

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
