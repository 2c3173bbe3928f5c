/* SPDX-License-Identifier: Apache-2.0 */
/* ZIP files (zip_reader.h). At the end of the file is the end record, which says where the list of
 * members is (APPNOTE 6.3, 4.3.12 and 4.3.16); before each member's data its header stands again,
 * of which only the lengths are needed. */
#include "formats/zip_reader.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum {
    END_BYTES = 22,            /* of the end record without its comment */
    MAX_COMMENT = 65535,       /* bytes behind it */
    ENTRY_BYTES = 46,          /* of an entry of the list without its names */
    HEADER_BYTES = 30,         /* of a header before the data without its names */
    INPUT_BYTES = 1 << 16,     /* compressed bytes read at once */
    MAX_LIST_BYTES = 16 << 20, /* of the list of members */
    FREE_BYTES = 64 << 20,     /* and RATIO times the length of the file may be given out */
    RATIO = 64,
    STORED = 0, /* methods of compression */
    DEFLATED = 8
};
static const uint32_t END_MARK = 0x06054B50, ENTRY_MARK = 0x02014B50, HEADER_MARK = 0x04034B50;

struct alcore__zip {
    alcore_ctx *ctx;
    alcore__file *file;
    int64_t length;      /* of the file */
    unsigned char *list; /* [list_bytes] the entries, owned */
    size_t list_bytes;
    int64_t left; /* bytes that may still be given out */
    /* The member. */
    z_stream stream;
    bool inflating; /* stream is open */
    bool stored, ended;
    int64_t offset, end;                   /* of the data that was not read yet, in the file */
    uint32_t checksum, size;               /* of what was given out */
    uint32_t wanted_checksum, wanted_size; /* of the list */
    unsigned char input[INPUT_BYTES];
};

static uint32_t number(const unsigned char *at, int bytes) {
    uint32_t value = 0;
    for (int i = bytes; i > 0; i--) value = value << 8 | at[i - 1];
    return value;
}

static alcore_status fail(const alcore__zip *zip, const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: %s", alcore__file_path(zip->file), what);
}

/* ---- the list ---- */

/* *out: the offset of the end record in a tail of the file; false: there is none. */
static bool find_end(const unsigned char *tail, size_t bytes, size_t *out) {
    for (size_t at = bytes < END_BYTES ? 0 : bytes - END_BYTES + 1; at > 0; at--) {
        if (number(tail + at - 1, 4) != END_MARK) continue;
        *out = at - 1;
        return true;
    }
    return false;
}

/* Reads the list that the end record at `end` [END_BYTES] describes. */
static alcore_status read_list(alcore__zip *zip, const unsigned char *end) {
    const uint32_t bytes = number(end + 12, 4), offset = number(end + 16, 4);
    if (bytes == UINT32_MAX || offset == UINT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: ZIP64 is not read",
                            alcore__file_path(zip->file));
    if (bytes > MAX_LIST_BYTES || (int64_t)offset + bytes > zip->length)
        return fail(zip, "its list of members is damaged");
    ALCORE__TRY(alcore__new_array(zip->ctx, bytes, 1, &zip->list));
    zip->list_bytes = bytes;
    return alcore__file_read_all(zip->file, offset, zip->list, bytes);
}

/* Finds the end record in the last bytes of the file, and reads the list. */
static alcore_status read_end(alcore__zip *zip) {
    const int64_t most = END_BYTES + MAX_COMMENT;
    const size_t bytes = (size_t)(zip->length < most ? zip->length : most);
    size_t at = 0;
    unsigned char *tail = NULL;
    ALCORE__TRY(alcore__new_array(zip->ctx, bytes, 1, &tail));
    alcore_status status =
        alcore__file_read_all(zip->file, zip->length - (int64_t)bytes, tail, bytes);
    if (status == ALCORE_OK && !find_end(tail, bytes, &at))
        status = fail(zip, "this is no ZIP file, as .xlsx is, or its end is missing");
    if (status == ALCORE_OK) status = read_list(zip, tail + at);
    alcore__free(zip->ctx, tail);
    return status;
}

alcore_status alcore__zip_open(alcore_ctx *ctx, const char *path, alcore__zip **out) {
    alcore__zip *zip = alcore__calloc(ctx, 1, sizeof *zip);
    if (!zip) return alcore__fail_memory(sizeof *zip);
    zip->ctx = ctx;
    alcore_status status = alcore__file_open(ctx, path, &zip->file);
    if (status == ALCORE_OK) status = alcore__file_length(zip->file, &zip->length);
    if (status == ALCORE_OK && zip->length < 0)
        status =
            alcore__fail(ALCORE_E_UNSUPPORTED, "%s: a ZIP file is no stream: save it first", path);
    if (status == ALCORE_OK) status = read_end(zip);
    if (status != ALCORE_OK) {
        alcore__zip_close(zip);
        return status;
    }
    zip->left = FREE_BYTES + RATIO * zip->length;
    *out = zip;
    return ALCORE_OK;
}

/* ---- members ---- */

static void end_member(alcore__zip *zip) {
    if (zip->inflating) inflateEnd(&zip->stream);
    zip->inflating = false;
}

void alcore__zip_close(alcore__zip *zip) {
    if (!zip) return;
    end_member(zip);
    alcore__free(zip->ctx, zip->list);
    alcore__file_close(zip->file);
    alcore__free(zip->ctx, zip);
}

