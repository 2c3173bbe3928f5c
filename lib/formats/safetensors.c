/* SPDX-License-Identifier: Apache-2.0 */
/* Locating a tensor in a .safetensors file (https://github.com/huggingface/safetensors):
 *
 *   byte 0   length of the header in bytes, 8 bytes little-endian
 *   byte 8   the header, a JSON object: name -> {"dtype": "F32", "shape": [n, d],
 *            "data_offsets": [begin, end]}, and "__metadata__" -> {text: text}
 *   then     the data; data_offsets count from here
 *
 * Tensors beside the one that is read may have types that are not read or not known.
 *
 * Limits bound what a bad file can cost: everything is checked against the length of the file
 * before anything is allocated for it, and the tensors must fill the data without holes or
 * overlaps. Only the header is read. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "formats/array_format.h"
#include "formats/json_keys.h"
#include "formats/json_scan.h"
#include "text/utf8.h"

#define MAX_HEADER ((int64_t)16 << 20) /* bytes */
#define MAX_TENSORS 65536
#define MAX_DEPTH 4 /* of nested objects and arrays; three are needed */

/* The bytes begin .. end - 1 of the data, from the end of the header. */
typedef struct span {
    int64_t begin, end;
} span;

/* One tensor of the header. */
typedef struct entry {
    alcore__array_info info; /* ndim may be above 3: the first three sizes are kept */
    span bytes;              /* data_offsets */
    int64_t numbers;         /* product of all sizes of the shape */
    int32_t bits;            /* of a number; 0: of a type that is not known */
    char type[24];           /* its name, for messages; a longer one is cut */
    bool has_dtype, has_shape, has_offsets; /* which of the three keys were read */
} entry;

/* The header while it is read. */
typedef struct table {
    alcore_ctx *ctx;
    const char *path;       /* for error texts */
    const char *wanted;     /* name of the tensor asked for; NULL: the only one */
    alcore__json json;      /* the scanner over the header */
    alcore__json_keys keys; /* names so far, to find a name that stands twice */
    span *spans;            /* [count] the bytes of each tensor so far */
    size_t capacity, count;
    char names[160]; /* of the first tensors, for messages; cut where they are many */
    entry found; /* the tensor asked for, or without a name the last one; set when has_found is */
    bool has_found;
} table;

/* The errors for the header, and for one tensor of it, whose name is cut to 100 bytes. */
static alcore_status fail_header(const table *tensors, const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: the safetensors header %s", tensors->path, what);
}

static alcore_status fail_tensor(const table *tensors, const char *name, size_t length,
                                 const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: tensor \"%.*s\" %s", tensors->path,
                        (int)(length < 100 ? length : 100), name, what);
}

/* Sets what a name of a type in the file says; *out_bits: of a number, 0 for a type of a later
 * version of the format. info->dtype stays 0 for a type that is not read. */
static void find_dtype(const char *text, size_t length, alcore__array_info *info,
                       int32_t *out_bits) {
    static const struct {
        const char *name;
        int32_t dtype; /* 0: none of the library's */
        int32_t bits;
        bool is_integer, is_signed; /* it is read as a wider integer */
    } names[] = {
        {"F16", ALCORE_FLOAT16, 16, false, false},
        {"BF16", ALCORE_BFLOAT16, 16, false, false},
        {"F32", ALCORE_FLOAT32, 32, false, false},
        {"F64", ALCORE_FLOAT64, 64, false, false},
        {"I32", ALCORE_INT32, 32, false, false},
        {"I64", ALCORE_INT64, 64, false, false},
        {"U64", ALCORE_UINT64, 64, false, false},
        {"U8", ALCORE_UINT8, 8, false, false},
        {"BOOL", ALCORE_UINT8, 8, false, false},
        {"I8", 0, 8, true, true},
        {"I16", 0, 16, true, true},
        {"U16", 0, 16, true, false},
        {"U32", 0, 32, true, false},
        {"C64", 0, 64, false, false},
        {"F8_E5M2", 0, 8, false, false},
        {"F8_E4M3", 0, 8, false, false},
        {"F8_E8M0", 0, 8, false, false},
        {"F8_E4M3FNUZ", 0, 8, false, false},
        {"F8_E5M2FNUZ", 0, 8, false, false},
        {"F6_E2M3", 0, 6, false, false},
        {"F6_E3M2", 0, 6, false, false},
        {"F4", 0, 4, false, false},
    };
    *out_bits = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i].name) != length || memcmp(names[i].name, text, length) != 0) continue;
        info->dtype = names[i].dtype;
        *out_bits = names[i].bits;
        if (names[i].is_integer)
            alcore__array_set_integer(info, names[i].bits / 8, names[i].is_signed);
    }
}

