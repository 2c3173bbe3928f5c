/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "format_test.h"
#include "npy_file.h"

static memory_host host;

/* A file under construction. */
typedef struct draft {
    unsigned char bytes[1024];
    size_t length;
} draft;

static alcore_status open_array(const char *path, const void *data, size_t bytes,
                                alcore__array_info *out) {
    alcore__file *file = NULL;
    memory_host_file(&host, data, bytes);
    alcore_status status = alcore__array_open(host.ctx, path, out, &file);
    ck_assert((status == ALCORE_OK) == (file != NULL));
    alcore__file_close(file);
    return status;
}

static draft make_npy(int version, const char *header, size_t data) {
    draft file = {{0}, 0};
    size_t length = strlen(header), start = version > 1 ? 12 : 10;
    memcpy(file.bytes, "\x93NUMPY", 6);
    file.bytes[6] = (unsigned char)version;
    file.bytes[8] = (unsigned char)length;
    memcpy(file.bytes + start, header, length);
    file.length = start + length + data;
    return file;
}

static void npy_works(const char *header, size_t data, int32_t dtype, int32_t ndim, int64_t rows,
                      int64_t dims) {
    for (int version = 1; version <= 3; version++) {
        draft file = make_npy(version, header, data);
        alcore__array_info info;
        ck_works(open_array("a.npy", file.bytes, file.length, &info));
        ck_assert_int_eq(info.dtype, dtype);
        ck_assert_int_eq(info.ndim, ndim);
        ck_assert_int_eq(info.shape[0], rows);
        ck_assert_int_eq(info.shape[1], dims);
        ck_assert_int_eq(info.data_start, (int64_t)(file.length - data));
    }
}

static void npy_fails(const char *header, size_t data, const char *words) {
    draft file = make_npy(1, header, data);
    alcore__array_info info;
    ck_fails(open_array("a.npy", file.bytes, file.length, &info), ALCORE_E_DATA, words);
}

START_TEST(npy_headers) {
    npy_works("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n", 48, ALCORE_FLOAT32,
              2, 3, 4);
    npy_works("{'descr': '<f2', 'fortran_order': False, 'shape': (5,), }\n", 10, ALCORE_FLOAT16, 1,
              5, 1);
    npy_works("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", 8, ALCORE_FLOAT64, 2, 1,
              1);
    npy_works("{\"shape\":(2,),\"descr\":\"<i8\",\"fortran_order\":False}", 16, ALCORE_INT64, 1, 2,
              1);
    npy_works("{'descr': '<i4', 'fortran_order': False, 'shape': (0,), }\n", 0, ALCORE_INT32, 1, 0,
              1);
    npy_works("{'descr': '<u8', 'fortran_order': False, 'shape': (1,), }\n", 8, ALCORE_UINT64, 1, 1,
              1);
    npy_works("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", 3, ALCORE_UINT8, 1, 3,
              1);
}
END_TEST

/* Reads a whole array and compares it with what numpy reads. */
static void npy_gives(const char *header, const void *data, size_t bytes, int32_t dtype,
                      const void *expected, size_t expected_bytes) {
    draft file = make_npy(1, header, bytes);
    memcpy(file.bytes + file.length - bytes, data, bytes);
    memory_host_file(&host, file.bytes, file.length);
    alcore__array_info info;
    alcore__file *out = NULL;
    ck_works(alcore__array_open(host.ctx, "a.npy", &info, &out));
    ck_assert_int_eq(info.dtype, dtype);
    const size_t row = (size_t)info.shape[1] * alcore_sys_dtype_bytes(dtype);
    ck_assert_uint_eq((size_t)info.shape[0] * row, expected_bytes);
    unsigned char whole[256], parts[256];
    ck_works(alcore__array_read(out, &info, 0, info.shape[0], whole));
    ck_assert_mem_eq(whole, expected, expected_bytes);
    for (int64_t i = 0; i < info.shape[0]; i++)
        ck_works(alcore__array_read(out, &info, i, 1, parts + (size_t)i * row));
    ck_assert_mem_eq(parts, expected, expected_bytes);
    alcore__file_close(out);
}

#define NPY(type, order, shape)                                                                    \
    "{'descr': '" type "', 'fortran_order': " order ", 'shape': (" shape "), }\n"

