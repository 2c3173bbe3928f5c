/* SPDX-License-Identifier: Apache-2.0 */
/* A C++ trainer that asks for the next batch each round and puts the log-probabilities of its model
 * into a column of the pool.
 *
 * usage: trainer POOL.txt LABELED.txt */
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <alcore/alcore.hpp>

namespace {

constexpr int rounds = 3;

/* Takes the place of your model: a bigram model of letters, from the counts of the pairs in the
 * texts that it was trained on. */
class letter_pairs {
  public:
    void train(const std::string &text) {
        for (size_t i = 0; i + 1 < text.size(); i++) {
            pairs_[text.substr(i, 2)]++;
            letters_[text[i]]++;
        }
    }

    /* Natural log-probabilities of the letters of a text, except the first. */
    std::vector<float> token_logprobs(const std::string &text) const {
        std::vector<float> logprobs;
        for (size_t i = 0; i + 1 < text.size(); i++) {
            auto pair = pairs_.find(text.substr(i, 2));
            auto letter = letters_.find(text[i]);
            double seen = pair == pairs_.end() ? 0.0 : pair->second;
            double all = letter == letters_.end() ? 0.0 : letter->second;
            logprobs.push_back(static_cast<float>(std::log((seen + 0.5) / (all + 128.0))));
        }
        return logprobs;
    }

  private:
    std::map<std::string, int> pairs_;
    std::map<char, int> letters_;
};

std::string text_of(alcore_pool *pool, int64_t row) {
    size_t length = 0;
    const char *text = alcore_pool_text(pool, row, &length);
    return std::string(text, length);
}

/* Gives the pool the column of log-probabilities, row by row as a data loader would. */
void score(const letter_pairs &model, alcore_pool *pool) {
    auto writer =
        alcore::make(alcore_column_writer_new, pool, "logprobs", ALCORE_COLUMN_RAGGED, nullptr);
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++) {
        std::vector<float> logprobs = model.token_logprobs(text_of(pool, row));
        int64_t tokens = static_cast<int64_t>(logprobs.size());
        logprobs.reserve(1); /* so that data() of an empty vector is not null */
        alcore_tensor values;
        alcore::check(alcore_tensor_init(&values, logprobs.data(), ALCORE_FLOAT32, &tokens, 1));
        alcore::check(alcore_column_writer_put(writer.get(), &row, &tokens, 1, &values));
    }
    alcore::check(alcore_column_writer_finish(writer.get(), ALCORE_MISSING_FAIL));
}

void run(const char *pool_path, const char *labeled_path) {
    alcore::ctx ctx = alcore::make(alcore_ctx_new, nullptr);
    alcore::pool pool = alcore::make(alcore_pool_new, ctx.get(), nullptr);
    alcore::check(alcore_pool_read(pool.get(), pool_path, nullptr));
    alcore::pool labeled = alcore::make(alcore_pool_new, ctx.get(), nullptr);
    alcore::check(alcore_pool_read(labeled.get(), labeled_path, nullptr));

    letter_pairs model;
    for (int64_t row = 0; row < alcore_pool_row_count(labeled.get()); row++)
        model.train(text_of(labeled.get(), row));

    alcore::strategy strategy = alcore::make(alcore_strategy_new, ctx.get(), "nnll");
    alcore::request request = alcore::make(alcore_request_new, ctx.get());
    alcore::check(alcore_request_set_pool(request.get(), ALCORE_ROLE_CANDIDATES, pool.get()));
    alcore::check(alcore_request_set_pool(request.get(), ALCORE_ROLE_LABELED, labeled.get()));
    alcore::check(alcore_request_set_strategy(request.get(), strategy.get()));
    alcore::check(alcore_request_set(request.get(), "budget", "40w"));

    for (int round = 1; round <= rounds; round++) {
        score(model, pool.get());
        alcore::check(alcore_request_set(request.get(), "round", std::to_string(round).c_str()));
        alcore::selection picked = alcore::make(alcore_select, request.get());
        int64_t count = alcore_selection_count(picked.get());
        const int64_t *rows = alcore_selection_rows(picked.get());
        std::printf("round %d: %lld sentences, %.0f words\n", round, static_cast<long long>(count),
                    alcore_selection_spent(picked.get()));
        for (int64_t i = 0; i < count; i++) {
            std::printf("  %lld\t%s\n", static_cast<long long>(rows[i]),
                        text_of(pool.get(), rows[i]).c_str());
            model.train(text_of(pool.get(), rows[i]));
        }
        alcore::check(alcore_pool_mark(pool.get(), ALCORE_ROW_LABELED, rows, count));
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: trainer POOL.txt LABELED.txt\n");
        return 2;
    }
    try {
        run(argv[1], argv[2]);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "trainer: %s\n", failure.what());
        return 1;
    }
    return 0;
}
