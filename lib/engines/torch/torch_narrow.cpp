/* SPDX-License-Identifier: Apache-2.0 */
/* Weights in bfloat16, in 8 bits and packed in float32, and products with them (torch_narrow.h). */
#include "torch_narrow.h"

#include <algorithm>
#include <cmath>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>

#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include "torch_linear.h"
#include "torch_parallel.h"

namespace alcore_torch {

namespace {

/* Sums of 8-bit products are exact in 32 bits up to this many components: 255 * 127 each. */
constexpr int64_t MOST_COMPONENTS = 65536;

/* The kernels for a type, or NULL. ATEN_CPU_CAPABILITY, by which torch's own kernels are held back,
 * holds back these too. */
const torch_products *kernels_of(at::ScalarType type) {
    if (at::get_cpu_capability() != "AVX512") return nullptr;
    return type == at::kChar    ? torch_products_int8_here()
           : type == at::kFloat ? torch_products_float32_here()
                                : torch_products_bfloat16_here();
}

/* x rounded to steps of range / count, and to `most` of them at most. A row of zeros stays one, and
 * one whose range is infinite becomes one of NaN. */
at::Tensor stepped(const at::Tensor &x, const at::Tensor &range, double count,
                   const at::Tensor &most) {
    const at::Tensor factor = at::full_like(range, count) / range;
    const at::Tensor steps = at::where(range < 1e-30, at::zeros_like(x), x * factor).round();
    return at::where(at::isfinite(range), at::minimum(steps, most) * (range / count),
                     at::full_like(x, std::numeric_limits<float>::quiet_NaN()));
}

/* Weights and inputs, float32 or of the type itself, with each row of the last dimension rounded as
 * the kernels round it. */
at::Tensor rounded_weight(const at::Tensor &x, at::ScalarType type) {
    if (type == at::kBFloat16) return x.to(at::kBFloat16).to(at::kFloat);
    /* Some rows at a time: steps of a whole table of words need five more tables for a while. */
    constexpr int64_t SOME = int64_t{1} << 20;
    const int64_t rows = x.size(0), some = std::max<int64_t>(1, SOME / x.size(-1));
    at::Tensor out = at::empty(x.sizes(), x.options().dtype(at::kFloat));
    for (int64_t first = 0; first < rows; first += some) {
        const int64_t count = std::min(some, rows - first);
        const at::Tensor part = x.narrow(0, first, count), range = at::amax(part.abs(), {-1}, true);
        out.narrow(0, first, count).copy_(stepped(part, range, 127, at::full_like(range, 127)));
    }
    return out;
}
at::Tensor rounded_input(const at::Tensor &x, at::ScalarType type) {
    if (type == at::kBFloat16) return x.to(at::kBFloat16).to(at::kFloat);
    const at::Tensor least = at::amin(x, {-1}, true).clamp_max(0),
                     range = at::amax(x, {-1}, true).clamp_min(0) - least;
    const at::Tensor factor = at::full_like(range, 255) / range.clamp_min(1e-30);
    return stepped(x, range, 255, 255 - (-least * factor).round());
}

/* Writes the panels [begin, end) of a weight. */
void pack_panels(const at::Tensor &weight, const NarrowWeight &to, int64_t begin, int64_t end) {
    const int64_t bytes = TORCH_PANEL * torch_row_bytes(to.kernels, to.in);
    char *values = static_cast<char *>(to.values.data_ptr());
    in_parallel(begin, end, 1, [&](int64_t from, int64_t until) {
        c10::InferenceMode plain; /* of this thread */
        for (int64_t panel = from; panel < until; panel++) {
            const int64_t first = panel * TORCH_PANEL,
                          rows = std::min<int64_t>(TORCH_PANEL, to.out - first);
            const at::Tensor some = weight.narrow(0, first, rows).to(at::kFloat).contiguous();
            to.kernels->pack(some.const_data_ptr<float>(), rows, to.in, values + panel * bytes,
                             to.scales.data_ptr<float>() + first,
                             to.sums.data_ptr<int32_t>() + first);
        }
    });
}

/* Whether the panels of a weight take the memory of its rows, which is that of no other tensor. */
bool fits_in_place(const at::Tensor &weight, const NarrowWeight &to) {
    return to.type == weight.scalar_type() && weight.is_contiguous() &&
           weight.storage().use_count() == 1 && to.out % TORCH_PANEL == 0 &&
           to.in % to.kernels->group == 0;
}

/* Asks for large pages below a tensor that is going to be filled: to get its memory in small ones
 * takes as long as to fill it. */
void prefer_large_pages(const at::Tensor &tensor) {
#ifdef MADV_HUGEPAGE
    constexpr uintptr_t PAGE = uintptr_t{1} << 21;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(tensor.data_ptr()),
                    first = (begin + PAGE - 1) / PAGE * PAGE,
                    end = (begin + tensor.nbytes()) / PAGE * PAGE;
    if (first < end)
        madvise(reinterpret_cast<void *>(first), end - first, MADV_HUGEPAGE); /* or small ones */
#endif
}

/* Packs panel by panel, so that a weight of another type needs no whole copy in float32; between
 * PIECE components the call may be cancelled. replace: nothing else reads the weight, whose memory
 * the panels then take where they fit. */
std::shared_ptr<const NarrowWeight> pack(const Host &host, at::ScalarType type,
                                         const at::Tensor &weight, const at::Tensor &bias,
                                         bool replace) {
    constexpr int64_t PIECE = int64_t{1} << 24;
    auto out = std::make_shared<NarrowWeight>();
    out->type = type;
    out->out = weight.size(0);
    out->in = weight.size(1);
    out->kernels = kernels_of(type);
    if (out->kernels == nullptr) return out;
    const int64_t panels = (out->out + TORCH_PANEL - 1) / TORCH_PANEL,
                  bytes = TORCH_PANEL * torch_row_bytes(out->kernels, out->in),
                  piece = std::max<int64_t>(1, PIECE / (TORCH_PANEL * out->in));
    const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
    out->values = replace && fits_in_place(weight, *out)
                      ? weight.view({-1}).view(at::kChar)
                      : at::empty({panels * bytes}, options.dtype(at::kChar));
    if (type == at::kFloat) prefer_large_pages(out->values);
    out->scales = at::empty({panels * TORCH_PANEL}, options);
    out->sums = at::empty({panels * TORCH_PANEL}, options.dtype(at::kInt));
    out->bias = at::zeros({panels * TORCH_PANEL}, options);
    if (bias.defined()) out->bias.narrow(0, 0, out->out).copy_(bias);
    for (int64_t panel = 0; panel < panels; panel += piece) {
        pack_panels(weight, *out, panel, std::min(panels, panel + piece));
        host.tick(nullptr, 0, 0);
    }
    return out;
}

/* Packs the matrices of a model one by one and frees each original once it is packed, or puts the
 * panels in its place where they fit. A matrix that blocks share (ALBERT) is packed once; its
 * original is freed at the end. A table of words that the output shares is read from the panels
 * that are in its place. */
class Narrowing {
  public:
    explicit Narrowing(Model &model) : model_(model) {}

