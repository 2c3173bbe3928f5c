/* SPDX-License-Identifier: Apache-2.0 */
/* What an encoder says of texts: embeddings, and probabilities of the classes of texts, of the
 * classes of tokens, and of answers. */
#include <algorithm>
#include <cmath>

#include "torch_call.h"
#include "torch_modules.h"

namespace alcore_torch {

/* ---- embeddings ---- */

/* Whether token k of a call counts for the vector of its text: all do but those of a prompt that is
 * left out, and with WORDS those alone that begin a word. */
static bool counts(const Model &model, const alcore_sys_model_texts &texts, int64_t k) {
    const uint8_t marks = texts.marks[k];
    return !(marks & ALCORE_SYS_TOKEN_LEFT_OUT) &&
           (model.poolings[0] != ALCORE_SYS_POOLING_WORDS || (marks & ALCORE_SYS_TOKEN_WORD) != 0);
}

/* One vector of the hidden states [tokens, dims], at least one, that count of a text. places
 * [tokens]: of each in the text, from 1 on, float; only ALCORE_SYS_POOLING_RISING reads them. */
static at::Tensor pool_one(int32_t pooling, const at::Tensor &own, const at::Tensor &places) {
    switch (pooling) {
    case ALCORE_SYS_POOLING_FIRST:
    case ALCORE_SYS_POOLING_POOLER:
        return own.select(0, 0);
    case ALCORE_SYS_POOLING_LAST:
        return own.select(0, own.size(0) - 1);
    case ALCORE_SYS_POOLING_MAX:
        return own.amax(0);
    case ALCORE_SYS_POOLING_ROOT:
        return own.sum(0, false, at::kFloat) / std::sqrt(static_cast<double>(own.size(0)));
    case ALCORE_SYS_POOLING_RISING:
        return (own.to(at::kFloat) * places.unsqueeze(1)).sum(0) / places.sum();
    default:
        return own.mean(0, false, at::kFloat);
    }
}

/* One vector per item, [items, width], of hidden states [tokens, dims] of a batch, by
 * model.poolings: the first token, the same through the pooler, the last one, or the maximum or a
 * mean over tokens (or those that begin a word); of several poolings side by side. texts: of the
 * call, whose marks say which tokens count. A text of which none does has zeros. */
static at::Tensor pool(const Model &model, const alcore_sys_model_texts &texts, const Batch &batch,
                       const at::Tensor &hidden) {
    if (texts.marks == nullptr && model.poolings[0] == ALCORE_SYS_POOLING_WORDS)
        fail(ALCORE_E_INVALID, "pooling over words needs marks of the tokens that begin one");
    const std::vector<int32_t> &poolings = model.poolings;
    at::Tensor x = hidden, places;
    if (std::count(poolings.begin(), poolings.end(), ALCORE_SYS_POOLING_RISING) > 0)
        places = (positions_of(batch.packed) + 1).to(hidden.device(), at::kFloat);
    std::vector<int64_t> lengths = batch.packed.lengths;
    if (texts.marks != nullptr) {
        lengths.clear();
        at::Tensor rows = some_tokens(
            texts, batch, [&](int64_t, int64_t k) { return counts(model, texts, k); }, lengths);
        x = hidden.index_select(0, rows);
        if (places.defined()) places = places.index_select(0, rows);
    }
    std::vector<at::Tensor> columns;
    for (int32_t pooling : poolings) {
        std::vector<at::Tensor> out;
        int64_t token = 0;
        for (int64_t length : lengths) {
            at::Tensor own = places.defined() ? places.narrow(0, token, length) : places;
            out.push_back(length == 0 ? at::zeros({x.size(1)}, x.options())
                                      : pool_one(pooling, x.narrow(0, token, length), own));
            token += length;
        }
        columns.push_back(at::stack(out));
    }
    if (poolings[0] == ALCORE_SYS_POOLING_POOLER) return at::tanh(model.pooler(columns[0]));
    return columns.size() == 1 ? columns[0] : at::cat(columns, 1);
}

/* embed of the table: float [items, dims], of the layer that the options chose (0: the last; -1:
 * before the first block), through the modules behind the pooling, of length 1 where the model
 * normalizes, and cut to the dims of an embedding. */
alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                    const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        size_t blocks = model->layer == 0 ? model->encoder.blocks.size()
                                          : static_cast<size_t>(std::max(model->layer, 0));
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor hidden = token_vectors(*model, batch.packed, blocks);
            at::Tensor vectors = pool(*model, *texts, batch, hidden).to(at::kFloat);
            vectors = apply_modules(*model, vectors);
            if (model->normalize) vectors = unit_rows(vectors);
            if (vectors.size(1) > model->embedding_dims)
                vectors = vectors.narrow(1, 0, model->embedding_dims).contiguous();
            expect_numbers(*model, batch.items, vectors, nullptr);
            give(*sink, batch.items, vectors, nullptr);
        });
    });
}

