/* SPDX-License-Identifier: Apache-2.0 */
/* What the torch engine keeps of weights until they change (torch_kept.h), by itself. In TAP. */
#include <cstdio>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "torch_kept.h"

using alcore_torch::Kept;

static int checks;

static void check(bool right, const char *what) {
    std::printf("%sok %d - %s\n", right ? "" : "not ", ++checks, what);
}

/* Checks whether a value is found that was made before write(weight, bias). */
template <typename Write> static void expect(bool is_found, const char *what, Write write) {
    Kept<int> kept;
    at::Tensor weight = at::ones({4, 3}), bias = at::ones({4});
    kept.keep(weight, bias, std::make_shared<const int>(7));
    write(weight, bias);
    const auto found = kept.find(weight, bias);
    check(is_found ? found && *found == 7 : !found, what);
}

int main() {
    using at::Tensor;
    expect(true, "what nothing was written to is found", [](Tensor &, Tensor &) {});
    expect(true, "so is what was read", [](Tensor &w, Tensor &b) { return w.sum() + b.sum(); });
    expect(false, "not after a write to a weight", [](Tensor &w, Tensor &) { w.mul_(2); });
    expect(false, "nor to a part of a bias", [](Tensor &, Tensor &b) { b[1] = 5; });
    expect(false, "nor to rows of a weight", [](Tensor &w, Tensor &) {
        w.narrow(0, 1, 2).copy_(at::zeros({2, 3}));
    });
    expect(false, "nor in a call that computes", [](Tensor &w, Tensor &) {
        c10::InferenceMode computes;
        w.view({12}).zero_();
    });
    expect(false, "nor by an operator of many tensors",
           [](Tensor &w, Tensor &) { at::_foreach_mul_({w}, 2); });
    expect(false, "other tensors have nothing", [](Tensor &w, Tensor &) { w = at::ones({4, 3}); });
    expect(false, "nor has another bias", [](Tensor &, Tensor &b) { b = Tensor(); });

    Kept<int> kept;
    at::Tensor weight = at::ones({4, 3});
    kept.keep(weight, {}, std::make_shared<const int>(1));
    weight.add_(1);
    kept.keep(weight, {}, std::make_shared<const int>(2));
    const auto found = kept.find(weight, {});
    check(found && *found == 2, "what is made again takes the place of the old value");
    kept.clear();
    check(!kept.find(weight, {}), "after clear() there is nothing");
    std::printf("1..%d\n", checks);
}
