/* SPDX-License-Identifier: Apache-2.0 */
/* The batch of a decoding (torch_decode.h): its encoder, and what the decoder computes in a step.
 *
 * A step computes the last token of every hypothesis; keys and values of earlier tokens and of the
 * sources are cached (torch_attention.h), which is most of the memory. Items are removed from the
 * batch when they are done. */
#include "torch_decode.h"

#include <atomic>
#include <thread>

#include <c10/core/InferenceMode.h>

#include "torch_linear.h"
#include "torch_narrow.h"
#include "torch_parallel.h"

namespace alcore_torch {

namespace {

/* What the encoder makes of the sources, [tokens, dims], in pieces of at most model.most_tokens
 * tokens (a source may have more). */
at::Tensor states_of(const Model &model, const Packed &sources) {
    std::vector<at::Tensor> states;
    int64_t token = 0;
    for (size_t from = 0; from < sources.lengths.size();) {
        Packed piece;
        do {
            piece.lengths.push_back(sources.lengths[from]);
            piece.tokens += sources.lengths[from++];
        } while (from < sources.lengths.size() &&
                 piece.tokens + sources.lengths[from] <= model.most_tokens);
        piece.ids = sources.ids.narrow(0, token, piece.tokens);
        if (sources.types.defined()) piece.types = sources.types.narrow(0, token, piece.tokens);
        token += piece.tokens;
        states.push_back(run_stack(model, model.encoder, piece, model.encoder.blocks.size()));
    }
    return states.size() == 1 ? states[0] : at::cat(states);
}

/* Reads the sources, or the prompts of a language model. */
std::unique_ptr<DecoderCache> cache_of(const Model &model, const Packed &sources,
                                       const Settings &how) {
    if (model.head == Head::Language) return language_cache(model, sources, how.k);
    const at::Tensor states = states_of(model, sources);
    auto make_cache = model.device.is_cpu() ? host_cache : device_cache;
    return make_cache(model, sources, states, how.k);
}

/* Sources come the longest first; threads whose rows are those of the first and of the last items
 * have equal shares of long ones then. */
void deal_items(Search &search) {
    const std::vector<int64_t> order = dealt(search.items.size());
    std::vector<Item> moved;
    for (int64_t i : order) moved.push_back(std::move(search.items[static_cast<size_t>(i)]));
    search.items = std::move(moved);
    search.cache->keep_items(order);
}

/* Tokens of the longest output of an item: as the settings say and, of a language model, as many as
 * its prompt leaves. */
int64_t most_of(const Model &model, const Settings &how, int64_t prompt) {
    if (model.head != Head::Language) return how.most;
    return std::max<int64_t>(std::min(how.most, how.total - prompt), 1);
}

} // namespace

Search begin_search(const Model &model, const Packed &sources, const Settings &how) {
    Search search{model, decoding_stack(model), how, cache_of(model, sources, how)};
    const bool language = model.head == Head::Language;
    int64_t items = static_cast<int64_t>(sources.lengths.size()), token = 0;
    for (int64_t i = 0; i < items; i++) {
        Item item;
        item.place = static_cast<size_t>(i);
        item.number = static_cast<uint64_t>(sources.items[item.place]);
        item.running.resize(static_cast<size_t>(how.k));
        item.most = most_of(model, how, sources.lengths[item.place]);
        if (language || reads_sources(model.generation)) {
            at::Tensor own = sources.ids.narrow(0, token, sources.lengths[item.place]).to(at::kCPU);
            const int64_t *ids = own.contiguous().data_ptr<int64_t>();
            item.source.assign(ids, ids + own.numel());
            token += own.numel();
        }
        /* The k hypotheses of an item are equal before the first step, so a beam search scores only
         * the first of them. Samples differ from the first step on, so all of them are used. */
        for (size_t b = 0; b < item.running.size(); b++)
            if (b == 0 || how.sample) item.running[b].score = 0;
        search.items.push_back(std::move(item));
    }
    if (search.cache->takes_parts()) deal_items(search);
    return search;
}

/* Whether each thread computes all blocks of a step for rows of its own; rows: those of the step.
 * Threads that share the rows, or the weights, of each product wait for each other some 70 times a
 * step of six blocks. Apart they read all weights each, so that they need rows enough for a product
 * to take longer than its weights take to come from memory; and only the module's products have the
 * same bits for any number of rows. */
bool Search::reads_in_parts(int64_t rows) const {
    constexpr int64_t LEAST = 32;
    const int64_t threads = threads_here();
    if (threads == 1 || rows < LEAST * threads || !cache->takes_parts()) return false;
    for (const Block &block : stack.blocks)
        for (const Linear *linear : matrices_of(block))
            if (linear->given() && (!linear->narrow || linear->narrow->kernels == nullptr))
                return false;
    return true;
}

/* Computes one step of the rows from `first` on, whose newest tokens are words [rows]: the part of
 * advance()'s result that belongs to these rows. watch() is called after each block; where it
 * returns false the computation ends without a result. */
template <typename Watch>
at::Tensor Search::read(const at::Tensor &words, int64_t first, const Watch &watch) const {
    at::Tensor x = embed_tokens(stack, words, {}, at::full_like(words, step));
    for (size_t i = 0; i < stack.blocks.size(); i++) {
        const Block &block = stack.blocks[i];
        at::Tensor qkv = block.self(stack.pre_norm ? block.self_norm(x) : x);
        x = added(block.self_out, cache->attend_tokens(i, qkv, first), x, block.self_after);
        if (!stack.pre_norm) x = block.self_norm(x);
        if (block.cross_q.given()) {
            at::Tensor q = block.cross_q(stack.pre_norm ? block.cross_norm(x) : x);
            x = added(block.cross_out, cache->attend_sources(i, q, first), x);
            if (!stack.pre_norm) x = block.cross_norm(x);
        }
        at::Tensor y = stack.pre_norm ? block.ffn_norm(x) : x;
        at::Tensor inside = activated(block.up, y, stack.activation);
        inside = gated(block.gate, y, inside);
        x = added(block.down, inside, x, block.ffn_after);
        if (!stack.pre_norm) x = block.ffn_norm(x);
        if (!watch()) return {};
    }
    return stack.final_norm(x);
}

/* The arithmetic of a block is that of torch_stack.cpp for one token. The thread of the call tells
 * the others when it is cancelled. */
at::Tensor Search::advance(const std::vector<int64_t> &ids) {
    const int64_t rows = static_cast<int64_t>(ids.size());
    const at::Tensor words = at::tensor(ids, at::TensorOptions().dtype(at::kLong)).to(model.device);
    cache->begin_step(rows);
    auto tick = [&] {
        model.host.tick(nullptr, 0, 0);
        return true;
    };
    std::vector<at::Tensor> parts(static_cast<size_t>(at::get_num_threads()));
    if (reads_in_parts(rows)) {
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> ended{false};
        auto watch = [&] {
            if (std::this_thread::get_id() != caller) return !ended;
            try {
                return tick();
            } catch (...) {
                ended = true;
                throw;
            }
        };
        in_parallel(0, rows, 1, [&](int64_t begin, int64_t end) {
            c10::InferenceMode plain; /* of this thread */
            parts[static_cast<size_t>(at::get_thread_num())] =
                read(words.narrow(0, begin, end - begin), begin, watch);
        });
    } else {
        parts[0] = read(words, 0, tick);
    }
    step++;
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [](const at::Tensor &part) { return !part.defined(); }),
                parts.end());
    return parts.size() == 1 ? parts[0] : at::cat(parts);
}

void Search::drop_done() {
    std::vector<int64_t> kept;
    std::vector<Item> open;
    for (size_t i = 0; i < items.size(); i++) {
        if (items[i].done) continue;
        kept.push_back(static_cast<int64_t>(i));
        open.push_back(std::move(items[i]));
    }
    items = std::move(open);
    if (!items.empty()) cache->keep_items(kept);
}

} // namespace alcore_torch
