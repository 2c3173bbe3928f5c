/* SPDX-License-Identifier: Apache-2.0 */
/* A LibTorch trainer that asks for the next batch each round: which of two files is a sentence
 * from? Logits and hidden states stay in the tensors' memory; the library reads them there. FOLDER
 * has the finished rounds, and a run that was stopped goes on after the last of them.
 *
 * usage: torch_trainer FOLDER ROUNDS TEXTS-OF-CLASS-0 TEXTS-OF-CLASS-1 [STRATEGY]
 *
 * On Debian with libtorch-dev:
 *   g++ -std=c++17 torch_trainer.cpp -o torch_trainer $(pkg-config --cflags --libs alcore) \
 *       -I/usr/include/torch/csrc/api/include -ltorch -ltorch_cpu -lc10
 * With a LibTorch from elsewhere: CMake's find_package(Torch) and find_package(alcore). */
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

/* <torch/torch.h> has everything and takes twice as long to compile. */
#include <torch/nn/functional/activation.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/serialize.h>

#include <alcore/alcore.hpp>

namespace {

constexpr int64_t features_size = 1024, hidden_size = 32, batch_size = 20;
constexpr int words_seen = 4; /* of a sentence: more would make it too easy */

struct network : torch::nn::Module {
    network()
        : hidden(register_module("hidden", torch::nn::Linear(features_size, hidden_size))),
          out(register_module("out", torch::nn::Linear(hidden_size, 2))) {}

    torch::Tensor states(const torch::Tensor &features) { return torch::relu(hidden(features)); }
    torch::Tensor forward(const torch::Tensor &features) { return out(states(features)); }

    torch::nn::Linear hidden, out;
};
using network_ptr = std::shared_ptr<network>;

/* float32 [rows of the pool, features_size]: 1 where a letter trigram of the first words_seen words
 * of the row's text hashes to that feature. */
torch::Tensor features_of(alcore_pool *pool) {
    torch::Tensor features = torch::zeros({alcore_pool_row_count(pool), features_size});
    auto numbers = features.accessor<float, 2>();
    for (int64_t row = 0; row < features.size(0); row++) {
        size_t length = 0;
        const char *text = alcore_pool_text(pool, row, &length);
        uint32_t letters = 0;
        int words = 0;
        for (size_t i = 0; i < length && words < words_seen; i++) {
            letters = (letters << 8 | static_cast<unsigned char>(text[i])) & 0xffffffu;
            words += text[i] == ' ';
            numbers[row][letters * 2654435761u % features_size] = 1;
        }
    }
    return features;
}

/* A new network, trained on features [n, features_size] with labels [n], int64. */
network_ptr train(const torch::Tensor &features, const torch::Tensor &labels, int round) {
    torch::manual_seed(static_cast<uint64_t>(round)); /* the same weights in every run */
    auto model = std::make_shared<network>();
    torch::optim::Adam optimizer(model->parameters(),
                                 torch::optim::AdamOptions(0.01).weight_decay(1e-3));
    for (int step = 0; step < 60; step++) {
        optimizer.zero_grad();
        torch::nn::functional::cross_entropy(model->forward(features), labels).backward();
        optimizer.step();
    }
    return model;
}

/* The share of the rows whose class the model predicts. */
double accuracy(network &model, const torch::Tensor &features, const torch::Tensor &labels) {
    torch::NoGradGuard no_grad;
    return model.forward(features).argmax(1).eq(labels).to(torch::kFloat64).mean().item<double>();
}

/* Lends the pool a tensor as a column, without a copy: it has to stay until the column is replaced
 * or dropped. */
void lend(alcore_pool *pool, const char *name, torch::Tensor &tensor, int32_t meaning) {
    tensor = tensor.to(torch::kCPU, torch::kFloat32).contiguous(); /* copies only where needed */
    std::vector<int64_t> shape = tensor.sizes().vec();
    alcore_tensor values;
    alcore::check(alcore_tensor_init(&values, tensor.data_ptr<float>(), ALCORE_FLOAT32,
                                     shape.data(), static_cast<int32_t>(shape.size())));
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    options.meaning = meaning;
    alcore::check(alcore_pool_set_column(pool, name, &values, nullptr, &options));
}

/* ---- the files of a round: its quality and rows, and the model ---- */

struct record {
    double quality = 0;
    std::vector<int64_t> rows;
};

std::string path_of(const std::string &folder, int round, const char *suffix) {
    return folder + "/round-" + std::to_string(round) + suffix;
}

bool read_record(const std::string &path, record &out) {
    std::ifstream file(path);
    if (!(file >> out.quality)) return false;
    for (int64_t row; file >> row;) out.rows.push_back(row);
    return true;
}

/* Writes a file beside its target and renames it: a round is whole or absent. */
void write_record(const std::string &path, const record &what) {
    std::ofstream file(path + ".part");
    file.precision(17);
    file << what.quality << '\n';
    for (int64_t row : what.rows) file << row << '\n';
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
    std::filesystem::rename(path + ".part", path);
}

/* ---- the rounds ---- */

class experiment {
  public:
    experiment(const char *first, const char *second, const char *strategy)
        : ctx_(alcore::make(alcore_ctx_new, nullptr)),
          pool_(alcore::make(alcore_pool_new, ctx_.get(), nullptr)), strategy_(strategy) {
        alcore::check(alcore_pool_read(pool_.get(), first, nullptr));
        int64_t first_count = alcore_pool_row_count(pool_.get());
        alcore::check(alcore_pool_read(pool_.get(), second, nullptr));
        int64_t rows = alcore_pool_row_count(pool_.get());
        labels_ = torch::arange(rows).ge(first_count).to(torch::kInt64);
        features_ = features_of(pool_.get());
        /* Every second text belongs to the test set and cannot be picked. */
        test_ = torch::arange(1, rows, 2);
        alcore::check(alcore_pool_mark(pool_.get(), ALCORE_ROW_EXCLUDED, test_.data_ptr<int64_t>(),
                                       test_.size(0)));
    }

