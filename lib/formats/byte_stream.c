/* SPDX-License-Identifier: Apache-2.0 */
/* Byte streams (byte_stream.h): a plain file is read straight into the caller's memory, a
 * compressed one in pieces of INPUT_BYTES through the decoder of its suffix (decoder.h). */
#include "formats/byte_stream.h"

#include <string.h>

#include "formats/decoder.h"

#define INPUT_BYTES ((size_t)256 << 10) /* compressed bytes read at once */

struct alcore__byte_stream {
    alcore_ctx *ctx; /* the opener's: a stream does not outlive its call */
    alcore__file *file;
    int64_t offset;                 /* bytes of the file read so far */
    int64_t length;                 /* of the file; -1: unknown */
    const alcore__decoder *decoder; /* NULL: a plain file */
    void *state;                    /* the decoder's */
    alcore__decoder_io io;          /* what the decoder has not read yet, and where it writes */
    bool whole;                     /* the data may end here, as the decoder said last */
    char input[];                   /* [INPUT_BYTES] compressed bytes; absent in a plain file */
};

/* The compressions by suffix; without decoder where the build has no library for it. */
static const struct {
    const char *suffix, *library;
    const alcore__decoder *decoder;
} compressions[] = {
#ifdef ALCORE_HAVE_ZLIB
    {".gz", "zlib", &alcore__decoder_gz},
#else
    {".gz", "zlib", NULL},
#endif
#ifdef ALCORE_HAVE_LZMA
    {".xz", "liblzma", &alcore__decoder_xz},
#else
    {".xz", "liblzma", NULL},
#endif
#ifdef ALCORE_HAVE_ZSTD
    {".zst", "libzstd", &alcore__decoder_zst},
#else
    {".zst", "libzstd", NULL},
#endif
};
#define COMPRESSIONS (sizeof compressions / sizeof *compressions)

/* Index in the table above of a path's compression; COMPRESSIONS for a plain file. */
static size_t find_compression(const char *path) {
    size_t length = strlen(path), i = 0;
    for (; i < COMPRESSIONS; i++) {
        size_t suffix = strlen(compressions[i].suffix);
        if (length > suffix && strcmp(path + length - suffix, compressions[i].suffix) == 0) break;
    }
    return i;
}

/* Compares without regard to case; length: of the part of the path that is looked at. */
bool alcore__path_ends_in(const char *path, size_t length, const char *suffix) {
    const size_t bytes = strlen(suffix);
    return length >= bytes && strncasecmp(path + length - bytes, suffix, bytes) == 0;
}

/* Unlike other suffixes, those of compression count in lower case only. */
bool alcore__stream_compressed(const char *path, size_t *out_base_length) {
    size_t compression = find_compression(path);
    bool compressed = compression < COMPRESSIONS;
    *out_base_length = strlen(path) - (compressed ? strlen(compressions[compression].suffix) : 0);
    return compressed;
}

/* Opens path with the decoder of its suffix; a suffix whose library this build lacks is
 * ALCORE_E_UNSUPPORTED. */
alcore_status alcore__stream_open(alcore_ctx *ctx, const char *path, alcore__byte_stream **out) {
    size_t compression = find_compression(path);
    const alcore__decoder *decoder = NULL;
    if (compression < COMPRESSIONS) {
        decoder = compressions[compression].decoder;
        if (!decoder)
            return alcore__fail(
                ALCORE_E_UNSUPPORTED, "%s: this build reads no %s (built without %s)", path,
                compressions[compression].suffix, compressions[compression].library);
    }
    size_t bytes = sizeof(alcore__byte_stream) + (decoder ? INPUT_BYTES : 0);
    alcore__byte_stream *stream = alcore__alloc(ctx, bytes);
    if (!stream) return alcore__fail_memory(bytes);
    memset(stream, 0, sizeof *stream);
    stream->ctx = ctx;
    stream->decoder = decoder;
    alcore_status status = alcore__file_open(ctx, path, &stream->file);
    if (status == ALCORE_OK) status = alcore__file_length(stream->file, &stream->length);
    if (status == ALCORE_OK && decoder) status = decoder->open(ctx, &stream->state);
    if (status != ALCORE_OK) {
        alcore__stream_close(stream);
        return status;
    }
    *out = stream;
    return ALCORE_OK;
}

