/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "base/tensor_view.h"
#include "check_suite.h"

/* DLPack's structs as its specification lays them out on 64-bit machines; real headers are in the
 * header test. */
_Static_assert(sizeof(alcore_dtype) == 4 && sizeof(alcore_device) == 8, "DLDataType, DLDevice");
_Static_assert(offsetof(alcore_tensor, device) == 8 && offsetof(alcore_tensor, ndim) == 16 &&
                   offsetof(alcore_tensor, dtype) == 20 && offsetof(alcore_tensor, shape) == 24 &&
                   offsetof(alcore_tensor, strides) == 32 &&
                   offsetof(alcore_tensor, byte_offset) == 40 && sizeof(alcore_tensor) == 48,
               "DLTensor");

static float numbers[24];

START_TEST(init_describes_an_array) {
    int64_t shape[] = {4, 6};
    alcore_tensor tensor;
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_BFLOAT16, shape, 2), ALCORE_OK);
    ck_assert_int_eq(tensor.dtype.code, ALCORE_KIND_BFLOAT);
    ck_assert_int_eq(tensor.dtype.bits, 16);
    ck_assert_int_eq(tensor.dtype.lanes, 1);
    ck_assert_int_eq(tensor.device.type, ALCORE_DEVICE_CPU);
    ck_assert_ptr_eq(tensor.shape, shape);
    ck_assert_ptr_null(tensor.strides);
}
END_TEST

START_TEST(init_refuses) {
    int64_t shape[] = {4, -6}, huge[] = {INT64_MAX, 2}, none[] = {0, 3};
    alcore_tensor tensor;
    ck_assert_int_eq(alcore_tensor_init(NULL, numbers, ALCORE_FLOAT32, shape, 1), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, 99, shape, 1), ALCORE_E_INVALID);
    ck_assert_ptr_null(tensor.data);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 0),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, huge, 2),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, NULL, ALCORE_FLOAT32, shape, 1), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, NULL, ALCORE_FLOAT32, none, 2), ALCORE_OK);
}
END_TEST

static alcore_status view(const alcore_tensor *tensor, alcore__array *out) {
    return alcore__tensor_view(tensor, "embeddings", out);
}

START_TEST(views_of_rows) {
    int64_t shape[] = {3, 4}, strides[] = {8, 1};
    alcore_tensor tensor;
    alcore__array array;
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
    ck_assert_int_eq(array.rows, 3);
    ck_assert_int_eq(array.columns, 4);
    ck_assert_int_eq(array.stride, 4);
    ck_assert_int_eq(array.dtype, ALCORE_FLOAT32);
    tensor.strides = strides;
    tensor.byte_offset = 8;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
    ck_assert_int_eq(array.stride, 8);
    ck_assert_ptr_eq(array.data, numbers + 2);
    tensor.ndim = 1;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
    ck_assert_int_eq(array.columns, 1);
    ck_assert_int_eq(array.stride, 8);
}
END_TEST

START_TEST(views_are_refused_by_name) {
    int64_t shape[] = {3, 4}, columns_first[] = {1, 3}, overlap[] = {2, 1};
    alcore_tensor tensor;
    alcore__array array;
    ck_assert_int_eq(view(NULL, &array), ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    tensor.strides = columns_first;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "embeddings"));
    tensor.strides = overlap;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    tensor.strides = NULL;
    tensor.byte_offset = 1;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    tensor.byte_offset = 0;
    tensor.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_UNSUPPORTED);
    tensor.device.type = ALCORE_DEVICE_CPU;
    tensor.dtype.lanes = 2;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    tensor.dtype.lanes = 1;
    tensor.ndim = 3;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    tensor.ndim = 2;
    shape[0] = INT64_MAX / 2;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
    shape[0] = 3;
    tensor.data = NULL;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_INVALID);
}
END_TEST

START_TEST(number_types) {
    ck_assert_uint_eq(alcore_sys_dtype_bytes(ALCORE_FLOAT16), 2);
    ck_assert_uint_eq(alcore_sys_dtype_bytes(ALCORE_UINT64), 8);
    ck_assert_uint_eq(alcore_sys_dtype_bytes(0), 0);
    ck_assert_str_eq(alcore__dtype_name(ALCORE_BFLOAT16), "bfloat16");
    ck_assert_str_eq(alcore__dtype_name(0), "unknown");
}
END_TEST

CHECK_SUITE("tensor", init_describes_an_array, init_refuses, views_of_rows,
            views_are_refused_by_name, number_types);