    /* Picks rows, trains on all labeled rows and measures on the test set. */
    record run(int round) {
        record done;
        done.rows = pick(round);
        add_labeled(done.rows);
        torch::Tensor rows = torch::tensor(labeled_);
        model_ = train(features_.index_select(0, rows), labels_.index_select(0, rows), round);
        done.quality =
            accuracy(*model_, features_.index_select(0, test_), labels_.index_select(0, test_));
        return done;
    }

    /* Adds rows that an annotator has labeled. */
    void add_labeled(const std::vector<int64_t> &rows) {
        labeled_.insert(labeled_.end(), rows.begin(), rows.end());
        alcore::check(alcore_pool_mark(pool_.get(), ALCORE_ROW_LABELED, rows.data(),
                                       static_cast<int64_t>(rows.size())));
    }

    size_t labels() const { return labeled_.size(); }
    void save(const std::string &path) const { torch::save(model_, path); }
    void load(const std::string &path) {
        model_ = std::make_shared<network>();
        torch::load(model_, path);
    }

  private:
    /* The rows of the next batch: at random before there is a model, then by the strategy. */
    std::vector<int64_t> pick(int round) {
        if (model_) {
            torch::NoGradGuard no_grad;
            states_ = model_->states(features_);
            logits_ = model_->out(states_);
            lend(pool_.get(), "embeddings", states_, 0);
            lend(pool_.get(), "probs", logits_, ALCORE_MEANS_LOGITS);
        }
        auto strategy =
            alcore::make(alcore_strategy_new, ctx_.get(), model_ ? strategy_.c_str() : "random");
        alcore::request request = alcore::make(alcore_request_new, ctx_.get());
        alcore::check(alcore_request_set_pool(request.get(), ALCORE_ROLE_CANDIDATES, pool_.get()));
        alcore::check(alcore_request_set_strategy(request.get(), strategy.get()));
        const double budget = static_cast<double>(batch_size);
        alcore::check(alcore_request_set_budgets(request.get(), &budget, 1, ALCORE_UNIT_ITEMS));
        alcore::check(alcore_request_set_int(request.get(), "round", round));
        alcore::selection picked = alcore::make(alcore_select, request.get());
        const int64_t *rows = alcore_selection_rows(picked.get());
        return {rows, rows + alcore_selection_count(picked.get())};
    }

    alcore::ctx ctx_;
    torch::Tensor states_, logits_; /* the pool reads them, so they are destroyed after it */
    alcore::pool pool_;
    std::string strategy_;
    torch::Tensor features_, labels_, test_;
    std::vector<int64_t> labeled_;
    network_ptr model_;
};

/* Runs the rounds whose files are not in the folder yet; of the others it reads the files. */
void run(const std::string &folder, int rounds, experiment &experiment) {
    std::filesystem::create_directories(folder);
    for (int round = 1; round <= rounds; round++) {
        record done;
        bool before = read_record(path_of(folder, round, ".txt"), done);
        if (before) {
            experiment.add_labeled(done.rows);
            experiment.load(path_of(folder, round, ".pt"));
        } else {
            done = experiment.run(round);
            experiment.save(path_of(folder, round, ".pt"));
            write_record(path_of(folder, round, ".txt"), done);
        }
        std::printf("round %d: %3zu labels, accuracy %.3f%s\n", round, experiment.labels(),
                    done.quality, before ? " (done before)" : "");
        std::fflush(stdout);
    }
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 5) {
        std::fprintf(stderr, "usage: torch_trainer FOLDER ROUNDS TEXTS-OF-CLASS-0 TEXTS-OF-CLASS-1 "
                             "[STRATEGY]\n");
        return 2;
    }
    try {
        torch::set_num_threads(1); /* sums in the same order in every run */
        experiment experiment(argv[3], argv[4], argc > 5 ? argv[5] : "margin");
        run(argv[1], std::atoi(argv[2]), experiment);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "torch_trainer: %s\n", failure.what());
        return 1;
    }
    return 0;
}
