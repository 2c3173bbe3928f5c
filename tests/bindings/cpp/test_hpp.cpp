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

int32_t can(void *, const char *column) {
    return std::string(column) == "embeddings";
}

alcore_status embed(void *, const alcore_batch *, const char *const *,
                    alcore_column_writer *const *, int64_t) {
    return ALCORE_OK;
}

alcore::model counted_model(const alcore::ctx &ctx) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    host.user = &alive;
    host.destroy = [](void *user) { --*static_cast<int *>(user); };
    host.can = can;
    host.compute = embed;
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

int32_t thrown = 0;

/* Each kind of exception that a callback may end with, in turn. */
alcore_status throwing_embed(void *, const alcore_batch *, const char *const *,
                             alcore_column_writer *const *, int64_t) {
    return alcore::guard([] {
        if (thrown == 0) throw std::runtime_error("the encoder is out of paper");
        if (thrown == 1) throw alcore::error(ALCORE_E_DATA, "row 3 has no vowel");
        if (thrown == 2) throw std::bad_alloc();
        if (thrown == 3) throw 7;
    });
}

void test_guard(const alcore::ctx &ctx) {
    static const struct {
        alcore_status status;
        const char *text;
    } expected[] = {{ALCORE_E_CALLBACK, "out of paper"},
                    {ALCORE_E_DATA, "no vowel"},
                    {ALCORE_E_NOMEM, "out of memory"},
                    {ALCORE_E_CALLBACK, "no std::exception"},
                    {ALCORE_E_MISSING, "row 0"}}; /* nothing was thrown, and nothing put */
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    host.can = can;
    host.compute = throwing_embed;
    alcore::model model = alcore::make(alcore_model_new_host, ctx.get(), &host);
    alcore::pool pool = alcore::make(alcore_pool_new, ctx.get(), nullptr);
    const char *texts[] = {"a b"};
    alcore::check(alcore_pool_add_texts(pool.get(), texts, nullptr, 1, nullptr));
    for (thrown = 0; thrown < 5; thrown++) {
        alcore_status status = alcore_model_run(model.get(), pool.get(), "embeddings");
        check(status == expected[thrown].status, "an exception ends the call with its status");
        check(std::string(alcore_last_error()).find(expected[thrown].text) != std::string::npos,
              "and its text");
    }
    check(alcore::guard([]() -> alcore_status { return ALCORE_E_IO; }) == ALCORE_E_IO,
          "a status of the body is passed on");
}

} // namespace

int main() {
    alcore::ctx ctx = alcore::make(alcore_ctx_new, nullptr);
    test_errors(ctx);
    test_lifetimes(ctx);
    test_guard(ctx);
    std::printf("1..%d\n", count);
    return failed != 0;
}
