/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a call as batches of packed tokens: checks, order, and what a decoder reads. */
#include <algorithm>
#include <numeric>

#include "torch_parts.h"

namespace alcore_torch {

/* The tokens of an item of a call. */
int64_t length_of(const alcore_sys_model_texts &texts, int64_t item) {
    return texts.offsets[item + 1] - texts.offsets[item];
}

/* Rows of the embeddings of token types (parts of a pair of texts); 0: the model has none. A single
 * row is added whatever the types are (RoBERTa). */
int64_t type_rows(const Model &model) {
    return model.encoder.types.defined() ? model.encoder.types.size(0) : 0;
}

/* Whether token k, a number among all tokens of the call, can begin or end an answer: it belongs to
 * the second part of a pair and is not special, or it stands for "no answer". texts has types. */
bool may_answer(const alcore_sys_model_texts &texts, int64_t k) {
    if (texts.marks == nullptr) return texts.types[k] == 1;
    if (texts.marks[k] & ALCORE_SYS_TOKEN_NO_ANSWER) return true;
    return texts.types[k] == 1 && !(texts.marks[k] & ALCORE_SYS_TOKEN_SPECIAL);
}

/* Checks the texts of a call: ids must be there, 0 to vocabulary - 1, types within the embeddings
 * of types, and 1 to max_tokens tokens a text. Tokens of text i are offsets[i] .. offsets[i + 1]
 * - 1. A model that does not read types (type_rows() of 1 or 0) accepts all that are not negative.
 */
void check_texts(const Model &model, const alcore_sys_model_texts &texts, int64_t vocabulary) {
    if (texts.count == 0) return;
    if (texts.ids == nullptr || texts.offsets == nullptr)
        fail(ALCORE_E_INVALID, "the torch module takes token ids; texts came without");
    int64_t kinds = type_rows(model) > 1 ? type_rows(model) : INT64_MAX;
    for (int64_t i = 0; i < texts.count; i++) {
        int64_t length = length_of(texts, i);
        if (length < 1 || length > model.max_tokens)
            fail(ALCORE_E_SHAPE, "text %lld has %lld tokens; 1 to %lld are allowed",
                 static_cast<long long>(i), static_cast<long long>(length),
                 static_cast<long long>(model.max_tokens));
        for (int64_t k = texts.offsets[i]; k < texts.offsets[i + 1]; k++)
            if (texts.ids[k] < 0 || texts.ids[k] >= vocabulary ||
                (texts.types != nullptr && (texts.types[k] < 0 || texts.types[k] >= kinds)))
                fail(ALCORE_E_DATA, "text %lld: token id %lld or its type is out of range",
                     static_cast<long long>(i), static_cast<long long>(texts.ids[k]));
    }
}

/* Copies the tokens of items, numbers in the call, one after the other to the model's device. types
 * are left undefined where the model does not use them. */
Packed pack(const Model &model, const alcore_sys_model_texts &texts,
            const std::vector<int64_t> &items) {
    Packed out;
    out.items = items;
    for (int64_t item : items) {
        out.lengths.push_back(length_of(texts, item));
        out.tokens += out.lengths.back();
    }
    auto copy = [&](const int64_t *from) {
        at::Tensor to = at::empty({out.tokens}, at::TensorOptions().dtype(at::kLong));
        int64_t *values = to.data_ptr<int64_t>();
        for (int64_t item : items) {
            std::copy(from + texts.offsets[item], from + texts.offsets[item + 1], values);
            values += length_of(texts, item);
        }
        return to.to(model.device);
    };
    out.ids = copy(texts.ids);
    if (texts.types != nullptr && type_rows(model) > 1) out.types = copy(texts.types);
    return out;
}

/* Runs body(items) over items 0 .. count - 1, in batches of at most batch_tokens tokens (one item
 * may have more), in the order that `before` gives, by which the longest come first; of equals the
 * earlier. before(a, b): whether item a comes before item b; cost(a): the tokens of item a. Reports
 * progress, in items, after each batch; throws when cancelled. */
void for_batches(const Model &model, int64_t count, const std::function<int64_t(int64_t)> &cost,
                 const std::function<bool(int64_t, int64_t)> &before,
                 const std::function<void(const std::vector<int64_t> &)> &body) {
    std::vector<int64_t> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), before);
    for (size_t from = 0; from < order.size();) {
        std::vector<int64_t> items;
        for (int64_t tokens = 0; from < order.size(); from++) {
            tokens += cost(order[from]);
            if (!items.empty() && tokens > model.batch_tokens) break;
            items.push_back(order[from]);
        }
        body(items);
        model.host.tick("model", static_cast<int64_t>(from), count);
    }
}

/* The row of the first token of each item among the packed tokens, int64 [items]. */
at::Tensor first_tokens(const Packed &packed) {
    std::vector<int64_t> first;
    int64_t token = 0;
    for (int64_t length : packed.lengths) {
        first.push_back(token);
        token += length;
    }
    return at::tensor(first, at::TensorOptions().dtype(at::kLong)).to(packed.ids.device());
}

/* Hidden states [tokens, dims] after all blocks of the encoder. */
at::Tensor last_hidden(const Model &model, const Packed &packed, Dropout *dropout) {
    return run_stack(model, model.encoder, packed, model.encoder.blocks.size(), {}, {}, dropout);
}

/* What the decoder reads for given targets: each without its last token, behind the token that
 * starts an output, or, with start_rolled, behind its last token. Items and lengths stay. */
Packed shifted(const Model &model, const Packed &targets) {
    Packed out = targets;
    out.ids = at::empty_like(targets.ids);
    int64_t token = 0;
    for (int64_t length : targets.lengths) {
        at::Tensor to = out.ids.narrow(0, token, length),
                   from = targets.ids.narrow(0, token, length);
        if (length > 1) to.narrow(0, 1, length - 1).copy_(from.narrow(0, 0, length - 1));
        if (model.start_rolled)
            to[0].copy_(from[length - 1]);
        else
            to[0].fill_(model.start);
        token += length;
    }
    return out;
}

} // namespace alcore_torch
