/* SPDX-License-Identifier: Apache-2.0 */
/* Callers' tensors: making one (alcore/tensor.h), and checking one before it is read or written
 * (tensor_view.h). Data types stand in one table, number_types. */
#include "alcore/tensor.h"

#include <string.h>

#include "base/tensor_view.h"

static const struct {
    int32_t dtype; /* ALCORE_FLOAT16, ... */
    uint8_t code;  /* DLPack's kind of number */
    const char *name;
} number_types[] = {
    {ALCORE_FLOAT16, ALCORE_KIND_FLOAT, "float16"},
    {ALCORE_BFLOAT16, ALCORE_KIND_BFLOAT, "bfloat16"},
    {ALCORE_FLOAT32, ALCORE_KIND_FLOAT, "float32"},
    {ALCORE_FLOAT64, ALCORE_KIND_FLOAT, "float64"},
    {ALCORE_INT32, ALCORE_KIND_INT, "int32"},
    {ALCORE_INT64, ALCORE_KIND_INT, "int64"},
    {ALCORE_UINT64, ALCORE_KIND_UINT, "uint64"},
    {ALCORE_UINT8, ALCORE_KIND_UINT, "uint8"},
};
#define TYPES (sizeof number_types / sizeof *number_types)

const char *alcore__dtype_name(int32_t dtype) {
    for (size_t i = 0; i < TYPES; i++)
        if (number_types[i].dtype == dtype) return number_types[i].name;
    return "unknown";
}

/* The four float types have adjacent numbers. */
bool alcore__dtype_is_float(int32_t dtype) {
    return dtype >= ALCORE_FLOAT16 && dtype <= ALCORE_FLOAT64;
}

bool alcore__dtype_is_integer(int32_t dtype) {
    return dtype == ALCORE_INT32 || dtype == ALCORE_INT64;
}

/* alcore_tensor_init() within a call: shape [ndim] is kept, not copied. */
static alcore_status init(alcore_tensor *out, void *data, int32_t dtype, int64_t *shape,
                          int32_t ndim) {
    if (!out) return alcore__fail(ALCORE_E_INVALID, "out is NULL");
    memset(out, 0, sizeof *out);
    if (ndim < 1 || !shape)
        return alcore__fail(ALCORE_E_INVALID, "a tensor needs a shape of 1 dimension or more");
    int64_t numbers = 1;
    for (int32_t i = 0; i < ndim; i++) {
        if (shape[i] < 0)
            return alcore__fail(ALCORE_E_INVALID, "dimension %d of the tensor is negative", i);
        if (__builtin_mul_overflow(numbers, shape[i], &numbers))
            return alcore__fail(ALCORE_E_INVALID, "the tensor's shape overflows");
    }
    if (numbers > 0 && !data) return alcore__fail(ALCORE_E_INVALID, "the tensor's data is NULL");
    for (size_t i = 0; i < TYPES; i++) {
        if (number_types[i].dtype != dtype) continue;
        *out = (alcore_tensor){.data = data,
                               .device = {.type = ALCORE_DEVICE_CPU},
                               .ndim = ndim,
                               .dtype = {.code = number_types[i].code,
                                         .bits = (uint8_t)(8 * alcore_sys_dtype_bytes(dtype)),
                                         .lanes = 1},
                               .shape = shape};
        return ALCORE_OK;
    }
    return alcore__fail(ALCORE_E_INVALID, "dtype %d is not one of ALCORE_FLOAT16 .. ALCORE_UINT8",
                        dtype);
}

alcore_status alcore_tensor_init(alcore_tensor *out, void *data, int32_t dtype, int64_t *shape,
                                 int32_t ndim) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, init(out, data, dtype, shape, ndim));
}

/* Says in *view on which device the tensor is. Devices that no engine of the library knows are
 * refused, and with host_only CUDA devices too. */
static alcore_status check_device(const alcore_tensor *tensor, const char *name, bool host_only,
                                  alcore__array *view) {
    const int32_t type = tensor->device.type;
    view->on_device = type == ALCORE_DEVICE_CUDA || type == ALCORE_DEVICE_CUDA_MANAGED;
    if (view->on_device) view->device = tensor->device.id;
    if (!view->on_device && type != ALCORE_DEVICE_CPU && type != ALCORE_DEVICE_CUDA_HOST)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: device type %d is not host memory", name,
                            type);
    if (view->on_device && host_only)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s is in the memory of cuda:%d, and this call reads host memory: copy "
                            "it there first (.cpu() in PyTorch)",
                            name, view->device);
    return ALCORE_OK;
}

/* Checks everything of a tensor but device, strides and data: 1 or 2 dimensions, a known type,
 * which becomes *dtype. */
static alcore_status check_tensor(const alcore_tensor *tensor, const char *name, int32_t *dtype) {
    if (tensor->ndim < 1 || tensor->ndim > 2 || !tensor->shape)
        return alcore__fail(ALCORE_E_SHAPE, "%s has %d dimensions, not 1 or 2", name, tensor->ndim);
    for (int32_t i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] < 0)
            return alcore__fail(ALCORE_E_SHAPE, "%s: dimension %d is negative", name, i);
    for (size_t i = 0; i < TYPES; i++) {
        if (number_types[i].code != tensor->dtype.code ||
            8 * alcore_sys_dtype_bytes(number_types[i].dtype) != tensor->dtype.bits ||
            tensor->dtype.lanes != 1)
            continue;
        *dtype = number_types[i].dtype;
        return ALCORE_OK;
    }
    return alcore__fail(ALCORE_E_SHAPE, "%s: numbers of kind %d with %d bits are not supported",
                        name, tensor->dtype.code, tensor->dtype.bits);
}