/* Reads the next value as an integer of 0 or more; false when it is something else. */
static bool read_size(alcore__json *json, int64_t *out) {
    char *text;
    size_t length;
    if (alcore__json_kind(json) != '0' || !alcore__json_number(json, &text, &length)) return false;
    return alcore__parse_int(text, length, out) && *out >= 0;
}

/* Reads the value of "shape", 64 sizes at most, into info and numbers; false when it is malformed
 * or the product overflows. */
static bool read_shape(alcore__json *json, entry *tensor) {
    tensor->numbers = 1;
    tensor->info.shape[0] = tensor->info.shape[1] = 1;
    if (alcore__json_kind(json) != '[' || !alcore__json_enter(json, '[')) return false;
    while (alcore__json_item(json)) {
        int64_t size;
        if (!read_size(json, &size) ||
            !alcore__size_product(tensor->numbers, size, &tensor->numbers))
            return false;
        if (tensor->info.ndim == 64) return false;
        alcore__array_add_size(&tensor->info, size); /* the product above does not overflow */
    }
    return !json->error;
}

/* Reads the value of "data_offsets", [begin, end]; false when it is malformed or end is below
 * begin. */
static bool read_offsets(alcore__json *json, span *out) {
    if (alcore__json_kind(json) != '[' || !alcore__json_enter(json, '[')) return false;
    if (!alcore__json_item(json) || !read_size(json, &out->begin)) return false;
    if (!alcore__json_item(json) || !read_size(json, &out->end)) return false;
    return !alcore__json_item(json) && !json->error && out->begin <= out->end;
}

