/* SPDX-License-Identifier: Apache-2.0 */
/* What an encoder says of texts: embeddings, and probabilities of the classes of texts, of the
 * classes of tokens, and of answers. */
#include <algorithm>

#include "torch_call.h"

namespace alcore_torch {

/* ---- embeddings ---- */

/* One vector per item, [items, dims], of hidden states [tokens, dims] of a batch, by model.pooling:
 * the first token, the same through the pooler, or over tokens (or those that begin a word) the
 * maximum or the mean. texts: of the call, whose marks say which tokens begin a word. */
static at::Tensor pool(const Model &model, const alcore_sys_model_texts &texts, const Batch &batch,
                       const at::Tensor &hidden) {
    if (model.pooling == ALCORE_SYS_POOLING_FIRST)
        return hidden.index_select(0, first_tokens(batch.packed));
    if (model.pooling == ALCORE_SYS_POOLING_POOLER)
        return at::tanh(model.pooler(hidden.index_select(0, first_tokens(batch.packed))));
    at::Tensor x = hidden;
    std::vector<int64_t> lengths = batch.packed.lengths;
    if (model.pooling == ALCORE_SYS_POOLING_WORDS) {
        if (texts.marks == nullptr)
            fail(ALCORE_E_INVALID, "pooling over words needs marks of the tokens that begin one");
        lengths.clear();
        at::Tensor rows = some_tokens(
            texts, batch,
            [&](int64_t, int64_t k) { return (texts.marks[k] & ALCORE_SYS_TOKEN_WORD) != 0; },
            lengths);
        x = hidden.index_select(0, rows);
    }
    std::vector<at::Tensor> out;
    int64_t token = 0;
    for (int64_t length : lengths) {
        at::Tensor own = x.narrow(0, token, length);
        token += length;
        if (length == 0)
            out.push_back(at::zeros({x.size(1)}, x.options())); /* a text without words */
        else if (model.pooling == ALCORE_SYS_POOLING_MAX)
            out.push_back(own.amax(0));
        else
            out.push_back(own.mean(0, false, at::kFloat));
    }
    return at::stack(out);
}

/* embed of the table: float [items, dims], of the layer that the options chose (0: the last; -1:
 * before the first block), of length 1 where the model normalizes. */
alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                    const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        size_t blocks = model->layer == 0 ? model->encoder.blocks.size()
                                          : static_cast<size_t>(std::max(model->layer, 0));
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor hidden = run_stack(*model, model->encoder, batch.packed, blocks);
            at::Tensor vectors = pool(*model, *texts, batch, hidden).to(at::kFloat);
            if (model->normalize) vectors = vectors / vectors.norm(2, 1, true).clamp_min(1e-12);
            give(*sink, batch.items, vectors, nullptr);
        });
    });
}

/* ---- heads ---- */

/* class_probs of the table: probabilities [items, classes], of the first token's state. */
alcore_status class_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink) {
    return guard(model, [&] {
        need_head(*model, Head::Classes, "classes of texts");
        for_texts(*model, *texts, [&](const Batch &batch) {
            at::Tensor x =
                last_hidden(*model, batch.packed).index_select(0, first_tokens(batch.packed));
            x = model->head_out(class_input(*model, x));
            give(*sink, batch.items, at::softmax(x, -1, at::kFloat), nullptr);
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
            give(*sink, batch.items, at::softmax(model->head_out(x), -1, at::kFloat), &lengths);
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
            at::Tensor logits = model->head_out(x).to(at::kFloat);
            int64_t token = 0;
            for (int64_t length : lengths) {
                logits.narrow(0, token, length)
                    .copy_(at::softmax(logits.narrow(0, token, length), 0));
                token += length;
            }
            give(*sink, batch.items, logits, &lengths);
        });
    });
}

} // namespace alcore_torch