    void narrow(Linear &linear) {
        if (!linear.weight.defined() || linear.weight.size(1) > MOST_COMPONENTS)
            return widen(linear);
        const at::Tensor whole = std::move(linear.weight);
        std::shared_ptr<const NarrowWeight> packed;
        std::vector<Stack *> tables; /* whose words are this matrix */
        for (Stack *stack : {&model_.encoder, model_.decoder ? &*model_.decoder : nullptr})
            if (stack != nullptr && stack->words.is_same(whole)) tables.push_back(stack);
        if (whole.use_count() == 1 + tables.size()) {
            packed = pack(model_.host, model_.products, whole, linear.bias, true);
            for (Stack *stack : tables)
                if (packed->values.defined() && packed->values.is_alias_of(whole))
                    stack->packed_words = packed;
        } else {
            auto &[source, shared] = known_[whole.unsafeGetTensorImpl()];
            source = whole; /* so that no other one gets its address */
            if (!shared) shared = pack(model_.host, model_.products, whole, linear.bias, false);
            packed = shared;
        }
        linear.narrow = packed;
        widen(linear.bias);
        linear.weight =
            packed->kernels == nullptr ? rounded_weight(whole, model_.products) : at::Tensor();
    }
    void narrow(Stack &stack) {
        for (Block &block : stack.blocks) {
            narrow(block);
            trim();
        }
        for (at::Tensor *table : {&stack.position_table, &stack.types, &stack.relative})
            widen(*table);
        stack.widened = stack.words.scalar_type() != at::kFloat;
        widen(stack.embed_norm);
        widen(stack.final_norm);
        widen(stack.mapping);
        if (stack.disentangled) {
            widen(stack.disentangled->table);
            widen(stack.disentangled->norm);
        }
        if (!stack.convolution) return;
        widen(stack.convolution->weight);
        widen(stack.convolution->bias);
        widen(stack.convolution->norm);
    }
    static void widen(at::Tensor &tensor) {
        if (tensor.defined()) tensor = tensor.to(at::kFloat);
    }
    static void widen(Linear &linear) {
        widen(linear.weight);
        widen(linear.bias);
    }
    static void widen(Norm &norm) {
        widen(norm.weight);
        widen(norm.bias);
    }