/* Byte orders, memory orders and types, as numpy 2.4.6 and ml_dtypes 0.6.0 write them. */
START_TEST(npy_orders) {
    const float rows[] = {1, 2, 3, 4, 5, 6};
    const float columns[] = {1, 4, 2, 5, 3, 6};
    npy_gives(NPY("<f4", "False", "2, 3"), rows, 24, ALCORE_FLOAT32, rows, 24);
    npy_gives(NPY("<f4", "True", "2, 3"), columns, 24, ALCORE_FLOAT32, rows, 24);
    npy_gives(NPY("<f4", "True", "6,"), rows, 24, ALCORE_FLOAT32, rows, 24);
    unsigned char swapped[24];
    for (int i = 0; i < 24; i++) swapped[i] = ((const unsigned char *)columns)[i ^ 3];
    npy_gives(NPY(">f4", "True", "2, 3"), swapped, 24, ALCORE_FLOAT32, rows, 24);
    for (int i = 0; i < 24; i++) swapped[i] = ((const unsigned char *)rows)[i ^ 3];
    npy_gives(NPY(">f4", "False", "2, 3"), swapped, 24, ALCORE_FLOAT32, rows, 24);
    npy_gives(NPY(">f8", "False", "1,"), "\x3F\xF8\0\0\0\0\0\0", 8, ALCORE_FLOAT64, &(double){1.5},
              8);
    npy_gives(NPY(">f2", "False", "1,"), "\x3E\0", 2, ALCORE_FLOAT16, "\0\x3E", 2);
    npy_gives(NPY(">i8", "False", "1,"), "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE", 8, ALCORE_INT64,
              &(int64_t){-2}, 8);
    npy_gives(NPY(">u8", "False", "1,"), "\0\0\0\0\0\0\1\2", 8, ALCORE_UINT64, &(uint64_t){258}, 8);
    npy_gives(NPY(">i4", "False", "1,"), "\xFF\xFF\xFF\xFE", 4, ALCORE_INT32, &(int32_t){-2}, 4);
}
END_TEST

START_TEST(npy_types) {
    npy_gives(NPY("<V2", "False", "2,"), "\x80\x3F\x20\xC0", 4, ALCORE_BFLOAT16, "\x80\x3F\x20\xC0",
              4);
    npy_gives(NPY(">V2", "False", "2,"), "\x3F\x80\xC0\x20", 4, ALCORE_BFLOAT16, "\x80\x3F\x20\xC0",
              4);
    npy_gives(NPY("|b1", "False", "3,"), "\1\0\1", 3, ALCORE_UINT8, "\1\0\1", 3);
    npy_gives(NPY("|i1", "False", "3,"), "\xFF\0\x7F", 3, ALCORE_INT32, (int32_t[]){-1, 0, 127},
              12);
    npy_gives(NPY("<i2", "False", "3,"), "\xFE\xFF\0\0\1\2", 6, ALCORE_INT32,
              (int32_t[]){-2, 0, 513}, 12);
    npy_gives(NPY(">i2", "True", "2, 2"), "\xFF\xFE\0\1\0\2\0\3", 8, ALCORE_INT32,
              (int32_t[]){-2, 2, 1, 3}, 16);
    npy_gives(NPY("<u2", "False", "2,"), "\xFE\xFF\1\0", 4, ALCORE_INT32, (int32_t[]){65534, 1}, 8);
    npy_gives(NPY("<u4", "False", "2,"), "\xFE\xFF\xFF\xFF\1\0\0\0", 8, ALCORE_INT64,
              (int64_t[]){4294967294, 1}, 16);
    npy_gives(NPY(">u4", "False", "1,"), "\0\0\1\0", 4, ALCORE_INT64, (int64_t[]){256}, 8);
    alcore__array_info info = {.dtype = ALCORE_UINT8};
    alcore__array_widen_bytes(&info);
    ck_assert(info.dtype == ALCORE_INT32 && info.stored == ALCORE__STORED_UINT8);
    alcore__array_widen_integers(&info);
    ck_assert(info.dtype == ALCORE_INT64 && info.stored == ALCORE__STORED_UINT8);
    info = (alcore__array_info){.dtype = ALCORE_INT32};
    alcore__array_widen_integers(&info);
    ck_assert(info.dtype == ALCORE_INT64 && info.stored == ALCORE__STORED_INT32);
    info = (alcore__array_info){.dtype = ALCORE_UINT64};
    alcore__array_widen_integers(&info);
    ck_assert(info.dtype == ALCORE_UINT64 && info.stored == ALCORE__STORED_SAME);
}
END_TEST

