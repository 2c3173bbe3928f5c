/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays in .npy files (numpy.lib.format): the header is checked, the numbers are only located, and
 * files are begun for writing.
 *
 *   byte 0   "\x93NUMPY", version major, minor
 *   byte 8   length of the header, 2 bytes in version 1, 4 bytes in versions 2 and 3, little-endian
 *   then     the header: the text of a Python dict such as
 *            {'descr': '<f4', 'fortran_order': False, 'shape': (100, 768), }  and padding
 *   then     the numbers, row after row
 *
 * In Fortran order the numbers lie column after column. This is a strict recognizer of exactly what
 * numpy writes for plain arrays, never an evaluator of Python. Every size is checked
 * against the length of the file before anything is allocated. */
#include <stdio.h>
#include <string.h>

#include "formats/array_format.h"

#define MAX_HEADER 65536 /* bytes; numpy writes a few hundred */

static const struct {
    const char *descr; /* numpy's name of the type, little-endian */
    int32_t dtype;     /* ALCORE_FLOAT16, ... */
} descrs[] = {
    {"<f2", ALCORE_FLOAT16}, {"<f4", ALCORE_FLOAT32}, {"<f8", ALCORE_FLOAT64},
    {"<i4", ALCORE_INT32},   {"<i8", ALCORE_INT64},   {"<u8", ALCORE_UINT64},
    {"|u1", ALCORE_UINT8},
};
/* Other types, whose names have the byte order in front: < little-endian, > big-endian, | none. A
 * plain array of pairs of bytes is |V2; the types of ml_dtypes are known by their byte order, and
 * bfloat16 is the only one of two bytes. */
static const struct {
    const char *name;
    int32_t dtype; /* 0: an integer that is read as a wider one */
    int32_t bytes;
    bool is_signed;
} others[] = {
    {"V2", ALCORE_BFLOAT16, 2, false},
    {"b1", ALCORE_UINT8, 1, false},
    {"i1", 0, 1, true},
    {"i2", 0, 2, true},
    {"u2", 0, 2, false},
    {"u4", 0, 4, false},
};

/* The header while it is parsed. */
typedef struct header {
    const char *path;                     /* for error texts */
    const char *next, *end;               /* the bytes that are not parsed yet */
    bool has_descr, has_order, has_shape; /* which of the three keys were read */
    alcore__array_info info;              /* what they say */
} header;

/* The error for a header, with the path. */
static alcore_status fail_header(const header *head, const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: the .npy header %s", head->path, what);
}

static void skip_space(header *head) {
    while (head->next < head->end && (*head->next == ' ' || *head->next == '\n')) head->next++;
}

/* Moves over c and the space before it; false, without moving over c, when another byte follows. */
static bool parse_char(header *head, char c) {
    skip_space(head);
    if (head->next == head->end || *head->next != c) return false;
    head->next++;
    return true;
}

/* Moves over 'text' or "text" and returns the text between the quotes, a view; false when there is
 * none or it contains a backslash. */
static bool parse_string(header *head, const char **out, size_t *out_length) {
    skip_space(head);
    if (head->next == head->end || (*head->next != '\'' && *head->next != '"')) return false;
    const char *text = head->next + 1;
    const char *close = memchr(text, *head->next, (size_t)(head->end - text));
    if (!close || memchr(text, '\\', (size_t)(close - text))) return false;
    *out = text;
    *out_length = (size_t)(close - text);
    head->next = close + 1;
    return true;
}

/* Moves over a keyword; false when something else follows. */
static bool parse_word(header *head, const char *word) {
    size_t length = strlen(word);
    skip_space(head);
    if ((size_t)(head->end - head->next) < length || memcmp(head->next, word, length) != 0)
        return false;
    head->next += length;
    return true;
}

/* Sets the type of the numbers to that of a name such as <f4; false for one that is not read. */
static bool set_type(alcore__array_info *info, const char *text, size_t length) {
    const char order = *text;
    info->swapped = order == '>';
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++) {
        const char *descr = descrs[i].descr;
        const bool same = order == *descr || (order == '>' && *descr == '<');
        if (!same || strlen(descr) != length || memcmp(descr + 1, text + 1, length - 1) != 0)
            continue;
        info->dtype = descrs[i].dtype;
        return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const bool same = others[i].bytes == 1 ? order == '|' : order == '<' || order == '>';
        if (!same || length != 3 || memcmp(others[i].name, text + 1, 2) != 0) continue;
        info->dtype = others[i].dtype;
        return info->dtype || alcore__array_set_integer(info, others[i].bytes, others[i].is_signed);
    }
    return false;
}

