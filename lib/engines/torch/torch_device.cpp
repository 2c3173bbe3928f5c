/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: which one a name chooses, and the part of libtorch that runs on CUDA devices.
 *
 * The engine is linked to the part of libtorch for the CPU. That for CUDA, libtorch_cuda.so beside
 * it, has half a gigabyte and needs a driver, so that it is loaded when a CUDA device is asked for;
 * in a Python program that imported torch it is there already. Everything behind find_device() is
 * written for tensors of any device: numbers that the CPU makes (ids, positions, labels) are copied
 * to the model's device, and results are copied back when they are given to the library.
 *
 * Devices of other kinds that the process has added to its torch are accepted by their names. */
#include <dlfcn.h>

#include <mutex>

#include <ATen/Context.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include "torch_parts.h"

namespace alcore_torch {

/* Loads libtorch_cuda.so from the folder of the libtorch of this process, once. Returns why it
 * could not be loaded, empty when it is there. It is never unloaded. torch asks once in a process
 * whether there is CUDA, and remembers a no that was given before the library was loaded. */
static std::string load_cuda() {
    static std::mutex once;
    std::lock_guard<std::mutex> locked(once);
    if (!c10::impl::hasDeviceGuardImpl(at::kCUDA)) {
        Dl_info own;
        if (dladdr(reinterpret_cast<void *>(&aoti_torch_abi_version), &own) == 0)
            return "the folder of libtorch is not known";
        std::string path = own.dli_fname;
        path = path.substr(0, path.rfind('/') + 1) + "libtorch_cuda.so";
        if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) return dlerror();
    }
    if (!at::globalContext().hasCUDA())
        return "no CUDA device answers, or this process asked torch for one before its CUDA part "
               "was loaded";
    return "";
}

/* Whether the machine has a driver for CUDA devices, which is a file and costs little to find. */
static bool has_driver() {
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (driver == nullptr) return false;
    dlclose(driver);
    return true;
}

/* The device of a name: "cpu", "cuda" (the current one), "cuda:1", or as "auto" a CUDA device where
 * one can be used, else the CPU. Throws where there is no such device. */
at::Device find_device(const Host &host, const std::string &name) {
    if (name == "cpu") return at::kCPU;
    if (name == "auto" && is_forked()) return at::kCPU; /* a driver does not live on in a child */
    if (name == "auto") {
        if (!c10::impl::hasDeviceGuardImpl(at::kCUDA) && !has_driver()) return at::kCPU;
        std::string reason = load_cuda();
        if (!reason.empty()) {
            host.log("device auto: the CPU, because " + reason);
            return at::kCPU;
        }
    }
    at::Device device = at::kCPU;
    try {
        device = at::Device(name == "auto" ? "cuda" : name);
    } catch (const c10::Error &) {
        fail(ALCORE_E_INVALID,
             "device %s is not known; give auto, cpu, cuda, or cuda with a number, such as cuda:1",
             name.c_str());
    }
    std::string reason;
    if (is_forked())
        reason = "a child of fork() cannot use devices, as drivers do not live on in it";
    else if (device.is_cuda())
        reason = load_cuda();
    else if (device.is_meta() || !c10::impl::hasDeviceGuardImpl(device.type()))
        reason = "this torch has no such devices";
    if (!reason.empty())
        fail(ALCORE_E_UNSUPPORTED, "device %s: %s; %sdevice=cpu runs everywhere", name.c_str(),
             reason.c_str(),
             device.is_cuda() ? "pip install torch installs what CUDA devices need, and " : "");
    const c10::impl::DeviceGuardImplInterface *devices =
        c10::impl::getDeviceGuardImpl(device.type());
    int count = devices->deviceCount();
    if (count == 0 || device.index() >= count)
        fail(ALCORE_E_UNSUPPORTED, "device %s: this machine has %d of that kind", name.c_str(),
             count);
    return device.has_index() ? device : devices->getDevice();
}

} // namespace alcore_torch
