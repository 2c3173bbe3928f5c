/* SPDX-License-Identifier: Apache-2.0 */
/* A LibTorch training loop that scores, selects and trains on the device of the model. On a GPU the
 * logits, the log-probabilities of the tokens and the embeddings stay there; what reaches the host
 * are three numbers for each row (how many tokens it has, its uncertainty and its distance to the
 * centroid of its stratum) and sums over the strata. The model predicts the bytes of texts;
 * torch_device.py is the same loop in Python.
 *
 * usage: torch_device TEXTS [ROUNDS [DEVICE]]      DEVICE: that of torch; cuda where there is one,
 *                                                  else cpu
 *
 * On Debian with libtorch-dev, which has no CUDA:
 *   g++ -std=c++17 torch_device.cpp -o torch_device $(pkg-config --cflags --libs alcore) \
 *       -I/usr/include/torch/csrc/api/include -ltorch -ltorch_cpu -lc10
 * With a LibTorch of PyTorch's own: CMake's find_package(Torch) and find_package(alcore). */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

/* <torch/torch.h> has everything and takes twice as long to compile. */
#include <torch/cuda.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/optim/adam.h>

#include <alcore/alcore.hpp>

namespace {

constexpr int64_t codes_size = 256, width = 48, longest = 80, batch_size = 64, most_rows = 400;
constexpr int64_t padding = 0, start = 1; /* codes behind the end and before the start of a text */

struct network : torch::nn::Module {
    network()
        : embedding(register_module("embedding", torch::nn::Embedding(codes_size, width))),
          gru(register_module(
              "gru", torch::nn::GRU(torch::nn::GRUOptions(width, width).batch_first(true)))),
          head(register_module("head", torch::nn::Linear(width, codes_size))) {}

    /* Hidden states [texts, tokens, width] of codes [texts, tokens]; head() makes logits of them. */
    torch::Tensor states(const torch::Tensor &codes) {
        return std::get<0>(gru->forward(embedding->forward(codes)));
    }

    torch::nn::Embedding embedding;
    torch::nn::GRU gru;
    torch::nn::Linear head;
};

/* int64 [rows, longest + 1]: the start code and the bytes of each text, padded. */
torch::Tensor encode(const std::vector<std::string> &texts) {
    const auto rows = static_cast<int64_t>(texts.size());
    torch::Tensor codes = torch::full({rows, longest + 1}, padding, torch::kInt64);
    auto numbers = codes.accessor<int64_t, 2>();
    for (int64_t row = 0; row < rows; row++) {
        const std::string &text = texts[static_cast<size_t>(row)];
        const int64_t length = std::min(longest, static_cast<int64_t>(text.size()));
        numbers[row][0] = start;
        for (int64_t i = 0; i < length; i++)
            numbers[row][i + 1] = static_cast<unsigned char>(text[static_cast<size_t>(i)]);
    }
    return codes;
}

/* The loss of the last of ten steps on codes [texts, longest + 1]. */
double train(network &model, const torch::Tensor &codes) {
    torch::optim::Adam optimizer(model.parameters(), torch::optim::AdamOptions(0.01));
    torch::Tensor loss;
    for (int step = 0; step < 10; step++) {
        optimizer.zero_grad();
        torch::Tensor logits = model.head(model.states(codes.narrow(1, 0, longest)));
        loss = torch::nn::functional::cross_entropy(
            logits.transpose(1, 2), codes.narrow(1, 1, longest),
            torch::nn::functional::CrossEntropyFuncOptions().ignore_index(padding));
        loss.backward();
        optimizer.step();
    }
    return loss.item<double>();
}

/* A tensor of torch as the library takes it: the same memory, on the same device. It lasts as long
 * as the tensor does. */
struct view {
    explicit view(const torch::Tensor &tensor)
        : shape(tensor.sizes().vec()), strides(tensor.strides().vec()) {
        const int32_t dtype = tensor.scalar_type() == torch::kInt64     ? ALCORE_INT64
                              : tensor.scalar_type() == torch::kFloat64 ? ALCORE_FLOAT64
                                                                        : ALCORE_FLOAT32;
        alcore::check(alcore_tensor_init(&as_given, tensor.data_ptr(), dtype, shape.data(),
                                         static_cast<int32_t>(shape.size())));
        as_given.strides = strides.data();
        if (tensor.is_cuda())
            as_given.device = {ALCORE_DEVICE_CUDA, static_cast<int32_t>(tensor.get_device())};
    }
    view(const view &) = delete;
    alcore_tensor as_given;
    std::vector<int64_t> shape, strides;
};

class loop {
  public:
    loop(const char *path, torch::Device device)
        : ctx_(alcore::make(alcore_ctx_new, nullptr)),
          pool_(alcore::make(alcore_pool_new, ctx_.get(), nullptr)) {
        std::vector<std::string> texts;
        std::ifstream file(path);
        for (std::string line; std::getline(file, line) && texts.size() < most_rows;)
            texts.push_back(line);
        if (texts.empty()) throw std::runtime_error(std::string("no texts in ") + path);
        for (const std::string &text : texts) {
            const char *start_of_text = text.c_str();
            alcore::check(alcore_pool_add_texts(pool_.get(), &start_of_text, nullptr, 1, nullptr));
        }
        codes_ = encode(texts).to(device);
        model_.to(device);
    }