/* A column that is longer than the piece in which it is read. */
START_TEST(long_columns_in_fortran_order) {
    enum { ROWS = 5000, COLUMNS = 3 };
    int64_t *columns = malloc(ROWS * COLUMNS * sizeof *columns);
    int64_t *rows = malloc(ROWS * COLUMNS * sizeof *rows);
    for (int64_t row = 0; row < ROWS; row++)
        for (int64_t column = 0; column < COLUMNS; column++)
            columns[column * ROWS + row] = row * COLUMNS + column;
    memory_host_file(&host, columns, ROWS * COLUMNS * sizeof *columns);
    alcore__file *file = NULL;
    ck_works(alcore__file_open(host.ctx, "a", &file));
    const alcore__array_info info = {
        .dtype = ALCORE_INT64, .ndim = 2, .shape = {ROWS, COLUMNS}, .fortran = true};
    ck_works(alcore__array_read(file, &info, 0, ROWS, rows));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++) ck_assert_int_eq(rows[i], i);
    ck_works(alcore__array_read(file, &info, 4990, 2, rows));
    for (int64_t i = 0; i < 2 * COLUMNS; i++) ck_assert_int_eq(rows[i], 4990 * COLUMNS + i);
    alcore__file_close(file);
    free(columns);
    free(rows);
}
END_TEST

