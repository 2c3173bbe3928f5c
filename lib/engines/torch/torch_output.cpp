/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of given tokens, log softmax(h W^T + b)_label, from hidden states h [tokens,
 * dims] and the output matrix W [vocabulary, dims] with its bias b.
 *
 * The library's kernel hidden_stats (alcore/sys/kernel.h) computes them without a matrix of logits
 * in memory, on the device where h and W are and in torch's stream. torch makes all logits of a
 * piece, and reads them twice more. On devices the kernel is always taken. On the CPU it multiplies
 * float32, packing W anew for every call, which many tokens share: its time over that of oneDNN's
 * product and torch's logsumexp, in processor seconds of one thread (AVX-512, torch 2.11), is
 *
 *     tokens of a call                           100     200     1000
 *     vocabulary 16,000,  dims 512               1.18    1.02    0.87
 *     vocabulary 58,000,  dims 512               1.04    0.90    0.73
 *     vocabulary 250,000, dims 768 (not packed)          0.36    0.33
 *
 * and 1.5 to 2.5 in bfloat16. So calls with many float32 tokens collect GROUP of them a thread from
 * several batches, and calls with fewer than LEAST a thread are left to torch.
 *
 * Memory: twice the inputs of a group, [GROUP threads + tokens of a batch, dims], which are joined
 * from those of its batches, and by torch 2^24 logits. */
#include "torch_output.h"

#include <algorithm>

#include <ATen/Parallel.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "alcore/sys/kernel.h"

