/* SPDX-License-Identifier: Apache-2.0 */
/* A kind of device for torch that a machine without a GPU has: two devices, "other:0" and
 * "other:1", whose memory is the host's. The tests of the engine run on the second one as they
 * would on the second GPU, and compare with the same numbers.
 *
 * It is as strict as a GPU. Its addresses are those of the host plus 2^62, so that a read of a
 * tensor of the device by the CPU ends the program. Every operation that is not a view is computed
 * by the CPU's kernel on copies, after it was checked that all of its tensors are on one device;
 * only tensors without dimensions may be on the CPU, as torch allows it for CUDA. The host copies
 * between devices by copy_() alone. */
#include <cstdlib>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/embedding_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace {

constexpr auto KIND = c10::DeviceType::PrivateUse1;
constexpr uintptr_t APART = uintptr_t{1} << 62; /* of an address of a device and of the host */
constexpr c10::DeviceIndex DEVICES = 2;

thread_local c10::DeviceIndex current = 0;

/* ---- the current device, and streams, of which each device has one ---- */

struct Devices final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return KIND; }
    c10::Device exchangeDevice(c10::Device device) const override {
        c10::Device before = getDevice();
        setDevice(device);
        return before;
    }
    c10::Device getDevice() const override { return {KIND, current}; }
    void setDevice(c10::Device device) const override {
        TORCH_CHECK(device.type() == KIND && device.index() < DEVICES, "no device ", device);
        if (device.has_index()) current = device.index();
    }
    void uncheckedSetDevice(c10::Device device) const noexcept override {
        if (device.has_index()) current = device.index();
    }
    c10::Stream getStream(c10::Device device) const override {
        return c10::Stream(c10::Stream::DEFAULT, device);
    }
    c10::Stream getNewStream(c10::Device device, int) const override { return getStream(device); }
    c10::Stream exchangeStream(c10::Stream stream) const override {
        return getStream(stream.device());
    }
    /* What other libraries are told of a stream: an address that stands for its device. */
    void *getStreamNativeHandle(const c10::Stream stream) const override {
        static char handles[DEVICES];
        return &handles[stream.device_index()];
    }
    c10::DeviceIndex deviceCount() const noexcept override { return DEVICES; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Devices)

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    at::Generator getNewGenerator(c10::DeviceIndex) const override {
        TORCH_WARN("the CPU's kernels draw for this device");
        return at::detail::createCPUGenerator();
    }
};

/* ---- memory ---- */

void *of_host(const void *device) {
    return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(device) - APART);
}

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t bytes) override {
        void *host = bytes == 0 ? nullptr : std::malloc(bytes);
        void *data = host == nullptr ? nullptr : static_cast<char *>(host) + APART;
        return {data, host, std::free, c10::Device(KIND, current)};
    }
    void copy_data(void *to, const void *from, size_t bytes) const override {
        std::memcpy(of_host(to), of_host(from), bytes);
    }
};
Memory memory;