START_TEST(npy_errors) {
#define HEAD "{'descr': '<f4', 'fortran_order': False, "
    npy_fails(HEAD "'shape': (3, 4), }\n", 40, "a.npy is truncated: 110 bytes of 118");
    npy_fails(HEAD "'shape': (3, 4), }\n", 49, "has 1 bytes after its array");
    npy_fails("{'descr': '<f16', 'fortran_order': False, 'shape': (3,), }", 48,
              "numbers of type '<f16' are not read (save x.astype(numpy.float32), or numpy.int64");
    npy_fails("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 24, "type '<c8'");
    npy_fails("{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }", 6, "raw bytes");
    npy_fails("{'descr': '<V1', 'fortran_order': False, 'shape': (3,), }", 3, "raw bytes");
    npy_fails("{'descr': '<U3', 'fortran_order': False, 'shape': (3,), }", 36, "texts, which");
    npy_fails("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (3,), }", 24, "'<M8[ns]'");
    npy_fails("{'descr': '<', 'fortran_order': False, 'shape': (3,), }", 12, "type '<'");
    npy_fails("{'descr': '', 'fortran_order': False, 'shape': (3,), }", 12, "type ''");
    npy_fails("{'descr': '<b1', 'fortran_order': False, 'shape': (3,), }", 3, "type '<b1'");
    npy_fails("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", 12,
              "type '|O' are not read (Python objects: save numpy.asarray");
    npy_fails("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", 12,
              "a structured array");
    npy_fails(HEAD "'shape': (1, 2, 3), }", 24, "more than two dimensions: save x.reshape");
    npy_fails(HEAD "'shape': (1, 2, 3, 1), }", 24, "more than three dimensions");
    npy_fails(HEAD "'shape': (4611686018427387904, 4, 1), }", 24, "impossible shape");
    npy_fails("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 3), }", 24, "Fortran order");
    npy_fails(HEAD "'shape': (), }", 4, "has no dimension");
    npy_fails(HEAD "'shape': (3), }", 12, "malformed shape");
    npy_fails(HEAD "'shape': (-3,), }", 12, "malformed shape");
    npy_fails(HEAD "'shape': (03,), }", 12, "malformed shape");
    npy_fails(HEAD "'shape': (3 4), }", 48, "malformed shape");
    npy_fails(HEAD "'shape': [3,], }", 12, "malformed");
    npy_fails(HEAD "'shape': (99999999999999999999,), }", 12, "malformed shape");
    npy_fails(HEAD "'shape': (4611686018427387904, 4), }", 12, "impossible shape");
    npy_fails(HEAD "'shape': (9223372036854775807,), }", 12, "impossible shape");
    npy_fails(HEAD "'shape': (2305843009213693951,), }", 12, "impossible shape");
    npy_fails(HEAD "'shape': (1000000000000,), }", 12, "is truncated: ");
    npy_fails(HEAD "'shape': (3,), 'shape': (3,)}", 12, "unknown or repeated key");
    npy_fails(HEAD "'shape': (3,), 'other': 1}", 12, "unknown or repeated key");
    npy_fails(HEAD "}", 12, "malformed");
    npy_fails("{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}", 12, "malformed");
    npy_fails("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", 12, "malformed");
    npy_fails(HEAD "'shape': (3,)} x", 12, "malformed");
    npy_fails("__import__('os')", 12, "malformed");
    npy_fails("", 0, "a.npy is truncated: 10 bytes");
    alcore__array_info info;
    draft file = make_npy(1, HEAD "'shape': (3,)}", 12);
    for (size_t length = 0; length < file.length; length++)
        ck_fails(open_array("a.npy", file.bytes, length, &info), ALCORE_E_DATA,
                 length < 6 ? "is no .npy file" : "is truncated: ");
    file.bytes[6] = 4;
    ck_fails(open_array("a.npy", file.bytes, file.length, &info), ALCORE_E_DATA,
             ".npy version 4.0 is not read");
    file = make_npy(2, HEAD "'shape': (3,)}", 12);
    file.bytes[11] = 0x80; /* 2 GiB of header */
    size_t live = host.live;
    host.peak = live;
    ck_fails(open_array("a.npy", file.bytes, file.length, &info), ALCORE_E_DATA,
             "longer than 65,536 bytes");
    ck_assert_uint_lt(host.peak - live, 1024);
#undef HEAD
}
END_TEST

START_TEST(npy_written_and_read) {
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    const int64_t shape[2] = {2, 3};
    ck_works(npy_file_write(host.ctx, "a.npy", ALCORE_FLOAT32, 2, shape, numbers));
    ck_assert_uint_eq(host.written_bytes, 128 + sizeof numbers);
    ck_assert_mem_eq(
        host.written,
        "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ",
        70);
    ck_assert_int_eq(host.written[127], '\n');
    ck_assert_mem_eq(host.written + 128, numbers, sizeof numbers);
    alcore__array_info info;
    ck_works(open_array("a.npy", host.written, host.written_bytes, &info));
    ck_assert_int_eq(info.data_start, 128);
    ck_assert(info.ndim == 2 && info.shape[0] == 2 && info.shape[1] == 3);
    const int64_t longest[1] = {INT64_MAX / 4};
    ck_fails(npy_file_write(host.ctx, "a.npy", ALCORE_FLOAT64, 1, longest, numbers),
             ALCORE_E_INVALID, "holds no such array");
    ck_fails(npy_file_write(host.ctx, "a.npy", ALCORE_BFLOAT16, 1, shape, numbers),
             ALCORE_E_INVALID, "holds no such array");
    ck_fails(npy_file_write(host.ctx, "a.npy", ALCORE_FLOAT32, 3, shape, numbers), ALCORE_E_INVALID,
             "holds no such array");
}
END_TEST

static draft make_safetensors(const char *header, size_t data) {
    draft file = {{0}, 0};
    size_t length = strlen(header);
    file.bytes[0] = (unsigned char)length;
    file.bytes[1] = (unsigned char)(length >> 8);
    memcpy(file.bytes + 8, header, length);
    file.length = 8 + length + data;
    return file;
}

START_TEST(safetensors_headers) {
    draft file = make_safetensors(
        "{\"__metadata__\":{\"format\":\"pt\"},\"e\":{\"dtype\":\"F16\",\"shape\":[2,3],"
        "\"data_offsets\":[4,16]},\"s\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  "
        " ",
        16);
    alcore__array_info info;
    ck_works(open_array("x.safetensors:e", file.bytes, file.length, &info));
    ck_assert(info.dtype == ALCORE_FLOAT16 && info.ndim == 2 && info.shape[0] == 2 &&
              info.shape[1] == 3);
    ck_assert_int_eq(info.data_start, (int64_t)file.length - 12);
    ck_works(open_array("x.safetensors:s", file.bytes, file.length, &info));
    ck_assert(info.dtype == ALCORE_FLOAT32 && info.ndim == 1 && info.shape[0] == 1 &&
              info.shape[1] == 1);
    ck_fails(open_array("x.safetensors:t", file.bytes, file.length, &info), ALCORE_E_DATA,
             "x.safetensors holds no tensor \"t\"; it has e, s");
    ck_fails(open_array("x.safetensors", file.bytes, file.length, &info), ALCORE_E_DATA,
             "holds 2 tensors: name one as x.safetensors:TENSOR; it has e, s");
    static const struct {
        const char *name;
        int32_t dtype;
        int bytes;
    } types[] = {{"F16", ALCORE_FLOAT16, 2}, {"BF16", ALCORE_BFLOAT16, 2},
                 {"F32", ALCORE_FLOAT32, 4}, {"F64", ALCORE_FLOAT64, 8},
                 {"I32", ALCORE_INT32, 4},   {"I64", ALCORE_INT64, 8},
                 {"U64", ALCORE_UINT64, 8},  {"U8", ALCORE_UINT8, 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char header[100];
        snprintf(header, sizeof header,
                 "{\"t\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%d]}}", types[i].name,
                 3 * types[i].bytes);
        file = make_safetensors(header, (size_t)(3 * types[i].bytes));
        ck_works(open_array("x.safetensors", file.bytes, file.length, &info));
        ck_assert_int_eq(info.dtype, types[i].dtype);
        for (size_t length = 0; length < file.length; length++)
            ck_fails(open_array("x.safetensors", file.bytes, length, &info), ALCORE_E_DATA,
                     "truncated");
    }
}
END_TEST

/* Tensors beside the one that is read have any type, also one of a later version of the format. */
START_TEST(safetensors_types_beside) {
    static const struct {
        const char *dtype;
        int bytes;
    } types[] = {{"BOOL", 4},        {"I8", 4},      {"I16", 8},     {"U16", 8},
                 {"U32", 16},        {"C64", 32},    {"F8_E4M3", 4}, {"F8_E8M0", 4},
                 {"F8_E5M2FNUZ", 4}, {"F6_E2M3", 3}, {"F4", 2},      {"F128", 7}};
    alcore__array_info info;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char header[200];
        snprintf(header, sizeof header,
                 "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
                 "\"b\":{\"dtype\":\"%s\",\"shape\":[4],\"data_offsets\":[8,%d]}}",
                 types[i].dtype, 8 + types[i].bytes);
        draft file = make_safetensors(header, (size_t)(8 + types[i].bytes));
        ck_works(open_array("x.safetensors:a", file.bytes, file.length, &info));
        ck_assert_int_eq(info.dtype, ALCORE_FLOAT32);
    }
    static const struct {
        const char *dtype;
        int bytes;
        int32_t read, stored;
    } integers[] = {{"BOOL", 1, ALCORE_UINT8, ALCORE__STORED_SAME},
                    {"I8", 1, ALCORE_INT32, ALCORE__STORED_INT8},
                    {"I16", 2, ALCORE_INT32, ALCORE__STORED_INT16},
                    {"U16", 2, ALCORE_INT32, ALCORE__STORED_UINT16},
                    {"U32", 4, ALCORE_INT64, ALCORE__STORED_UINT32}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        char header[100];
        snprintf(header, sizeof header,
                 "{\"t\":{\"dtype\":\"%s\",\"shape\":[3],\"data_offsets\":[0,%d]}}",
                 integers[i].dtype, 3 * integers[i].bytes);
        draft file = make_safetensors(header, (size_t)(3 * integers[i].bytes));
        ck_works(open_array("x.safetensors", file.bytes, file.length, &info));
        ck_assert(info.dtype == integers[i].read && info.stored == integers[i].stored);
    }
}
END_TEST

START_TEST(safetensors_errors) {
#define T(name, rest) "\"" name "\":{\"dtype\":\"U8\"," rest "}"
    static const struct {
        const char *header;
        size_t data;
        const char *words;
    } rows[] = {
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,2]") "}", 3,
         "has 1 bytes after its last tensor"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,2]") "}", 1,
         "is truncated: 1 bytes of tensor data of 2"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[1,3]") "}", 3, "leaves holes"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,2]") "," T(
             "b", "\"shape\":[2],\"data_offsets\":[1,3]") "}",
         3, "overlap"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,2]") "," T(
             "b", "\"shape\":[2],\"data_offsets\":[0,2]") "}",
         2, "overlap"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,2]") "," T(
             "a", "\"shape\":[2],\"data_offsets\":[2,4]") "}",
         4, "names a tensor twice"},
        {"{" T("a", "\"shape\":[3],\"data_offsets\":[0,2]") "}", 2,
         "data_offsets that do not fit its shape"},
        {"{" T("a", "\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]") "}", 0,
         "impossible shape"},
        {"{" T("a", "\"shape\":[-1],\"data_offsets\":[0,2]") "}", 2, "impossible shape"},
        {"{" T("a", "\"shape\":[1e3],\"data_offsets\":[0,2]") "}", 2, "impossible shape"},
        {"{" T("a", "\"shape\":\"2\",\"data_offsets\":[0,2]") "}", 2, "impossible shape"},
        {"{" T("a", "\"shape\":[[2]],\"data_offsets\":[0,2]") "}", 2, "impossible shape"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[2,0]") "}", 2, "impossible data_offsets"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0]") "}", 2, "impossible data_offsets"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,1,2]") "}", 2, "impossible data_offsets"},
        {"{" T("a", "\"shape\":[2],\"data_offsets\":[0,99999999999999999999]") "}", 2,
         "impossible data_offsets"},
        {"{" T("a", "\"shape\":[2]") "}", 2, "tensor \"a\" is malformed"},
        {"{\"a\":{\"shape\":[2],\"data_offsets\":[0,2]}}", 2, "tensor \"a\" is malformed"},
        {"{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2,
         "the tensor has the dtype F8_E4M3, which is not read: save tensor.to(torch.float32)"},
        {"{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2,
         "data_offsets that do not fit its shape"},
        {"{\"a\":{\"dtype\":3,\"shape\":[2],\"data_offsets\":[0,2]}}", 2,
         "has a dtype that is no text"},
        {"{" T("a", "\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]") "}", 2,
         "unknown or repeated key"},
        {"{" T("a", "\"shape\":[2],\"file\":\"/etc/passwd\",\"data_offsets\":[0,2]") "}", 2,
         "unknown or repeated key"},
        {"{\"a\":[]}", 0, "tensor \"a\" is no object"},
        {"{\"a\":null}", 0, "tensor \"a\" is no object"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "malformed __metadata__"},
        {"{\"__metadata__\":[]}", 0, "malformed __metadata__"},
        {"{}", 0, "names no tensor"},
        {"[]", 0, "does not begin with {"},
        {" {}", 0, "does not begin with {"},
        {"{}x", 0, "something follows the value"},
        {"{\"a\"", 0, "a colon is expected"},
        {"{" T("a", "\"shape\":[],\"data_offsets\":[0,1]") "}", 1, "has 0 dimensions"},
        {"{" T("a", "\"shape\":[1,1,1],\"data_offsets\":[0,1]") "}", 1, "more than two dimensions"},
    };