    /* Trains on the rows that are labeled so far, makes the columns, and labels the next rows. */
    void run(int round) {
        if (round == 1) pick("random", round);
        torch::Tensor labeled = torch::tensor(labeled_).to(codes_.device());
        const double loss = train(model_, codes_.index_select(0, labeled));
        const size_t count = labeled_.size();
        score();
        pick("huds", round);
        std::printf("round %d: %zu sentences, loss %.3f, next on %s:", round, count, loss,
                    codes_.device().str().c_str());
        for (size_t i = count; i < labeled_.size(); i++)
            std::printf(" %lld", static_cast<long long>(labeled_[i]));
        std::printf("\n");
        std::fflush(stdout);
    }

  private:
    /* The columns that HUDS reads: "logprobs", the log-probabilities of the tokens of a row, and
     * "embeddings", the mean of its hidden states. */
    void score() {
        torch::NoGradGuard no_grad;
        std::vector<torch::Tensor> means;
        alcore_column_options collected = ALCORE_COLUMN_OPTIONS_INIT;
        collected.on_device = 1;
        alcore::column_writer logprobs = alcore::make(alcore_column_writer_new, pool_.get(),
                                                      "logprobs", ALCORE_COLUMN_RAGGED, &collected);
        for (int64_t first = 0; first < codes_.size(0); first += batch_size) {
            const int64_t count = std::min(batch_size, codes_.size(0) - first);
            torch::Tensor batch = codes_.narrow(0, first, count);
            torch::Tensor states = model_.states(batch.narrow(1, 0, longest));
            torch::Tensor logits = model_.head(states), labels = batch.narrow(1, 1, longest);
            torch::Tensor measured =
                torch::empty(labels.sizes(), logits.options().dtype(torch::kFloat64));
            view logits_view(logits), labels_view(labels), measured_view(measured);
            alcore_logits given = ALCORE_LOGITS_INIT;
            given.logits = &logits_view.as_given;
            given.labels = &labels_view.as_given;
            /* Torch computes in the default stream, which is that of the library too, unless the
             * program has made another one current; then given.stream, collected.stream and
             * options.stream below are c10::cuda::getCurrentCUDAStream().stream(). */
            alcore_token_stats stats = ALCORE_TOKEN_STATS_INIT;
            stats.logprob = &measured_view.as_given;
            alcore::check(alcore_logits_measure(ctx_.get(), &given, padding, &stats));
            torch::Tensor inside = labels.ne(padding), lengths = inside.sum(1);
            torch::Tensor values = measured.masked_select(inside), tokens = lengths.cpu();
            view values_view(values);
            std::vector<int64_t> rows;
            for (int64_t row = first; row < first + count; row++) rows.push_back(row);
            alcore::check(alcore_column_writer_put(logprobs.get(), rows.data(),
                                                   tokens.data_ptr<int64_t>(), count,
                                                   &values_view.as_given));
            means.push_back((states * inside.unsqueeze(2)).sum(1) /
                            lengths.clamp_min(1).unsqueeze(1));
        }
        alcore::check(alcore_column_writer_finish(logprobs.get(), ALCORE_MISSING_FAIL));
        /* The pool reads this tensor where it is until the next round replaces the column: it is
         * kept, and never changed. */
        torch::Tensor next = torch::cat(means);
        view embeddings(next);
        alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
        options.ownership = ALCORE_BORROW;
        alcore::check(alcore_pool_set_column(pool_.get(), "embeddings", &embeddings.as_given,
                                             nullptr, &options));
        embeddings_ = next;
    }

    void pick(const char *name, int round) {
        auto strategy = alcore::make(alcore_strategy_new, ctx_.get(), name);
        alcore::request request = alcore::make(alcore_request_new, ctx_.get());
        alcore::check(alcore_request_set_pool(request.get(), ALCORE_ROLE_CANDIDATES, pool_.get()));
        alcore::check(alcore_request_set_strategy(request.get(), strategy.get()));
        alcore::check(alcore_request_set(request.get(), "budget", "120w"));
        alcore::check(alcore_request_set(request.get(), "round", std::to_string(round).c_str()));
        alcore::selection picked = alcore::make(alcore_select, request.get());
        const int64_t *rows = alcore_selection_rows(picked.get());
        const int64_t count = alcore_selection_count(picked.get());
        alcore::check(alcore_pool_mark(pool_.get(), ALCORE_ROW_LABELED, rows, count));
        labeled_.insert(labeled_.end(), rows, rows + count);
    }

    alcore::ctx ctx_;
    torch::Tensor embeddings_; /* the pool reads it, so it is destroyed after the pool */
    alcore::pool pool_;
    torch::Tensor codes_; /* [rows, longest + 1], on the device */
    network model_;
    std::vector<int64_t> labeled_;
};

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: torch_device TEXTS [ROUNDS [DEVICE]]\n");
        return 2;
    }
    try {
        torch::manual_seed(0);
        torch::Device device(argc > 3 ? argv[3] : torch::cuda::is_available() ? "cuda:0" : "cpu");
        loop training(argv[1], device);
        const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
        for (int round = 1; round <= rounds; round++) training.run(round);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "torch_device: %s\n", failure.what());
        return 1;
    }
    return 0;
}
