/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of an array file as numbers in memory (array_file.h): in the byte order of the
 * machine, row after row, and integers of the types that the library has none of as wider ones.
 *
 * What lies in the file as it lies in memory is read in one piece. In Fortran order (column after
 * column) a block of rows is a read of each column; nothing else of the file is in memory. */
#include <string.h>

#include "formats/array_format.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "array files are read as they lie in memory, in little-endian order"
#endif

enum { PIECE_BYTES = 8192 }; /* of a column in Fortran order, read at a time */

static const struct {
    int8_t bytes; /* of a number in the file */
    int8_t sign;  /* 1: a signed integer */
} stored_types[] = {
    [ALCORE__STORED_INT8] = {1, 1},   [ALCORE__STORED_UINT8] = {1, 0},
    [ALCORE__STORED_INT16] = {2, 1},  [ALCORE__STORED_UINT16] = {2, 0},
    [ALCORE__STORED_UINT32] = {4, 0}, [ALCORE__STORED_INT32] = {4, 1},
};

int64_t alcore__array_stored_bytes(const alcore__array_info *info) {
    return info->stored == ALCORE__STORED_SAME ? (int64_t)alcore_sys_dtype_bytes(info->dtype)
                                               : stored_types[info->stored].bytes;
}

bool alcore__array_add_size(alcore__array_info *info, int64_t size) {
    if (info->ndim == 2) {
        info->planes = info->shape[0];
        if (!alcore__size_product(info->shape[0], info->shape[1], &info->shape[0])) return false;
    }
    if (info->ndim < 3) info->shape[info->ndim == 0 ? 0 : 1] = size;
    return info->ndim++ < 3;
}

bool alcore__array_set_integer(alcore__array_info *info, int32_t bytes, bool is_signed) {
    if (bytes > 4 || (bytes == 4 && is_signed)) return false;
    info->dtype = bytes == 4 ? ALCORE_INT64 : ALCORE_INT32;
    info->stored = bytes == 4   ? ALCORE__STORED_UINT32
                   : bytes == 2 ? (is_signed ? ALCORE__STORED_INT16 : ALCORE__STORED_UINT16)
                                : (is_signed ? ALCORE__STORED_INT8 : ALCORE__STORED_UINT8);
    return true;
}

void alcore__array_widen_bytes(alcore__array_info *info) {
    if (info->dtype == ALCORE_UINT8) alcore__array_set_integer(info, 1, false);
}

void alcore__array_widen_integers(alcore__array_info *info) {
    alcore__array_widen_bytes(info);
    if (info->dtype != ALCORE_INT32) return;
    if (info->stored == ALCORE__STORED_SAME) info->stored = ALCORE__STORED_INT32;
    info->dtype = ALCORE_INT64;
}

/* Reverses the bytes of each of count numbers of that many bytes, in place. */
static void swap_bytes(unsigned char *numbers, int64_t count, int64_t bytes) {
    for (int64_t i = 0; i < count; i++, numbers += bytes) {
        for (int64_t low = 0, high = bytes - 1; low < high; low++, high--) {
            const unsigned char byte = numbers[low];
            numbers[low] = numbers[high];
            numbers[high] = byte;
        }
    }
}

/* Writes an integer of the file, in little-endian order, as the wider type of `bytes` bytes. */
static void widen(int32_t stored, const unsigned char *number, unsigned char *out, size_t bytes) {
    const size_t narrow = (size_t)stored_types[stored].bytes;
    const bool negative = stored_types[stored].sign && (number[narrow - 1] & 0x80);
    unsigned char wide[8];
    memset(wide, negative ? 0xFF : 0, sizeof wide);
    memcpy(wide, number, narrow);
    memcpy(out, wide, bytes);
}

/* Widens count integers that stand at the end of the array `out` to fill it. Number i is read from
 * behind the place that number i is written to, so that none is overwritten before it is read. */
static void widen_in_place(int32_t stored, unsigned char *out, int64_t count, int64_t bytes) {
    const int64_t narrow = stored_types[stored].bytes;
    const unsigned char *from = out + count * (bytes - narrow);
    for (int64_t i = 0; i < count; i++)
        widen(stored, from + i * narrow, out + i * bytes, (size_t)bytes);
}

/* Reads rows that lie in the file in the order that they have in memory. */
static alcore_status read_rows(alcore__file *file, const alcore__array_info *info, int64_t first,
                               int64_t count, unsigned char *out) {
    const int64_t stored = alcore__array_stored_bytes(info), numbers = count * info->shape[1];
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(info->dtype);
    unsigned char *target = out + numbers * (bytes - stored);
    ALCORE__TRY(alcore__file_read_all(file, info->data_start + first * info->shape[1] * stored,
                                      target, (size_t)(numbers * stored)));
    if (info->swapped) swap_bytes(target, numbers, stored);
    if (info->stored != ALCORE__STORED_SAME) widen_in_place(info->stored, out, numbers, bytes);
    return ALCORE_OK;
}

/* Reads rows first .. first + count - 1 of column `column` of a file in Fortran order; count is at
 * most that of a piece. out: the number of the first row. */
static alcore_status read_column(alcore__file *file, const alcore__array_info *info, int64_t column,
                                 int64_t first, int64_t count, unsigned char *out) {
    unsigned char piece[PIECE_BYTES];
    const int64_t stored = alcore__array_stored_bytes(info);
    const size_t bytes = alcore_sys_dtype_bytes(info->dtype);
    const int64_t row_bytes = info->shape[1] * (int64_t)bytes;
    ALCORE__TRY(alcore__file_read_all(file,
                                      info->data_start + (column * info->shape[0] + first) * stored,
                                      piece, (size_t)(count * stored)));
    if (info->swapped) swap_bytes(piece, count, stored);
    for (int64_t i = 0; i < count; i++, out += row_bytes) {
        if (info->stored == ALCORE__STORED_SAME)
            memcpy(out, piece + i * stored, bytes);
        else
            widen(info->stored, piece + i * stored, out, bytes);
    }
    return ALCORE_OK;
}

alcore_status alcore__array_read(alcore__file *file, const alcore__array_info *info, int64_t first,
                                 int64_t count, void *out) {
    if (info->shape[1] == 0) return ALCORE_OK; /* of any number of rows */
    if (!info->fortran) return read_rows(file, info, first, count, out);
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(info->dtype);
    const int64_t piece = PIECE_BYTES / alcore__array_stored_bytes(info);
    for (int64_t done = 0; done < count; done += piece) {
        const int64_t rows = count - done < piece ? count - done : piece;
        for (int64_t column = 0; column < info->shape[1]; column++)
            ALCORE__TRY(
                read_column(file, info, column, first + done, rows,
                            (unsigned char *)out + (done * info->shape[1] + column) * bytes));
    }
    return ALCORE_OK;
}