static voidpf zip_alloc(voidpf ctx, uInt count, uInt bytes) {
    return alcore__alloc(ctx, (size_t)count * bytes);
}

static void zip_free(voidpf ctx, voidpf memory) {
    alcore__free(ctx, memory);
}

/* Begins the member of an entry of the list. */
static alcore_status begin_entry(alcore__zip *zip, const unsigned char *entry) {
    unsigned char header[HEADER_BYTES];
    const uint32_t method = number(entry + 10, 2), packed = number(entry + 20, 4);
    const int64_t offset = number(entry + 42, 4);
    if (number(entry + 8, 2) & 1)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s is encrypted: save it without a password",
                            alcore__file_path(zip->file));
    if (method != STORED && method != DEFLATED)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: compression %u of ZIP is not read",
                            alcore__file_path(zip->file), method);
    ALCORE__TRY(alcore__file_read_all(zip->file, offset, header, sizeof header));
    zip->offset = offset + HEADER_BYTES + number(header + 26, 2) + number(header + 28, 2);
    zip->end = zip->offset + packed;
    if (number(header, 4) != HEADER_MARK || zip->end > zip->length)
        return fail(zip, "a member is damaged");
    zip->wanted_checksum = number(entry + 16, 4);
    zip->wanted_size = number(entry + 24, 4);
    zip->checksum = zip->size = 0;
    zip->stored = method == STORED;
    zip->ended = false;
    if (zip->stored) return ALCORE_OK;
    zip->stream = (z_stream){.zalloc = zip_alloc, .zfree = zip_free, .opaque = zip->ctx};
    if (inflateInit2(&zip->stream, -MAX_WBITS) != Z_OK) return alcore__fail_memory(1 << MAX_WBITS);
    zip->inflating = true;
    return ALCORE_OK;
}

alcore_status alcore__zip_begin(alcore__zip *zip, const char *name) {
    const size_t length = strlen(name);
    end_member(zip);
    for (size_t at = 0; at + ENTRY_BYTES <= zip->list_bytes;) {
        const unsigned char *entry = zip->list + at;
        const size_t bytes = number(entry + 28, 2);
        const size_t next =
            at + ENTRY_BYTES + bytes + number(entry + 30, 2) + number(entry + 32, 2);
        if (number(entry, 4) != ENTRY_MARK || next > zip->list_bytes)
            return fail(zip, "its list of members is damaged");
        if (bytes == length && memcmp(entry + ENTRY_BYTES, name, bytes) == 0)
            return begin_entry(zip, entry);
        at = next;
    }
    return ALCORE_E_NOT_FOUND;
}

/* Reads the next compressed bytes. */
static alcore_status fill_input(alcore__zip *zip) {
    const int64_t left = zip->end - zip->offset;
    const size_t bytes = (size_t)(left < INPUT_BYTES ? left : INPUT_BYTES);
    if (bytes == 0) return fail(zip, "a member is damaged");
    ALCORE__TRY(alcore__file_read_all(zip->file, zip->offset, zip->input, bytes));
    zip->offset += (int64_t)bytes;
    zip->stream.next_in = zip->input;
    zip->stream.avail_in = (uInt)bytes;
    return ALCORE_OK;
}

/* Decompresses the next bytes of the member into data [bytes], fewer where it ends. */
static alcore_status inflate_some(alcore__zip *zip, void *data, size_t bytes, size_t *out_bytes) {
    z_stream *stream = &zip->stream;
    stream->next_out = data;
    stream->avail_out = (uInt)bytes;
    while (stream->avail_out > 0 && !zip->ended) {
        if (stream->avail_in == 0) ALCORE__TRY(fill_input(zip));
        const int result = inflate(stream, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) return alcore__fail_memory(1 << MAX_WBITS);
        if (result != Z_OK && result != Z_STREAM_END) return fail(zip, "a member is damaged");
        zip->ended = result == Z_STREAM_END;
    }
    *out_bytes = bytes - stream->avail_out;
    return ALCORE_OK;
}

static alcore_status copy_some(alcore__zip *zip, void *data, size_t bytes, size_t *out_bytes) {
    const int64_t left = zip->end - zip->offset;
    *out_bytes = left < (int64_t)bytes ? (size_t)left : bytes;
    ALCORE__TRY(alcore__file_read_all(zip->file, zip->offset, data, *out_bytes));
    zip->offset += (int64_t)*out_bytes;
    zip->ended = zip->offset == zip->end;
    return ALCORE_OK;
}

alcore_status alcore__zip_read(void *self, void *data, size_t bytes, size_t *out_bytes) {
    alcore__zip *zip = self;
    if (bytes > INT_MAX) bytes = INT_MAX;
    ALCORE__TRY(alcore__tick(zip->ctx, "reading", zip->offset, zip->length));
    ALCORE__TRY(zip->stored ? copy_some(zip, data, bytes, out_bytes)
                            : inflate_some(zip, data, bytes, out_bytes));
    zip->checksum = (uint32_t)crc32(zip->checksum, data, (uInt)*out_bytes);
    zip->size += (uint32_t)*out_bytes;
    zip->left -= (int64_t)*out_bytes;
    if (zip->left < 0)
        return fail(zip, "it unpacks to more than 64 MiB and 64 times its length: save it as CSV");
    if (*out_bytes == 0 && (zip->checksum != zip->wanted_checksum || zip->size != zip->wanted_size))
        return fail(zip, "a member is damaged: its checksum or length is another one");
    return ALCORE_OK;
}
