/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of the module's table share (torch_call.h). */
#include "torch_call.h"

#include "torch_linear.h"

namespace alcore_torch {

alcore_status guard(const Model *model, const Borrowed &body, Mode mode) noexcept {
    return guard(model->host.user, model->device, mode, body);
}

int64_t all_tokens(const alcore_sys_model_texts &texts) {
    return texts.count == 0 ? 0 : texts.offsets[texts.count] - texts.offsets[0];
}

void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<int64_t(int64_t)> &cost,
               const std::function<void(const Batch &)> &body) {
    check_texts(model, texts, model.encoder.words.size(0));
    PackedWeights packed(model);
    if (all_tokens(texts) > model.batch_tokens) packed.pack(model.host, model.encoder);
    for_batches(
        model, texts.count, cost,
        [&](int64_t a, int64_t b) { return length_of(texts, a) > length_of(texts, b); },
        [&](const std::vector<int64_t> &items) {
            body({items, pack(model, texts, items)});
        });
}
void for_texts(Model &model, const alcore_sys_model_texts &texts,
               const std::function<void(const Batch &)> &body) {
    for_texts(
        model, texts, [&](int64_t i) { return length_of(texts, i); }, body);
}

void give(const alcore_sys_model_sink &sink, const std::vector<int64_t> &items,
          const at::Tensor &values, const std::vector<int64_t> *lengths) {
    at::Tensor plain = values.to(at::kCPU, at::kFloat).contiguous();
    std::vector<int64_t> shape = plain.sizes().vec();
    alcore_tensor tensor{};
    tensor.data = plain.data_ptr();
    tensor.device = {ALCORE_DEVICE_CPU, 0};
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype = {ALCORE_KIND_FLOAT, 32, 1};
    tensor.shape = shape.data();
    check(sink.put(sink.user, items.data(), lengths == nullptr ? nullptr : lengths->data(),
                   static_cast<int64_t>(items.size()), &tensor));
}

void expect_numbers(const Model &model, const std::vector<int64_t> &items, const at::Tensor &values,
                    const std::vector<int64_t> *lengths) {
    at::Tensor wrong = at::isfinite(values).logical_not();
    if (!wrong.any().item<bool>()) return;
    if (wrong.dim() > 1) wrong = wrong.flatten(1).any(1);
    int64_t row = wrong.nonzero()[0][0].item<int64_t>(), i = 0;
    if (lengths != nullptr)
        while (row >= (*lengths)[static_cast<size_t>(i)])
            row -= (*lengths)[static_cast<size_t>(i++)];
    else
        i = row;
    fail(ALCORE_E_DATA,
         "%s: what the model computes of text %lld of this call is no finite number; its weights "
         "hold some that are not, or %s overflows",
         model.folder.c_str(), static_cast<long long>(items[static_cast<size_t>(i)]),
         number_name(model));
}

at::Tensor some_tokens(const alcore_sys_model_texts &texts, const Batch &batch,
                       const std::function<bool(int64_t, int64_t)> &wanted,
                       std::vector<int64_t> &lengths) {
    std::vector<int64_t> rows;
    int64_t row = 0;
    for (int64_t item : batch.items) {
        int64_t count = 0;
        for (int64_t k = texts.offsets[item]; k < texts.offsets[item + 1]; k++, row++)
            if (wanted(item, k)) {
                rows.push_back(row);
                count++;
            }
        lengths.push_back(count);
    }
    return at::tensor(rows, at::TensorOptions().dtype(at::kLong)).to(batch.packed.ids.device());
}

void need_head(const Model &model, Head head, const char *call) {
    if (model.head != head)
        fail(ALCORE_E_UNSUPPORTED, "the %s model has no head for %s", model.family.c_str(), call);
}

} // namespace alcore_torch