namespace alcore_torch {

namespace {

/* Tokens of a call and of a group for each thread; see above. */
constexpr int64_t LEAST = 256, GROUP = 1024;

/* The number of a kind of device in DLPack, which the library asks kernels by; 0: it has none. */
int32_t dlpack_kind(const at::Device &device) {
    constexpr int32_t EXTERNAL = 12;
    if (device.is_cpu()) return ALCORE_DEVICE_CPU;
    if (device.is_cuda()) return ALCORE_DEVICE_CUDA;
    return device.is_privateuseone() ? EXTERNAL : 0;
}

/* A matrix [count, dims] without gaps as kernels take it. */
alcore_sys_rows rows_of(const at::Tensor &matrix) {
    alcore_sys_rows rows{};
    rows.data = matrix.data_ptr();
    rows.count = matrix.size(0);
    rows.dims = rows.stride = matrix.size(1);
    rows.dtype = matrix.scalar_type() == at::kFloat      ? ALCORE_FLOAT32
                 : matrix.scalar_type() == at::kBFloat16 ? ALCORE_BFLOAT16
                                                         : ALCORE_FLOAT16;
    return rows;
}

/* One call of the kernel, or several for parts of the rows. */
struct Scoring {
    const alcore_sys_kernels *kernels;
    alcore_sys_work work;
    alcore_sys_rows hidden, output;
    const float *bias;     /* [vocabulary] or NULL */
    const int64_t *labels; /* [hidden.count] */
    double *out;           /* [hidden.count] */
    int64_t part;          /* rows of a task; the last one has fewer */
    int64_t row_bytes;     /* of a row of hidden */
};

/* Task of the host's parallel_for: rows index * part and the next ones. */
alcore_status score_part(void *data, int64_t index, int32_t) {
    const Scoring &all = *static_cast<Scoring *>(data);
    const int64_t first = index * all.part;
    alcore_sys_rows hidden = all.hidden;
    hidden.data = static_cast<const char *>(hidden.data) + first * all.row_bytes;
    hidden.first = first;
    hidden.count = std::min(all.part, all.hidden.count - first);
    alcore_sys_token_stats out{};
    out.logprob = all.out + first;
    int64_t bad; /* the values of bad rows are NaN */
    return all.kernels->hidden_stats(&all.work, &hidden, &all.output, all.bias, all.labels + first,
                                     -1 /* no label is left out */, &out, &bad);
}

/* float64 [rows] on the model's device, of inputs [rows, dims] and labels [rows] without gaps. A
 * device runs the call as a whole, in torch's current stream; NULL is the default one for kernels
 * too. */
at::Tensor score_by_kernel(const Model &model, const at::Tensor &input, const at::Tensor &labels) {
    const at::Tensor weight = model.head_out.weight.contiguous();
    at::Tensor bias = model.head_out.bias;
    if (bias.defined()) bias = bias.to(at::kFloat).contiguous();
    at::Tensor out = at::empty({input.size(0)}, input.options().dtype(at::kDouble));
    Scoring all{};
    all.kernels = model.kernels;
    all.work.size = sizeof all.work;
    all.work.host = model.host.table;
    all.work.host_user = model.host.user;
    all.hidden = rows_of(input);
    all.output = rows_of(weight);
    all.bias = bias.defined() ? static_cast<const float *>(bias.data_ptr()) : nullptr;
    all.labels = static_cast<const int64_t *>(labels.data_ptr());
    all.out = static_cast<double *>(out.data_ptr());
    all.part = all.hidden.count;
    all.row_bytes = input.size(1) * static_cast<int64_t>(input.element_size());
    if (model.device.is_cpu()) {
        const int64_t threads = at::get_num_threads();
        all.part = (all.hidden.count + threads - 1) / threads;
        check(model.host.table->parallel_for(model.host.user, nullptr,
                                             (all.hidden.count + all.part - 1) / all.part,
                                             score_part, &all));
        return out;
    }
    const c10::impl::DeviceGuardImplInterface *devices =
        c10::impl::getDeviceGuardImpl(model.device.type());
    all.work.stream = devices->getStreamNativeHandle(devices->getStream(model.device));
    all.work.device = model.device.index();
    check(score_part(&all, 0, 0));
    return out;
}

} // namespace

/* Rows are computed in pieces of at most 2^24 logits (64 MiB) and 4e9 operations, so that a large
 * vocabulary needs no matrix of all tokens, and a call can be cancelled between two, well within
 * 100 ms. clamp_max(0): rounding can lead above 0. at::index() would call missing memory a wrong
 * shape. */
at::Tensor score_by_torch(const Model &model, const at::Tensor &input, const at::Tensor &labels,
                          const std::vector<int64_t> &counts) {
    constexpr int64_t CHUNK = int64_t{1} << 24;
    double row = 2.0 * static_cast<double>(input.size(1) * model.vocabulary);
    int64_t rows = input.size(0),
            step = std::max<int64_t>(
                1, std::min(CHUNK / model.vocabulary, static_cast<int64_t>(4e9 / row)));
    at::Tensor out = at::empty({labels.size(0)}, input.options().dtype(at::kFloat));
    for (int64_t from = 0, first = 0; from < rows; from += step) {
        const int64_t count = std::min(step, rows - from);
        std::vector<int64_t> behind; /* [labels of the piece] their rows in it */
        for (int64_t row = 0; row < count; row++)
            behind.insert(behind.end(),
                          counts.empty() ? 1 : static_cast<size_t>(counts[from + row]), row);
        const int64_t own = static_cast<int64_t>(behind.size());
        const at::Tensor places = at::tensor(behind, labels.options().device(at::kCPU))
                                      .to(labels.device()),
                         logits = model.head_out(input.narrow(0, from, count)).to(at::kFloat),
                         cells = places * logits.size(1) + labels.narrow(0, first, own),
                         picked = logits.reshape({-1}).index_select(0, cells),
                         sums = at::logsumexp(logits, 1).index_select(0, places);
        out.narrow(0, first, own).copy_((picked - sums).clamp_max(0));
        first += own;
        model.host.tick(nullptr, 0, 0);
    }
    return out;
}

const alcore_sys_kernels *find_kernels(const Model &model,
                                       const alcore_sys_model_options &options) {
    const alcore_sys_kernels *found = nullptr;
    const int32_t kind = dlpack_kind(model.device);
    if (options.kernels == nullptr || kind == 0) return nullptr;
    check(options.kernels(model.host.user, kind, &found));
    const bool has = found != nullptr && ALCORE_STRUCT_HAS(found, hidden_stats) &&
                     found->hidden_stats != nullptr;
    return has ? found : nullptr;
}

LabelScores::LabelScores(const Model &model, int64_t tokens, Receiver receiver)
    : model_(model), receiver_(std::move(receiver)) {
    const int64_t threads = at::get_num_threads();
    const bool host = model.device.is_cpu();
    by_kernel_ = model.kernels != nullptr &&
                 (!host || (model.dtype == at::kFloat && !model.head_out.narrow &&
                            tokens >= LEAST * threads));
    group_ = by_kernel_ && host ? GROUP * threads : 1;
}

void LabelScores::add(const std::vector<int64_t> &items, const std::vector<int64_t> &lengths,
                      const at::Tensor &hidden, const at::Tensor &labels) {
    items_.insert(items_.end(), items.begin(), items.end());
    lengths_.insert(lengths_.end(), lengths.begin(), lengths.end());
    inputs_.push_back(output_input(model_, hidden));
    labels_.push_back(labels);
    tokens_ += labels.size(0);
    if (tokens_ >= group_) finish();
}

void LabelScores::finish() {
    if (items_.empty()) return;
    const at::Tensor input = at::cat(inputs_), labels = at::cat(labels_);
    inputs_.clear();
    labels_.clear();
    at::Tensor values = tokens_ > 0 && by_kernel_ ? score_by_kernel(model_, input, labels)
                                                  : score_by_torch(model_, input, labels);
    receiver_(items_, values, lengths_);
    items_.clear();
    lengths_.clear();
    tokens_ = 0;
}

} // namespace alcore_torch
