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
    static const alcore_tensor nothing;
    memset(&tensor, 7, sizeof tensor);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_TEXT, none, 2), ALCORE_E_INVALID);
    ck_assert_mem_eq(&tensor, &nothing, sizeof tensor);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, NULL, 2),
                     ALCORE_E_INVALID);
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, none, -1),
                     ALCORE_E_INVALID);
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

/* Memory of the host that a device can read too is read as any other; what is not said to be such
 * is not. */
START_TEST(pinned_memory_is_read_as_host_memory) {
    int64_t shape[] = {3, 4};
    alcore_tensor tensor;
    alcore__array array;
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    tensor.device.type = ALCORE_DEVICE_CUDA_HOST;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
    ck_assert_ptr_eq(array.data, numbers);
    ck_assert(!array.on_device);
    tensor.device.type = 99;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_E_UNSUPPORTED);
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

/* The distance to the last number, in bytes, does not fit into 64 bits, by one product or their
 * sum. */
START_TEST(spans_beyond_the_address_space_are_refused) {
    static const int64_t far[] = {INT64_MAX,         INT64_MAX - 1, INT64_MAX / 2, INT64_MAX / 4,
                                  INT64_MAX / 8 + 2, INT64_MIN,     -INT64_MAX};
    int64_t shape[] = {3, 4}, strides[] = {4, 1};
    alcore_tensor tensor;
    alcore__array array;
    ck_assert_int_eq(alcore_tensor_init(&tensor, numbers, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    tensor.strides = strides;
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        strides[0] = far[i];
        ck_assert_int_eq(view(&tensor, &array), ALCORE_E_SHAPE);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "embeddings: dimension 0 has 3 entries"));
        strides[0] = 4;
        strides[1] = far[i];
        ck_assert_int_eq(alcore__tensor_check_span(&tensor, "x"), ALCORE_E_SHAPE);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), "x: dimension 1 has 4 entries"));
        strides[1] = 1;
    }
    strides[0] = INT64_MAX / 8 - 4; /* 2 steps of 4 bytes: the last row begins within 2^63 */
    ck_assert_int_eq(alcore__tensor_check_span(&tensor, "x"), ALCORE_OK);
    strides[0] = INT64_MAX;
    shape[0] = 1; /* nothing is that far away */
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
    shape[0] = 3;
    shape[1] = 0;
    ck_assert_int_eq(view(&tensor, &array), ALCORE_OK);
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
            pinned_memory_is_read_as_host_memory, views_are_refused_by_name,
            spans_beyond_the_address_space_are_refused, number_types);