/* What to do about a type that is not read. */
static const char *type_remedy(const char *text, size_t length) {
    const char kind = length > 1 ? text[1] : '\0';
    if (kind == 'O') return "Python objects: save numpy.asarray(x.tolist(), dtype=numpy.float32)";
    if (kind == 'V')
        return "raw bytes: view them as what they are and save x.astype(numpy.float32)";
    if (kind == 'U' || kind == 'S') return "texts, which are read from .txt, .tsv and .jsonl";
    return "save x.astype(numpy.float32), or numpy.int64 for integers";
}

/* Reads the value of "descr": the type of the numbers. A list instead of a string is a structured
 * array. */
static alcore_status read_descr(header *head) {
    const char *text;
    size_t length;
    if (!parse_string(head, &text, &length))
        return fail_header(head,
                           "describes a structured array; save one of its fields, x[\"name\"]");
    head->has_descr = true;
    if (length > 1 && set_type(&head->info, text, length)) return ALCORE_OK;
    return alcore__fail(
        ALCORE_E_DATA,
        "%s: numbers of type '%.*s' are not read (%s); float16, bfloat16, float32, float64, "
        "integers of 8 to 64 bits and bool are",
        head->path, (int)(length < 20 ? length : 20), text, type_remedy(text, length));
}

/* Reads the value of "fortran_order": False, or True for an array that lies column after column. */
static alcore_status read_order(header *head) {
    head->has_order = true;
    if (parse_word(head, "False")) return ALCORE_OK;
    if (!parse_word(head, "True")) return fail_header(head, "is malformed");
    head->info.fortran = true;
    return ALCORE_OK;
}

/* Moves over an integer without sign or leading zeros that fits into int64_t. */
static bool parse_size(header *head, int64_t *out) {
    skip_space(head);
    const char *begin = head->next;
    int64_t value = 0;
    for (; head->next < head->end && *head->next >= '0' && *head->next <= '9'; head->next++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *head->next - '0', &value))
            return false;
    *out = value;
    return head->next > begin && (head->next == begin + 1 || *begin != '0');
}

/* Reads the value of "shape": (n,), (n, d) or (planes, n, d). comma: the next size may
 * come, as a comma stands before it or it is the first; (n) without a comma would be a number in
 * Python. */
static alcore_status read_shape(header *head) {
    head->has_shape = true;
    alcore__array_info *info = &head->info;
    if (!parse_char(head, '(')) return fail_header(head, "is malformed");
    bool comma = true;
    info->shape[1] = 1;
    while (!parse_char(head, ')')) {
        int64_t size;
        if (!comma || !parse_size(head, &size)) return fail_header(head, "has a malformed shape");
        if (!alcore__array_add_size(info, size))
            return fail_header(head, "has an impossible shape, or more than three dimensions");
        comma = parse_char(head, ',');
    }
    if (info->ndim == 0) return fail_header(head, "has no dimension: save numpy.atleast_1d(x)");
    return info->ndim > 1 || comma ? ALCORE_OK : fail_header(head, "has a malformed shape");
}

/* Reads the value of one key, which must be one of the three and not read before. */
static alcore_status read_entry(header *head, const char *key, size_t length) {
    if (length == 5 && memcmp(key, "descr", 5) == 0 && !head->has_descr) return read_descr(head);
    if (length == 13 && memcmp(key, "fortran_order", 13) == 0 && !head->has_order)
        return read_order(head);
    if (length == 5 && memcmp(key, "shape", 5) == 0 && !head->has_shape) return read_shape(head);
    return fail_header(head, "has an unknown or repeated key");
}

/* Parses the whole header into head->info. */
static alcore_status read_header(header *head) {
    if (!parse_char(head, '{')) return fail_header(head, "is malformed");
    bool comma = true;
    while (!parse_char(head, '}')) {
        const char *key;
        size_t length;
        if (!comma || !parse_string(head, &key, &length) || !parse_char(head, ':'))
            return fail_header(head, "is malformed");
        ALCORE__TRY(read_entry(head, key, length));
        comma = parse_char(head, ',');
    }
    skip_space(head);
    if (head->next != head->end || !head->has_descr || !head->has_order || !head->has_shape)
        return fail_header(head, "is malformed");
    return ALCORE_OK;
}