/* The distance from the first number to the last one is a sum of products of steps and strides, in
 * bytes: each has to be one that an address can have. Along a dimension of length 1 nothing is
 * read; a tensor without numbers spans nothing. */
alcore_status alcore__tensor_check_span(const alcore_tensor *tensor, const char *name) {
    const int64_t bytes = (tensor->dtype.bits + 7) / 8;
    int64_t span = bytes, product;
    for (int32_t i = 0; i < tensor->ndim; i++)
        if (tensor->shape[i] == 0 || !tensor->strides) return ALCORE_OK;
    for (int32_t i = 0; i < tensor->ndim; i++) {
        const int64_t stride = tensor->strides[i];
        if (tensor->shape[i] == 1) continue;
        if (stride == INT64_MIN ||
            __builtin_mul_overflow(stride < 0 ? -stride : stride, tensor->shape[i] - 1, &product) ||
            __builtin_mul_overflow(product, bytes, &product) ||
            __builtin_add_overflow(span, product, &span))
            return alcore__fail(ALCORE_E_SHAPE,
                                "%s: dimension %d has %lld entries with the stride %lld: they span "
                                "more bytes than can be addressed",
                                name, i, (long long)tensor->shape[i], (long long)stride);
    }
    return ALCORE_OK;
}

/* Checks device, shape, strides, alignment and data of a caller's tensor and describes it as rows
 * with a stride; no number is read. name: the argument's, for the error. */
static alcore_status make_view(const alcore_tensor *tensor, const char *name, bool host_only,
                               alcore__array *out) {
    alcore__array view = {0};
    int64_t numbers;
    if (!tensor) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", name);
    ALCORE__TRY(check_device(tensor, name, host_only, &view));
    ALCORE__TRY(check_tensor(tensor, name, &view.dtype));
    bool matrix = tensor->ndim == 2;
    view.rows = tensor->shape[0];
    view.columns = matrix ? tensor->shape[1] : 1;
    view.stride = view.columns;
    if (__builtin_mul_overflow(view.rows, view.columns, &numbers) ||
        numbers > INT64_MAX / (int64_t)sizeof(double))
        return alcore__fail(ALCORE_E_SHAPE, "%s: the shape overflows", name);
    ALCORE__TRY(alcore__tensor_check_span(tensor, name));
    if (tensor->strides && numbers > 0) {
        if (matrix && view.columns > 1 && tensor->strides[1] != 1)
            return alcore__fail(ALCORE_E_SHAPE,
                                "%s: the numbers of a row must be adjacent (stride 1), not %lld "
                                "apart; make it contiguous (.contiguous() in PyTorch)",
                                name, (long long)tensor->strides[1]);
        if (view.rows > 1) view.stride = tensor->strides[0];
        if (view.stride < view.columns)
            return alcore__fail(ALCORE_E_SHAPE,
                                "%s: stride %lld between rows of %lld numbers: rows overlap", name,
                                (long long)view.stride, (long long)view.columns);
    }
    if (numbers > 0 && !tensor->data)
        return alcore__fail(ALCORE_E_INVALID, "%s: the data is NULL", name);
    view.data = tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL;
    if ((uintptr_t)view.data % alcore_sys_dtype_bytes(view.dtype) != 0)
        return alcore__fail(ALCORE_E_SHAPE, "%s: the data is not aligned for %s", name,
                            alcore__dtype_name(view.dtype));
    *out = view;
    return ALCORE_OK;
}

alcore_status alcore__tensor_view(const alcore_tensor *tensor, const char *name,
                                  alcore__array *out) {
    return make_view(tensor, name, true /* host memory only */, out);
}

alcore_status alcore__tensor_view_any(const alcore_tensor *tensor, const char *name,
                                      alcore__array *out) {
    return make_view(tensor, name, false /* any device */, out);
}

/* Checks a caller's tensor that a call fills: exactly this type and shape, rows without gaps. */
static alcore_status make_output(const alcore_tensor *tensor, const char *name, int32_t dtype,
                                 int64_t rows, int64_t columns, bool host_only,
                                 alcore__array *out) {
    alcore__array view;
    ALCORE__TRY(make_view(tensor, name, false /* any device */, &view));
    if (view.on_device && host_only)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s is in the memory of cuda:%d, and this call writes host memory: "
                            "give an array there and copy it",
                            name, view.device);
    if (view.dtype != dtype)
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected %s, found %s", name,
                            alcore__dtype_name(dtype), alcore__dtype_name(view.dtype));
    if (view.rows != rows || view.columns != columns)
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected [%lld, %lld], found [%lld, %lld]", name,
                            (long long)rows, (long long)columns, (long long)view.rows,
                            (long long)view.columns);
    if (rows > 1 && view.stride != columns)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: the rows must follow one another without gaps; give a contiguous "
                            "array",
                            name);
    *out = view;
    return ALCORE_OK;
}

alcore_status alcore__tensor_output(const alcore_tensor *tensor, const char *name, int32_t dtype,
                                    int64_t rows, int64_t columns, alcore__array *out) {
    return make_output(tensor, name, dtype, rows, columns, true /* host memory only */, out);
}

alcore_status alcore__tensor_output_any(const alcore_tensor *tensor, const char *name,
                                        int32_t dtype, int64_t rows, int64_t columns,
                                        alcore__array *out) {
    return make_output(tensor, name, dtype, rows, columns, false /* any device */, out);
}