#undef T
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        draft file = make_safetensors(rows[i].header, rows[i].data);
        alcore__array_info info;
        ck_fails(open_array("x.safetensors", file.bytes, file.length, &info), ALCORE_E_DATA,
                 rows[i].words);
    }
}
END_TEST

/* A header as large as its limits allow costs memory in proportion, whatever is in it. */
START_TEST(hostile_headers_stay_within_the_memory_cap) {
    static const char *const fillers[] = {"[",         "{\"\":", "0,",     "\"\\u0041",
                                          "\"a\":{},", " ",      "\"a\":", "1e9,"};
    size_t header = (size_t)4 << 20, bytes = header + 8;
    char *file = malloc(bytes);
    for (size_t i = 0; i < 2 * sizeof fillers / sizeof *fillers; i++) {
        const char *filler = fillers[i / 2];
        size_t length = strlen(filler), at = 9;
        memset(file, 0, 8);
        file[2] = (char)(header >> 16);
        file[8] = '{';
        if (i % 2) at += (size_t)snprintf(file + 9, 40, "\"a\":{\"dtype\":\"U8\",\"shape\":[");
        for (; at < bytes; at++) file[at] = filler[(at - 9) % length];
        size_t live = host.live;
        host.peak = live;
        alcore__array_info info;
        ck_fails(open_array("x.safetensors", file, bytes, &info), ALCORE_E_DATA, "x.safetensors");
        ck_assert_uint_le(host.peak - live, 2 * header);
    }
    /* One tensor more than is allowed. */
    alcore__buffer many = {0};
    alcore__buffer_append(NULL, &many, "\0\0\0\0\0\0\0\0{", 9);
    for (int i = 0; i <= 65537; i++)
        alcore__buffer_format(NULL, &many,
                              "\"%x\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},", i);
    many.data[many.length - 1] = '}';
    for (int i = 0; i < 8; i++) many.data[i] = (char)((many.length - 8) >> (8 * i));
    alcore__array_info info;
    ck_fails(open_array("x.safetensors", many.data, many.length, &info), ALCORE_E_DATA,
             "names more than 65,536 tensors");
    unsigned char huge[16] = {0, 0, 0, 1, 0, 0, 0, 1, '{'};
    ck_fails(open_array("x.safetensors", huge, sizeof huge, &info), ALCORE_E_DATA,
             "longer than 16 MiB");
    alcore__buffer_clear(NULL, &many);
    free(file);
}
END_TEST