/* The values of a tensor of the device as a tensor of the CPU that shares them. */
at::Tensor shared_with_host(const at::Tensor &tensor) {
    if (tensor.is_cpu()) return tensor;
    void *data = tensor.numel() == 0 ? nullptr : of_host(tensor.data_ptr());
    return at::from_blob(data, tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
    c10::OptionalDeviceGuard on(device);
    return at::detail::empty_generic(size, &memory,
                                     c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                     c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device> device, std::optional<bool>) {
    c10::OptionalDeviceGuard on(device);
    return at::detail::empty_strided_generic(size, stride, &memory,
                                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                             c10::dtype_or_default(type));
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool) {
    shared_with_host(to).copy_(shared_with_host(from));
    return to;
}

/* What an operation changed is copied back. A result that it was to put into an empty tensor gives
 * that tensor its size. */
at::Tensor copy_back(const at::Tensor &from, const at::Tensor &to) {
    if (from.sizes() != to.sizes()) {
        TORCH_CHECK(to.numel() == 0, "only an empty tensor of the device is resized");
        c10::DeviceGuard on(to.device());
        to.storage().set_data_ptr_noswap(memory.allocate(from.nbytes()));
        to.storage().set_nbytes(from.nbytes());
        to.unsafeGetTensorImpl()->set_sizes_contiguous(from.sizes());
    }
    return copy_from(from, to, false);
}

at::Scalar scalar_of(const at::Tensor &tensor) {
    return shared_with_host(tensor).item();
}

/* ---- everything else ---- */

/* Fails unless the tensor is on the device that `seen` names, which the first one sets. */
void check_place(const c10::OperatorHandle &op, const at::Tensor &tensor,
                 std::optional<at::Device> &seen) {
    if (!tensor.defined() || (tensor.is_cpu() && tensor.dim() == 0)) return;
    TORCH_CHECK(tensor.device().type() == KIND, op.schema().operator_name(),
                ": expected all tensors on one device, found one of ", tensor.sizes(), " on ",
                tensor.device());
    TORCH_CHECK(!seen || *seen == tensor.device(), op.schema().operator_name(), ": tensors on ",
                *seen, " and ", tensor.device());
    seen = tensor.device();
}

void compute(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
    std::optional<at::Device> seen;
    for (const c10::IValue &value : torch::jit::last(*stack, op.schema().arguments().size())) {
        if (value.isTensor()) check_place(op, value.toTensor(), seen);
        if (value.isTensorList())
            for (const at::Tensor &one : value.toTensorVector()) check_place(op, one, seen);
        if (value.isOptionalTensorList())
            for (const std::optional<at::Tensor> &one : value.toOptionalTensorVector())
                if (one) check_place(op, *one, seen);
    }
    c10::OptionalDeviceGuard on(seen);
    at::native::cpu_fallback(op, stack, true);
}

int64_t read_tokens = 0; /* whose embeddings were looked up */

at::Tensor embed(const at::Tensor &weight, const at::Tensor &ids, c10::SymInt padding, bool scale,
                 bool sparse) {
    read_tokens += ids.numel();
    return at::native::embedding_symint(weight, ids, padding, scale, sparse);
}

/* torch has no fallback for convolutions: it asks devices for one of their own. */
at::Tensor convolve(const at::Tensor &input, const at::Tensor &weight,
                    const std::optional<at::Tensor> &bias, c10::IntArrayRef stride,
                    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
                    c10::IntArrayRef output_padding, int64_t groups) {
    c10::DeviceGuard on(input.device());
    TORCH_CHECK(weight.device() == input.device() && (!bias || bias->device() == input.device()),
                "convolution: tensors on two devices");
    const std::optional<at::Tensor> more =
        bias ? std::optional<at::Tensor>(shared_with_host(*bias)) : std::nullopt;
    return at::convolution(shared_with_host(input), shared_with_host(weight), more, stride, padding,
                           dilation, transposed, output_padding, groups)
        .to(input.device());
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
    m.impl("convolution_overrideable", convolve);
    m.impl("embedding", embed);
    m.impl("empty.memory_format", empty);
    m.impl("empty_strided", empty_strided);
    m.impl("_copy_from", copy_from);
    m.impl("_copy_from_and_resize", copy_back);
    m.impl("_local_scalar_dense", scalar_of);
    m.impl("as_strided", at::native::as_strided_tensorimpl);
    m.impl("view", at::native::view);
    m.impl("_reshape_alias", at::native::_reshape_alias);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&compute>());
}

/* Autocast, as torch has it for CUDA: products are computed in the lower type. */
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
    m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
    KERNEL_PRIVATEUSEONE(linear, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(scaled_dot_product_attention, lower_precision_fp)
}

/* Memory of a device as the host reads it, and the stream of a device as kernels are given it. */
extern "C" void *other_device_to_host(const void *memory_of_device) {
    return of_host(memory_of_device);
}
extern "C" void *other_device_stream(int device) {
    const Devices devices;
    const c10::Device which(KIND, static_cast<c10::DeviceIndex>(device));
    return devices.getStreamNativeHandle(devices.getStream(which));
}

/* How many tokens models have read on these devices. */
extern "C" int64_t other_device_read() {
    return read_tokens;
}

/* The current device of this thread, which a call of the library leaves as it was. */
extern "C" int other_device_current() {
    return current;
}

static const bool registered = [] {
    static Hooks hooks;
    c10::register_privateuse1_backend("other");
    at::RegisterPrivateUse1HooksInterface(&hooks);
    c10::SetAllocator(KIND, &memory);
    return true;
}();