/* ---- heads ---- */

/* Outputs of the head over texts as the folder wants them (torch_family_heads.cpp). */
static at::Tensor class_values(const Model &model, const at::Tensor &outputs) {
    at::Tensor z = outputs.to(at::kFloat);
    if (model.class_values == ClassValues::Softmax) return at::softmax(z, -1);
    return model.class_values == ClassValues::Sigmoid ? at::sigmoid(z) : z;
}

/* class_probs of the table: probabilities, or values, [items, classes], of the first token's state.
 */
alcore_status class_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Classes, "classes of texts");
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor x = class_input(*model, batch.packed, last_hidden(*model, batch.packed));
            x = class_values(*model, model->head_out(x));
            expect_numbers(*model, batch.items, x, nullptr);
            give(*sink, batch.items, x, nullptr);
        });
    });
}

/* token_probs of the table: probabilities [tokens, classes] of the tokens that begin a word or,
 * where no mark does, of all but special ones; without marks of all. */
alcore_status token_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Tokens, "classes of tokens");
        bool words = false;
        for (int64_t k = 0; texts->marks && k < (texts->count ? texts->offsets[texts->count] : 0);
             k++)
            words = words || (texts->marks[k] & ALCORE_SYS_TOKEN_WORD);
        auto wanted = [&](int64_t, int64_t k) {
            if (texts->marks == nullptr) return true;
            return words ? (texts->marks[k] & ALCORE_SYS_TOKEN_WORD) != 0
                         : (texts->marks[k] & ALCORE_SYS_TOKEN_SPECIAL) == 0;
        };
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            at::Tensor x = last_hidden(*model, batch.packed).index_select(0, rows);
            x = at::softmax(model->head_out(token_input(*model, x)), -1, at::kFloat);
            expect_numbers(*model, batch.items, x, &lengths);
            give(*sink, batch.items, x, &lengths);
        });
    });
}

/* qa_probs of the table: [tokens, 2], for the tokens of the text (type 1) and those that stand for
 * "no answer", the probabilities that the answer begins and ends there; each column sums to 1 over
 * an item. */
alcore_status qa_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                       const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Answers, "question answering");
        if (texts->types == nullptr)
            fail(ALCORE_E_INVALID,
                 "question answering needs the types of tokens: 0 in the question, "
                 "1 in the text");
        auto wanted = [&](int64_t, int64_t k) { return may_answer(*texts, k); };
        /* Types choose tokens even where the model has no embeddings of them. */
        for_texts(*model, *texts, [&](const Batch &batch) {
            std::vector<int64_t> lengths;
            at::Tensor rows = some_tokens(*texts, batch, wanted, lengths);
            at::Tensor x = last_hidden(*model, batch.packed).index_select(0, rows);
            at::Tensor logits = model->head_out(token_input(*model, x)).to(at::kFloat);
            int64_t token = 0;
            for (int64_t length : lengths) {
                logits.narrow(0, token, length)
                    .copy_(at::softmax(logits.narrow(0, token, length), 0));
                token += length;
            }
            expect_numbers(*model, batch.items, logits, &lengths);
            give(*sink, batch.items, logits, &lengths);
        });
    });
}

} // namespace alcore_torch