static bool is_key(const char *key, size_t length, const char *name) {
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* Whether the bytes of a tensor are as many as its type and shape need; of a type that is not known
 * any number is. */
static bool fits_shape(const entry *tensor) {
    int64_t bits;
    if (tensor->bits == 0) return true;
    if (!alcore__size_product(tensor->numbers, tensor->bits, &bits)) return false;
    return bits % 8 == 0 && bits / 8 == tensor->bytes.end - tensor->bytes.begin;
}

/* Reads the object of the tensor `name` and checks that its bytes fit its type and shape. */
static alcore_status read_entry(table *tensors, const char *name, size_t name_length,
                                entry *tensor) {
    alcore__json *json = &tensors->json;
    char *key, *text;
    size_t length;
    if (!alcore__json_enter(json, '{'))
        return fail_tensor(tensors, name, name_length, "is no object");
    while (alcore__json_key(json, &key, &length)) {
        if (is_key(key, length, "dtype") && !tensor->has_dtype) {
            tensor->has_dtype = true;
            if (alcore__json_kind(json) != '"' || !alcore__json_string(json, &text, &length))
                return fail_tensor(tensors, name, name_length, "has a dtype that is no text");
            find_dtype(text, length, &tensor->info, &tensor->bits);
            alcore__format(tensor->type, sizeof tensor->type, "%.*s", (int)length, text);
        } else if (is_key(key, length, "shape") && !tensor->has_shape) {
            tensor->has_shape = true;
            if (!read_shape(json, tensor))
                return fail_tensor(tensors, name, name_length, "has an impossible shape");
        } else if (is_key(key, length, "data_offsets") && !tensor->has_offsets) {
            tensor->has_offsets = true;
            if (!read_offsets(json, &tensor->bytes))
                return fail_tensor(tensors, name, name_length, "has impossible data_offsets");
        } else {
            return fail_tensor(tensors, name, name_length, "has an unknown or repeated key");
        }
    }
    if (json->error || !tensor->has_dtype || !tensor->has_shape || !tensor->has_offsets)
        return fail_tensor(tensors, name, name_length, "is malformed");
    if (!fits_shape(tensor))
        return fail_tensor(tensors, name, name_length,
                           "has data_offsets that do not fit its shape");
    return ALCORE_OK;
}

/* Passes over "__metadata__", texts by name, which say nothing about the numbers. */
static alcore_status read_metadata(table *tensors) {
    alcore__json *json = &tensors->json;
    char *text;
    size_t length;
    if (!alcore__json_enter(json, '{')) return fail_header(tensors, "has malformed __metadata__");
    while (alcore__json_key(json, &text, &length))
        if (!alcore__json_string(json, &text, &length)) break;
    return json->error ? fail_header(tensors, "has malformed __metadata__") : ALCORE_OK;
}

/* Adds a name to the list for messages. */
static void list_name(table *tensors, const char *name, size_t length) {
    const size_t used = strlen(tensors->names);
    alcore__format(tensors->names + used, sizeof tensors->names - used, "%s%.*s", used ? ", " : "",
                   (int)(length < 40 ? length : 40), name);
}

/* Reads the whole header: spans of all tensors, and the one asked for. keys.count is checked before
 * the name is added, and "__metadata__" is one of the names. */
static alcore_status read_table(table *tensors) {
    alcore__json *json = &tensors->json;
    char *name;
    size_t length;
    if (!alcore__json_enter(json, '{')) return fail_header(tensors, "is no object");
    while (alcore__json_key(json, &name, &length)) {
        ALCORE__TRY(alcore__json_keys_add(tensors->ctx, &tensors->keys, name, length));
        if (is_key(name, length, "__metadata__")) {
            ALCORE__TRY(read_metadata(tensors));
            continue;
        }
        if (tensors->count == MAX_TENSORS)
            return fail_header(tensors, "names more than 65,536 tensors");
        entry tensor = {.numbers = 0};
        ALCORE__TRY(read_entry(tensors, name, length, &tensor));
        ALCORE__TRY(alcore__grow(tensors->ctx, &tensors->spans, &tensors->capacity,
                                 tensors->count + 1, sizeof *tensors->spans));
        tensors->spans[tensors->count++] = tensor.bytes;
        list_name(tensors, name, length);
        if (!tensors->wanted || is_key(name, length, tensors->wanted)) {
            tensors->found = tensor;
            tensors->has_found = true;
        }
    }
    if (!alcore__json_end(json))
        return alcore__fail(ALCORE_E_DATA, "%s: byte %lld of the safetensors header: %s",
                            tensors->path, (long long)(json->next - json->begin + 1), json->error);
    if (alcore__json_keys_repeat(&tensors->keys))
        return fail_header(tensors, "names a tensor twice");
    return ALCORE_OK;
}

/* Order by begin, then by end, for qsort(): a tensor without bytes comes before the one that begins
 * at the same byte, so that check_spans() finds no overlap. */
static int compare_spans(const void *a, const void *b) {
    const span *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Checks that the tensors fill the data, data_bytes bytes, without holes or overlaps: nothing can
 * be hidden between them. Sorts spans. */
static alcore_status check_spans(table *tensors, int64_t data_bytes) {
    int64_t filled = 0; /* the tensors so far fill the data up to here */
    if (tensors->count > 0)
        qsort(tensors->spans, tensors->count, sizeof *tensors->spans, compare_spans);
    for (size_t i = 0; i < tensors->count; i++) {
        if (tensors->spans[i].begin != filled)
            return fail_header(tensors, "leaves holes or lets tensors overlap");
        filled = tensors->spans[i].end;
    }
    if (filled > data_bytes)
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %lld bytes of tensor data of %lld",
                            tensors->path, (long long)data_bytes, (long long)filled);
    if (filled < data_bytes)
        return alcore__fail(ALCORE_E_DATA, "%s has %lld bytes after its last tensor", tensors->path,
                            (long long)(data_bytes - filled));
    return ALCORE_OK;
}

/* *out: where the tensor asked for lies in the file. data_start: byte of the file at which the data
 * begins. */
static alcore_status choose(const table *tensors, int64_t data_start, alcore__array_info *out) {
    if (!tensors->has_found) {
        if (!tensors->wanted) return fail_header(tensors, "names no tensor");
        return alcore__fail(ALCORE_E_NOT_FOUND, "%s holds no tensor \"%s\"%s%s", tensors->path,
                            tensors->wanted, tensors->count > 0 ? "; it has " : "", tensors->names);
    }
    if (!tensors->wanted && tensors->count > 1)
        return alcore__fail(ALCORE_E_DATA, "%s holds %zu tensors: name one as %s:TENSOR; it has %s",
                            tensors->path, tensors->count, tensors->path, tensors->names);
    if (tensors->found.info.ndim < 1 || tensors->found.info.ndim > 3)
        return alcore__fail(ALCORE_E_DATA, "%s: the tensor has %d dimensions, 1 or 2 are read",
                            tensors->path, tensors->found.info.ndim);
    if (tensors->found.info.dtype == 0)
        return alcore__fail(ALCORE_E_DATA,
                            "%s: the tensor has the dtype %s, which is not read: save "
                            "tensor.to(torch.float32); F16, BF16, F32, F64, BOOL and integers are "
                            "read",
                            tensors->path, tensors->found.type);
    *out = tensors->found.info;
    out->data_start = data_start + tensors->found.bytes.begin;
    return ALCORE_OK;
}

/* Reads and checks the header, header [header_bytes] being workspace for it; `length` is that of
 * the file. The caller frees what tensors points to. */
static alcore_status read_all(table *tensors, alcore__file *file, char *header,
                              int64_t header_bytes, int64_t length, alcore__array_info *out) {
    ALCORE__TRY(alcore__file_read_all(file, 8, header, (size_t)header_bytes));
    if (header[0] != '{') return fail_header(tensors, "does not begin with {");
    size_t valid = alcore__utf8_check(header, (size_t)header_bytes);
    if (valid < (size_t)header_bytes)
        return alcore__fail(ALCORE_E_DATA, "%s: byte %zu of the safetensors header is not UTF-8",
                            tensors->path, valid + 1);
    alcore__json_begin(&tensors->json, header, (size_t)header_bytes, MAX_DEPTH);
    ALCORE__TRY(read_table(tensors));
    ALCORE__TRY(check_spans(tensors, length - 8 - header_bytes));
    return choose(tensors, 8 + header_bytes, out);
}

/* Reads the header of a file of `length` bytes, whose size the first 8 bytes give, and says in *out
 * where the tensor lies. */
alcore_status alcore__safetensors_locate(alcore_ctx *ctx, alcore__file *file, int64_t length,
                                         const char *tensor, alcore__array_info *out) {
    table tensors = {.ctx = ctx, .path = alcore__file_path(file), .wanted = tensor};
    unsigned char start[8];
    if (length < 10)
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %lld bytes, not even a header",
                            tensors.path, (long long)length);
    ALCORE__TRY(alcore__file_read_all(file, 0, start, sizeof start));
    uint64_t bytes = 0;
    for (int i = 7; i >= 0; i--) bytes = bytes << 8 | start[i];
    if (bytes > (uint64_t)MAX_HEADER)
        return fail_header(&tensors, "is longer than 16 MiB, or this is another format");
    if (bytes > (uint64_t)(length - 8))
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %lld bytes, the header alone has %llu",
                            tensors.path, (long long)length, (unsigned long long)bytes + 8);
    if (bytes < 2) return fail_header(&tensors, "is empty");
    char *header = alcore__alloc(ctx, (size_t)bytes);
    if (!header) return alcore__fail_memory((size_t)bytes);
    alcore__array_info info = {0};
    alcore_status status = read_all(&tensors, file, header, (int64_t)bytes, length, &info);
    alcore__json_keys_clear(ctx, &tensors.keys);
    alcore__free(ctx, tensors.spans);
    alcore__free(ctx, header);
    if (status == ALCORE_OK) *out = info;
    return status;
}
