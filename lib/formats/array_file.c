/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an array in a file: which format a path has, and which tensor it names (array_file.h).
 * The formats themselves are in npy.c and safetensors.c. */
#include "formats/array_file.h"

#include <string.h>

#include "formats/array_format.h"
#include "formats/byte_stream.h"

/* Where ":TENSOR" begins in path, at its colon; NULL without one. The last ".safetensors:" counts,
 * so that folders may be called anything. */
static const char *find_tensor(const char *path) {
    const char *mark = ".safetensors:", *found = NULL;
    for (const char *next = path; (next = strstr(next, mark)); next++)
        found = next + strlen(mark) - 1;
    return found;
}

/* The error of a file that is none of the formats, with what to do about those that are often met.
 */
static alcore_status fail_unknown(const char *path, bool is_zip) {
    const size_t length = strlen(path);
    if (alcore__path_ends_in(path, length, ".npz"))
        return alcore__fail(ALCORE_E_DATA,
                            "%s is an archive of arrays: save one with "
                            "numpy.save(\"x.npy\", numpy.load(\"x.npz\")[\"name\"])",
                            path);
    if (is_zip || alcore__path_ends_in(path, length, ".pt") ||
        alcore__path_ends_in(path, length, ".pth") || alcore__path_ends_in(path, length, ".pkl"))
        return alcore__fail(ALCORE_E_DATA,
                            "%s is an archive or a pickle, which is not read: save "
                            "tensor.float().numpy() with numpy.save(), or the tensors with "
                            "safetensors",
                            path);
    return alcore__fail(ALCORE_E_DATA, "%s is neither .npy nor .safetensors", path);
}

/* Reads the header by the format that the path's suffix says, or the first bytes of the file where
 * it says none. */
static alcore_status locate(alcore_ctx *ctx, alcore__file *file, const char *tensor,
                            alcore__array_info *out) {
    const char *path = alcore__file_path(file);
    int64_t length = 0;
    ALCORE__TRY(alcore__file_length(file, &length));
    if (length < 0)
        return alcore__fail(ALCORE_E_DATA, "%s is a stream: arrays are read from files", path);
    char magic[6];
    size_t got = 0;
    ALCORE__TRY(alcore__file_read(file, 0, magic, sizeof magic, &got));
    if (tensor || alcore__path_ends_in(path, strlen(path), ".safetensors"))
        return alcore__safetensors_locate(ctx, file, length, tensor, out);
    if (alcore__path_ends_in(path, strlen(path), ".npy") ||
        (got == 6 && memcmp(magic, "\x93NUMPY", 6) == 0))
        return alcore__npy_locate(ctx, file, length, out);
    return fail_unknown(path, got >= 2 && memcmp(magic, "PK", 2) == 0);
}

/* Splits "PATH.safetensors:TENSOR", refuses compressed files, opens the file and reads its header.
 * *out_file is the caller's to close. missing: the status where the file lacks the tensor;
 * dimensions: how many the array may have. */
static alcore_status open_array(alcore_ctx *ctx, const char *path, alcore_status missing,
                                int32_t dimensions, alcore__array_info *out_info,
                                alcore__file **out_file) {
    size_t base;
    if (alcore__stream_compressed(path, &base))
        return alcore__fail(ALCORE_E_DATA,
                            "%s: arrays are read in place, decompress the file first", path);
    const char *tensor = find_tensor(path);
    char *name = NULL;
    if (tensor) {
        name = alcore__strndup(ctx, path, (size_t)(tensor - path));
        if (!name) return alcore__fail_memory((size_t)(tensor - path));
        tensor++;
    }
    alcore__file *file = NULL;
    alcore__array_info info = {0};
    alcore_status status = alcore__file_open(ctx, name ? name : path, &file);
    if (status == ALCORE_OK) {
        status = locate(ctx, file, tensor, &info);
        if (status == ALCORE_E_NOT_FOUND) status = missing;
    }
    if (status == ALCORE_OK && info.ndim > dimensions)
        status = alcore__fail(ALCORE_E_DATA,
                              "%s: the array has more than two dimensions: save "
                              "x.reshape(len(x), -1)",
                              path);
    alcore__free(ctx, name);
    if (status != ALCORE_OK) {
        alcore__file_close(file);
        return status;
    }
    *out_info = info;
    *out_file = file;
    return ALCORE_OK;
}

alcore_status alcore__array_open(alcore_ctx *ctx, const char *path, alcore__array_info *out_info,
                                 alcore__file **out_file) {
    return open_array(ctx, path, ALCORE_E_DATA, 2, out_info, out_file);
}

alcore_status alcore__array_open_planes(alcore_ctx *ctx, const char *path,
                                        alcore__array_info *out_info, alcore__file **out_file) {
    return open_array(ctx, path, ALCORE_E_DATA, 3, out_info, out_file);
}

alcore_status alcore__array_find(alcore_ctx *ctx, const char *path, alcore__array_info *out_info,
                                 alcore__file **out_file) {
    return open_array(ctx, path, ALCORE_E_NOT_FOUND, 2, out_info, out_file);
}