/* Checks that the numbers fill the file, `length` bytes, exactly to its end. */
static alcore_status check_length(const header *head, int64_t length) {
    const alcore__array_info *info = &head->info;
    int64_t numbers, bytes, end;
    if (!alcore__size_product(info->shape[0], info->shape[1], &numbers) ||
        !alcore__size_product(numbers, alcore__array_stored_bytes(info), &bytes) ||
        __builtin_add_overflow(bytes, info->data_start, &end))
        return fail_header(head, "has an impossible shape");
    if (length < end)
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %lld bytes of %lld", head->path,
                            (long long)length, (long long)end);
    if (length > end)
        return alcore__fail(ALCORE_E_DATA, "%s has %lld bytes after its array of %lld", head->path,
                            (long long)(length - end), (long long)end);
    return ALCORE_OK;
}

/* Reads and checks the header of a file of `length` bytes; *out says where its numbers lie. */
alcore_status alcore__npy_locate(alcore_ctx *ctx, alcore__file *file, int64_t length,
                                 alcore__array_info *out) {
    header head = {.path = alcore__file_path(file)};
    unsigned char start[12]; /* all that stands before the header */
    size_t got = 0;
    ALCORE__TRY(alcore__file_read(file, 0, start, sizeof start, &got));
    if (got < 6 || memcmp(start, "\x93NUMPY", 6) != 0)
        return alcore__fail(ALCORE_E_DATA, "%s is no .npy file", head.path);
    if (got < sizeof start)
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %zu bytes, not even its header",
                            head.path, got);
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        return alcore__fail(ALCORE_E_DATA,
                            "%s: .npy version %d.%d is not read; 1.0, 2.0 and 3.0 are", head.path,
                            start[6], start[7]);
    uint32_t bytes = (uint32_t)start[8] | (uint32_t)start[9] << 8;
    if (start[6] > 1) bytes |= (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
    head.info.data_start = (start[6] > 1 ? 12 : 10) + (int64_t)bytes;
    if (bytes > MAX_HEADER) return fail_header(&head, "is longer than 65,536 bytes");
    if (head.info.data_start > length)
        return alcore__fail(ALCORE_E_DATA, "%s is truncated: %lld bytes, the header alone has %lld",
                            head.path, (long long)length, (long long)head.info.data_start);
    char *text = alcore__alloc(ctx, bytes);
    if (!text) return alcore__fail_memory(bytes);
    alcore_status status = alcore__file_read_all(file, head.info.data_start - bytes, text, bytes);
    head.next = text;
    head.end = text + bytes;
    if (status == ALCORE_OK) status = read_header(&head);
    alcore__free(ctx, text);
    if (status == ALCORE_OK && head.info.fortran && head.info.ndim == 3)
        status = fail_header(&head, "has three dimensions in Fortran order: save "
                                    "numpy.ascontiguousarray(x)");
    if (status == ALCORE_OK) status = check_length(&head, length);
    if (status == ALCORE_OK) *out = head.info;
    return status;
}

/* Writes the header; the caller puts the numbers into *out and commits it, or aborts it. The text
 * of a header has at most 95 bytes, so the 118 behind the first 10 hold it. */
alcore_status alcore__npy_begin(alcore_ctx *ctx, const char *path, int32_t dtype, int32_t ndim,
                                const int64_t *shape, alcore__writer **out) {
    *out = NULL;
    const char *descr = NULL;
    for (size_t i = 0; i < sizeof descrs / sizeof *descrs; i++)
        if (descrs[i].dtype == dtype) descr = descrs[i].descr;
    int64_t bytes = 0;
    bool fits = descr && (ndim == 1 || ndim == 2) &&
                alcore__size_product(shape[0], ndim == 2 ? shape[1] : 1, &bytes) &&
                alcore__size_product(bytes, (int64_t)alcore_sys_dtype_bytes(dtype), &bytes);
    if (!fits) return alcore__fail(ALCORE_E_INVALID, "%s: .npy holds no such array", path);
    char dims[64], start[128];
    if (ndim == 1)
        snprintf(dims, sizeof dims, "(%lld,)", (long long)shape[0]);
    else
        snprintf(dims, sizeof dims, "(%lld, %lld)", (long long)shape[0], (long long)shape[1]);
    /* Version 1.0: magic, version, length of the rest (0x76, 118), padded so that the numbers begin
     * at byte 128. */
    memcpy(start, "\x93NUMPY\x01\x00\x76\x00", 10);
    int filled = snprintf(start + 10, sizeof start - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, dims);
    memset(start + 10 + filled, ' ', sizeof start - 10 - (size_t)filled);
    start[127] = '\n';
    ALCORE__TRY(alcore__writer_open(ctx, path, out));
    alcore_status status = alcore__writer_put(*out, start, sizeof start);
    if (status == ALCORE_OK) return ALCORE_OK;
    alcore__writer_abort(*out);
    *out = NULL;
    return status;
}
