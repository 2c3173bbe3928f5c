/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in files: .npy and tensors of .safetensors, located but not read. */
#ifndef ALCORE__ARRAY_FILE_H
#define ALCORE__ARRAY_FILE_H

#include "alcore/tensor.h"
#include "base/base.h"

/* The types of numbers in a file that the library has none of: they are read as wider integers. */
enum {
    ALCORE__STORED_SAME, /* as dtype says */
    ALCORE__STORED_INT8,
    ALCORE__STORED_UINT8,
    ALCORE__STORED_INT16,
    ALCORE__STORED_UINT16,
    ALCORE__STORED_UINT32,
    ALCORE__STORED_INT32 /* after alcore__array_widen_integers() */
};

/* Where an array's numbers lie in a file. */
typedef struct alcore__array_info {
    int32_t dtype;      /* ALCORE_FLOAT32, ALCORE_INT64, ...: what alcore__array_read() gives */
    int32_t ndim;       /* 1 or 2; 3 from alcore__array_open_planes() only */
    int64_t shape[2];   /* shape[1] is 1 when ndim is 1 */
    int64_t planes;     /* of 3 dimensions the first size: [planes, rows, n] is the matrix
                           [planes * rows, n], which shape says; else 0 */
    int64_t data_start; /* byte of the first number; the file holds all of them (checked) */
    int32_t stored;     /* ALCORE__STORED_*: the type in the file */
    bool swapped;       /* the file has the other byte order than the machine */
    bool fortran;       /* column after column, not row after row */
} alcore__array_info;

/* Reads the header of PATH.npy or "PATH.safetensors:TENSOR" (":TENSOR" may be left out when the
 * file holds one). All sizes are checked against the file's length before anything is allocated.
 * *out_file stays open for reading blocks. */
alcore_status alcore__array_open(alcore_ctx *ctx, const char *path, alcore__array_info *out_info,
                                 alcore__file **out_file);
/* The same; ALCORE_E_NOT_FOUND where the file lacks the tensor. */
alcore_status alcore__array_find(alcore_ctx *ctx, const char *path, alcore__array_info *out_info,
                                 alcore__file **out_file);
/* alcore__array_open() of an array of 1 to 3 dimensions; the other calls refuse 3. */
alcore_status alcore__array_open_planes(alcore_ctx *ctx, const char *path,
                                        alcore__array_info *out_info, alcore__file **out_file);
/* Reads rows first .. first + count - 1 to out, [count, shape[1]] numbers of info->dtype in the
 * byte order of the machine, row after row. Needs no memory; in Fortran order a read a column. From
 * any thread. */
alcore_status alcore__array_read(alcore__file *file, const alcore__array_info *info, int64_t first,
                                 int64_t count, void *out);
/* Makes an array of uint8 one that is read as int32. */
void alcore__array_widen_bytes(alcore__array_info *info);
/* Makes an array of narrower integers one that is read as int64. */
void alcore__array_widen_integers(alcore__array_info *info);
/* Begins a .npy (version 1.0, C order); the numbers are put into *out. shape has ndim (1 or 2)
 * entries. */
alcore_status alcore__npy_begin(alcore_ctx *ctx, const char *path, int32_t dtype, int32_t ndim,
                                const int64_t *shape, alcore__writer **out);

#endif
