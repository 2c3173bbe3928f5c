/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of the torch engine over torch's threads (torch_parallel.h), by themselves. In TAP. */
#include <atomic>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>

#include "torch_parallel.h"

using alcore_torch::in_parallel;

static int checks;

static void check(bool right, const char *what) {
    std::printf("%sok %d - %s\n", right ? "" : "not ", ++checks, what);
}

/* What a loop did with each index. */
struct Seen {
    std::vector<std::atomic<int>> times; /* [end] */
    std::vector<std::thread::id> of;     /* [threads] by at::get_thread_num() */
    std::atomic<int> calls{0}, astray{0};

    Seen(int64_t begin, int64_t end, int64_t grain)
        : times(static_cast<size_t>(end)), of(static_cast<size_t>(at::get_num_threads())) {
        in_parallel(begin, end, grain, [&](int64_t from, int64_t until) {
            const int number = at::get_thread_num();
            calls++;
            if (number >= at::get_num_threads() || from >= until)
                astray++;
            else
                of[static_cast<size_t>(number)] = std::this_thread::get_id();
            for (int64_t i = from; i < until; i++) times[static_cast<size_t>(i)]++;
        });
    }
    size_t threads() const {
        std::set<std::thread::id> some(of.begin(), of.end());
        some.erase(std::thread::id());
        return some.size();
    }
    bool complete(int64_t begin) const {
        for (size_t i = 0; i < times.size(); i++)
            if (times[i] != (static_cast<int64_t>(i) >= begin ? 1 : 0)) return false;
        return astray == 0;
    }
};

static void threads_take_part(int threads) {
    at::set_num_threads(threads);
    const Seen many(0, 1000, 1);
    check(many.complete(0), "every index has its turn once");
    check(many.threads() == static_cast<size_t>(threads) && many.calls == threads,
          "each of the context's threads has a part, and no other one has");
    check(!at::in_parallel_region() && at::get_thread_num() == 0, "afterwards the loop is over");
}

static void parts_have_the_grain() {
    at::set_num_threads(3);
    const Seen some(5, 25, 10), few(5, 10, 10), one(0, 1, 0), none(4, 4, 1);
    check(some.complete(5) && some.calls == 2, "twenty indices with a grain of ten are two parts");
    check(few.complete(5) && few.calls == 1 && few.of[0] == std::this_thread::get_id(),
          "fewer than the grain are a part of the caller");
    check(one.complete(0) && one.calls == 1, "one index");
    check(none.calls == 0, "no index");
    const Seen four(0, 4, 1); /* two, two and no other */
    check(four.complete(0) && four.calls == 2, "no part is empty");
}

static void loops_within_loops() {
    at::set_num_threads(2);
    std::atomic<int> inner{0}, foreign{0};
    in_parallel(0, 2, 1, [&](int64_t from, int64_t until) {
        const std::thread::id own = std::this_thread::get_id();
        for (int64_t i = from; i < until; i++)
            in_parallel(0, 100, 1, [&](int64_t begin, int64_t end) {
                inner += static_cast<int>(end - begin);
                if (std::this_thread::get_id() != own) foreign++;
            });
    });
    check(inner == 200 && foreign == 0, "a loop within a loop stays on its thread");
}

/* throwing: the first index of the part that throws, or -1: every part. */
static void exceptions_arrive(int64_t throwing, const char *what) {
    at::set_num_threads(3);
    std::atomic<int> ended{0};
    bool caught = false;
    try {
        in_parallel(0, 300, 1, [&](int64_t from, int64_t) {
            ended++;
            if (throwing < 0 || from == throwing) throw std::runtime_error("of a part");
        });
    } catch (const std::runtime_error &error) {
        caught = error.what() == std::string("of a part");
    }
    check(caught && ended == 3, what);
    check(Seen(0, 300, 1).threads() == 3, "and the next loop has all threads");
}

int main() {
    for (int threads = 1; threads <= 3; threads++) threads_take_part(threads);
    parts_have_the_grain();
    loops_within_loops();
    exceptions_arrive(0, "an exception of the caller's part is thrown when all have ended");
    exceptions_arrive(200, "an exception of another thread is thrown to the caller");
    exceptions_arrive(-1, "of several exceptions one is");
    std::printf("1..%d\n", checks);
}
