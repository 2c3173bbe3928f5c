/* SPDX-License-Identifier: Apache-2.0 */
/* alcore_tensor has the layout of DLTensor, asserted against the real header (docs/abi.md). */
#include <dlpack/dlpack.h>
#include <stdio.h>
#include <string.h>

#include "alcore/tensor.h"

#define SAME(ours, our_member, theirs, their_member)                                               \
    _Static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member) &&                 \
                       sizeof(((ours *)0)->our_member) == sizeof(((theirs *)0)->their_member),     \
                   #our_member)

_Static_assert(sizeof(alcore_tensor) == sizeof(DLTensor), "alcore_tensor");
SAME(alcore_tensor, data, DLTensor, data);
SAME(alcore_tensor, device, DLTensor, device);
SAME(alcore_tensor, ndim, DLTensor, ndim);
SAME(alcore_tensor, dtype, DLTensor, dtype);
SAME(alcore_tensor, shape, DLTensor, shape);
SAME(alcore_tensor, strides, DLTensor, strides);
SAME(alcore_tensor, byte_offset, DLTensor, byte_offset);
_Static_assert(sizeof(alcore_dtype) == sizeof(DLDataType), "alcore_dtype");
SAME(alcore_dtype, code, DLDataType, code);
SAME(alcore_dtype, bits, DLDataType, bits);
SAME(alcore_dtype, lanes, DLDataType, lanes);
_Static_assert(sizeof(alcore_device) == sizeof(DLDevice), "alcore_device");
SAME(alcore_device, type, DLDevice, device_type);
SAME(alcore_device, id, DLDevice, device_id);
_Static_assert(ALCORE_KIND_INT == (int)kDLInt && ALCORE_KIND_UINT == (int)kDLUInt &&
                   ALCORE_KIND_FLOAT == (int)kDLFloat && ALCORE_KIND_BFLOAT == (int)kDLBfloat,
               "kinds of numbers");
_Static_assert(ALCORE_DEVICE_CPU == (int)kDLCPU && ALCORE_DEVICE_CUDA == (int)kDLCUDA &&
                   ALCORE_DEVICE_CUDA_HOST == (int)kDLCUDAHost &&
                   ALCORE_DEVICE_CUDA_MANAGED == (int)kDLCUDAManaged,
               "kinds of devices");

int main(void) {
    float numbers[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[2] = {3, 2};
    DLTensor theirs = {numbers, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, NULL, 4};
    alcore_tensor ours;
    memcpy(&ours, &theirs, sizeof ours);
    int good = ours.data == numbers && ours.ndim == 2 && ours.shape[0] == 3 &&
               ours.dtype.bits == 32 && ours.device.type == ALCORE_DEVICE_CPU && !ours.strides &&
               ours.byte_offset == 4;
    printf("%s 1 - a DLTensor reads as an alcore_tensor\n1..1\n", good ? "ok" : "not ok");
    return 0;
}