/* Reads the next piece of the compressed file when the decoder has used up the one before. */
static alcore_status fill_input(alcore__byte_stream *stream) {
    alcore__decoder_io *io = &stream->io;
    if (io->input_bytes > 0 || io->input_ended) return ALCORE_OK;
    size_t got = 0;
    ALCORE__TRY(alcore__file_read(stream->file, stream->offset, stream->input, INPUT_BYTES, &got));
    io->input = stream->input;
    io->input_bytes = got;
    io->input_ended = got == 0;
    stream->offset += (int64_t)got;
    return ALCORE_OK;
}

/* Fills data with up to `bytes` bytes. A plain file is read once; a compressed one is decoded until
 * data is full or the file ends. A file that ends inside a member or frame is truncated, which is
 * an error. */
alcore_status alcore__stream_read(alcore__byte_stream *stream, void *data, size_t bytes,
                                  size_t *out_bytes) {
    *out_bytes = 0;
    if (!stream->decoder) {
        size_t got = 0;
        ALCORE__TRY(alcore__file_read(stream->file, stream->offset, data, bytes, &got));
        stream->offset += (int64_t)got;
        *out_bytes = got;
        return ALCORE_OK;
    }
    const char *path = alcore__file_path(stream->file);
    alcore__decoder_io *io = &stream->io;
    io->output = data;
    io->output_bytes = bytes;
    while (io->output_bytes > 0) {
        ALCORE__TRY(fill_input(stream));
        size_t before = io->output_bytes;
        alcore_status status = stream->decoder->run(stream->state, io, &stream->whole);
        if (status != ALCORE_OK) return alcore__fail_within(status, "%s", path);
        if (!io->input_ended || io->output_bytes < before) continue;
        if (stream->offset == 0)
            return alcore__fail(ALCORE_E_DATA, "%s is empty, not a %s file", path,
                                stream->decoder->suffix);
        if (stream->whole) break;
        return alcore__fail(ALCORE_E_DATA,
                            "%s is truncated: the %s data stops in the middle after %lld bytes",
                            path, stream->decoder->name, (long long)stream->offset);
    }
    *out_bytes = bytes - io->output_bytes;
    return ALCORE_OK;
}

/* Bytes of the file that were used, compressed ones for a compressed file: what was read of it less
 * what the decoder has not used yet. */
void alcore__stream_position(const alcore__byte_stream *stream, int64_t *out_done,
                             int64_t *out_total) {
    *out_done = stream->offset - (int64_t)stream->io.input_bytes;
    *out_total = stream->length;
}

/* Frees the stream and what it has opened; also one that alcore__stream_open() made in part. */
void alcore__stream_close(alcore__byte_stream *stream) {
    if (!stream) return;
    if (stream->state) stream->decoder->close(stream->ctx, stream->state);
    alcore__file_close(stream->file);
    alcore__free(stream->ctx, stream);
}

/* The mark is FF FE or FE FF, the two pairs of such bytes that differ in the last bit alone. */
alcore_status alcore__check_no_utf16(const char *path, const char *data, size_t length) {
    const unsigned char *const bytes = (const unsigned char *)data;
    if (length < 2 || (bytes[0] ^ bytes[1]) != 1 || bytes[0] < 0xFE) return ALCORE_OK;
    const char *const name = bytes[0] == 0xFF ? "UTF-16LE" : "UTF-16BE";
    return alcore__fail(ALCORE_E_DATA, "%s is %s text: convert it with iconv -f %s -t UTF-8", path,
                        name, name);
}