START_TEST(files_that_hold_no_array) {
    alcore__array_info info;
    ck_fails(open_array("a.txt", "1\n2\n", 4, &info), ALCORE_E_DATA,
             "a.txt is neither .npy nor .safetensors");
    ck_fails(open_array("a.npz", "PK\3\4", 4, &info), ALCORE_E_DATA,
             "a.npz is an archive of arrays: save one with numpy.save");
    ck_fails(open_array("a.bin", "PK\3\4", 4, &info), ALCORE_E_DATA, "an archive or a pickle");
    ck_fails(open_array("a.pt", "x", 1, &info), ALCORE_E_DATA, "with safetensors");
    ck_fails(open_array("a.npy.gz", "x", 1, &info), ALCORE_E_DATA, "decompress the file first");
    ck_fails(open_array("a.npy", "hello hello hello", 17, &info), ALCORE_E_DATA,
             "a.npy is no .npy file");
    draft file = make_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", 3);
    ck_works(open_array("a.bin", file.bytes, file.length, &info)); /* by its first bytes */
    memory_host_file(&host, file.bytes, file.length);
    host.length = -1;
    alcore__file *out = NULL;
    ck_fails(alcore__array_open(host.ctx, "a.npy", &info, &out), ALCORE_E_DATA,
             "is a stream: arrays are read from files");
}
END_TEST

START_TEST(every_allocation_may_fail) {
    draft npy = make_npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n", 3);
    draft safetensors =
        make_safetensors("{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
    for (int i = 0; i < 2; i++) {
        const draft *file = i ? &npy : &safetensors;
        alcore_status status = ALCORE_E_NOMEM;
        size_t live = host.live;
        for (int64_t k = 0; status != ALCORE_OK; k++) {
            alcore__array_info info;
            host.fail_from = host.calls + k;
            status = open_array(i ? "a.npy" : "x.safetensors:a", file->bytes, file->length, &info);
            host.fail_from = -1;
            ck_assert_uint_eq(host.live, live);
            ck_assert(status == ALCORE_OK || status == ALCORE_E_NOMEM);
            ck_assert_int_lt(k, 1000);
        }
    }
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {npy_headers,
                                  npy_orders,
                                  npy_types,
                                  long_columns_in_fortran_order,
                                  safetensors_types_beside,
                                  npy_errors,
                                  npy_written_and_read,
                                  safetensors_headers,
                                  safetensors_errors,
                                  hostile_headers_stay_within_the_memory_cap,
                                  files_that_hold_no_array,
                                  every_allocation_may_fail};
    memory_host_open(&host);
    int failed = run_case("array_file", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