  private:
    /* glibc keeps freed matrices that lie between others, into which the packed ones do not all
     * fit: the process had a third more memory than was in use. */
    static void trim() {
#ifdef __GLIBC__
        malloc_trim(0);
#endif
    }
    void narrow(Block &block) {
        for (Linear *linear : matrices_of(block)) narrow(*linear);
        for (Linear *linear : {&block.distance_query, &block.distance_key}) widen(*linear);
        for (Norm *norm : {&block.self_norm, &block.cross_norm, &block.ffn_norm, &block.query_norm,
                           &block.key_norm, &block.self_after, &block.ffn_after})
            widen(*norm);
    }

    Model &model_;
    std::map<const void *, std::pair<at::Tensor, std::shared_ptr<const NarrowWeight>>> known_;
};

/* Rows that a thread rounds at a time, so that they stay in a cache of its own. */
constexpr int64_t MOST_ROWS = 96;

/* One product by the kernels. */
struct NarrowProduct {
    const NarrowWeight &weight;
    torch_product what{};
    int64_t rows, row_bytes;

    NarrowProduct(const NarrowWeight &weight, int64_t rows)
        : weight(weight), rows(rows), row_bytes(torch_row_bytes(weight.kernels, weight.in)) {
        what.weights = weight.values.const_data_ptr();
        what.scales = weight.scales.const_data_ptr<float>();
        what.sums = weight.sums.const_data_ptr<int32_t>();
        what.bias = weight.bias.const_data_ptr<float>();
        what.in = weight.in;
        what.out = weight.out;
        what.panels = weight.scales.numel() / TORCH_PANEL;
    }
    /* Rows that are rounded together. */
    struct Rounded {
        at::Tensor rows, scales, zeros;
        Rounded(int64_t count, int64_t row_bytes)
            : rows(at::empty({count * row_bytes}, at::TensorOptions().dtype(at::kChar))),
              scales(at::empty({count}, at::TensorOptions().dtype(at::kFloat))),
              zeros(at::empty({count}, at::TensorOptions().dtype(at::kInt))) {}
    };
    /* The product of `count` rows, of which x is the first, once they are rounded. */
    torch_product of_rows(const Rounded &from, int64_t first, int64_t count) const {
        torch_product part = what;
        part.rows = from.rows.const_data_ptr();
        part.row_scales = from.scales.const_data_ptr<float>();
        part.row_zeros = from.zeros.const_data_ptr<int32_t>();
        return at_rows(part, first, count);
    }
    torch_product at_rows(torch_product part, int64_t first, int64_t count) const {
        part.count = count;
        part.result += first * weight.out;
        if (part.times != nullptr) part.times += first * weight.out;
        if (part.added != nullptr) part.added += first * weight.out;
        return part;
    }
    void round(const float *x, int64_t count, Rounded &to) const {
        weight.kernels->narrow(x, count, weight.in, to.rows.data_ptr(), to.scales.data_ptr<float>(),
                               to.zeros.data_ptr<int32_t>());
    }
    /* The work of `outputs` rows of the weight in the units of grain_of(): reading a float32 takes
     * as long as 64 multiplications of narrow numbers, or as reading four numbers of the weight. */
    int64_t numbers(int64_t outputs) const { return outputs * weight.in * (rows + 16) / 64; }
    /* With rows that are taken as they are threads share the panels, so that each reads a part of
     * the weights, and where there are few panels for a thread, rows too. */
    void run_plain(const float *x) const {
        const int64_t threads = threads_here(), panels = what.panels,
                      wanted = threads == 1 ? 1 : (4 * threads + panels - 1) / panels,
                      parts = std::clamp<int64_t>(rows / (MOST_ROWS / 4), 1, wanted),
                      size = (rows + parts - 1) / parts;
        in_parallel(0, parts * panels, grain_of(numbers(TORCH_PANEL)),
                    [&](int64_t begin, int64_t end) {
                        while (begin < end) {
                            const int64_t first = begin / panels * size, panel = begin % panels,
                                          until = std::min(panels, panel + end - begin);
                            torch_product part = at_rows(what, first, std::min(size, rows - first));
                            part.rows = x + first * weight.in;
                            part.panel = panel;
                            part.panels = until;
                            if (part.count > 0) weight.kernels->multiply(&part);
                            begin += until - panel;
                        }
                    });
    }
    /* With many rows threads share these, else the panels of the weight. */
    void run(const float *x) const {
        if (weight.kernels->narrow == nullptr) return run_plain(x);
        const int64_t threads = threads_here();
        if (rows < MOST_ROWS / 4 * threads) {
            Rounded all(rows, row_bytes);
            round(x, rows, all);
            const torch_product whole = of_rows(all, 0, rows);
            in_parallel(0, what.panels, grain_of(numbers(TORCH_PANEL)),
                        [&](int64_t begin, int64_t end) {
                            torch_product part = whole;
                            part.panel = begin;
                            part.panels = end;
                            weight.kernels->multiply(&part);
                        });
            return;
        }
        const int64_t parts = (rows + threads * MOST_ROWS - 1) / (threads * MOST_ROWS) * threads,
                      size = (rows + parts - 1) / parts;
        in_parallel(0, parts, grain_of(numbers(weight.out) * size / rows),
                    [&](int64_t begin, int64_t end) {
                        Rounded some(size, row_bytes);
                        for (int64_t i = begin; i < end; i++) {
                            const int64_t first = i * size, count = std::min(size, rows - first);
                            if (count <= 0) continue;
                            round(x + first * weight.in, count, some);
                            const torch_product part = of_rows(some, first, count);
                            weight.kernels->multiply(&part);
                        }
                    });
    }
};

/* The same without kernels. */
at::Tensor by_float32(const Linear &linear, const at::Tensor &x, torch_after after) {
    static constexpr Activation activations[] = {Activation::Gelu, Activation::GeluTanh,
                                                 Activation::Relu, Activation::Silu};
    Linear plain;
    plain.weight = linear.weight;
    plain.bias = linear.bias;
    const at::Tensor inputs = rounded_input(x, linear.narrow->type);
    return after == TORCH_AFTER_NOTHING
               ? plain(inputs)
               : activated(plain, inputs, activations[after - TORCH_AFTER_GELU]);
}

} // namespace

at::Tensor narrow_product(const Linear &linear, const at::Tensor &x, torch_after after,
                          const at::Tensor &times, const at::Tensor &added) {
    const NarrowWeight &weight = *linear.narrow;
    if (weight.kernels == nullptr) {
        at::Tensor y = by_float32(linear, x, after);
        if (times.defined()) y = y * times;
        return added.defined() ? y + added : y;
    }
    const at::Tensor from = x.contiguous();
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = weight.out;
    at::Tensor out = at::empty(shape, from.options());
    if (out.numel() == 0) return out;
    NarrowProduct product(weight, from.numel() / weight.in);
    const at::Tensor factor = times.defined() ? times.contiguous() : times,
                     term = added.defined() ? added.contiguous() : added;
    product.what.after = after;
    product.what.times = factor.defined() ? factor.const_data_ptr<float>() : nullptr;
    product.what.added = term.defined() ? term.const_data_ptr<float>() : nullptr;
    product.what.result = out.data_ptr<float>();
    product.run(from.const_data_ptr<float>());
    return out;
}

std::shared_ptr<const NarrowWeight> packed_weight(const Host &host, const Linear &linear) {
    if (kernels_of(at::kFloat) == nullptr) return nullptr;
    return pack(host, at::kFloat, linear.weight, linear.bias, false);
}

at::Tensor packed_rows(const NarrowWeight &weight, const at::Tensor &ids) {
    const at::Tensor rows = ids.contiguous();
    const int64_t *row = rows.const_data_ptr<int64_t>(), group = weight.kernels->group;
    const auto *numbers = static_cast<const c10::BFloat16 *>(weight.values.const_data_ptr());
    at::Tensor out = at::empty({rows.numel(), weight.in}, at::TensorOptions().dtype(at::kFloat));
    float *to = out.data_ptr<float>();
    in_parallel(0, rows.numel(), grain_of(weight.in), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const c10::BFloat16 *from = numbers + row[i] / TORCH_PANEL * TORCH_PANEL * weight.in +
                                        row[i] % TORCH_PANEL * group;
            for (int64_t k = 0; k < weight.in; k += group, from += TORCH_PANEL * group)
                for (int64_t part = 0; part < group; part++)
                    to[i * weight.in + k + part] = static_cast<float>(from[part]);
        }
    });
    return out;
}

void narrow_model(Model &model) {
    if (model.products == at::kFloat) return;
    for (Stored &stored : model.stored) stored.view = stored.whole = at::Tensor();
    Narrowing narrowing(model);
    narrowing.narrow(model.encoder);
    if (model.decoder) narrowing.narrow(*model.decoder);
    const bool words =
        model.head == Head::Words || model.head == Head::Seq2seq || model.head == Head::Language;
    if (words)
        narrowing.narrow(model.head_out);
    else
        Narrowing::widen(model.head_out);
    Narrowing::widen(model.pooler);
    Narrowing::widen(model.head_dense);
    Narrowing::widen(model.head_norm);
    model.dtype = at::kFloat;
}

} // namespace alcore_torch
