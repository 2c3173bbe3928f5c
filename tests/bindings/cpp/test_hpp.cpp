/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ wrapper: destructors, exceptions, and nothing else. */
#include <cstdio>
#include <string>
#include <utility>

#include <alcore/alcore.hpp>

static_assert(sizeof(alcore::pool) == sizeof(alcore_pool *), "a handle is a pointer");
static_assert(!std::is_copy_constructible<alcore::pool>::value, "one owner");
static_assert(std::is_nothrow_move_constructible<alcore::pool>::value, "moves freely");

namespace {

int count = 0, failed = 0, alive = 0;

void check(bool ok, const char *what) {
    std::printf("%s %d - %s\n", ok ? "ok" : "not ok", ++count, what);
    failed += !ok;
}

alcore_status embed(void *, const alcore_batch *, alcore_column_writer *) {
    return ALCORE_OK;
}

alcore::model counted_model(const alcore::ctx &ctx) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    host.user = &alive;
    host.destroy = [](void *user) { --*static_cast<int *>(user); };
    host.embed = embed;
    alcore::model model = alcore::make(alcore_model_new_host, ctx.get(), &host);
    alive++;
    return model;
}

void test_errors(const alcore::ctx &ctx) {
    try {
        alcore::make(alcore_strategy_new, ctx.get(), "hudz");
        check(false, "a failure throws");
    } catch (const alcore::error &failure) {
        check(failure.status() == ALCORE_E_PARAM, "the exception has the status");
        check(std::string(failure.what()).find("did you mean huds") != std::string::npos,
              "and the text of the library");
    }
    try {
        alcore::check(ALCORE_E_NOMEM);
        check(false, "memory throws");
    } catch (const std::bad_alloc &) {
        check(true, "no memory is std::bad_alloc");
    }
    alcore::check(ALCORE_OK);
}

void test_lifetimes(const alcore::ctx &ctx) {
    {
        alcore::model model = counted_model(ctx);
        alcore::model other = std::move(model);
        check(!model && other && alive == 1, "moving moves");
    }
    check(alive == 0, "the destructor releases");
    try {
        alcore::model model = counted_model(ctx);
        throw 1;
    } catch (int) {
        check(alive == 0, "and does so when an exception passes");
    }
    alcore::pool pool = alcore::make(alcore_pool_new, ctx.get(), nullptr);
    alcore::request request = alcore::make(alcore_request_new, ctx.get());
    alcore::check(alcore_request_set_pool(request.get(), ALCORE_ROLE_CANDIDATES, pool.get()));
    pool.reset();
    alcore::check(alcore_request_set(request.get(), "budget", "1"));
    alcore::selection picked = alcore::make(alcore_select, request.get());
    check(alcore_selection_count(picked.get()) == 0, "parents may go first");
    alcore::ctx kept(alcore_ctx_ref(ctx.get()));
    check(kept.get() == ctx.get(), "a counted reference has its own owner");
}

} // namespace

int main() {
    alcore::ctx ctx = alcore::make(alcore_ctx_new, nullptr);
    test_errors(ctx);
    test_lifetimes(ctx);
    std::printf("1..%d\n", count);
    return failed != 0;
}
