/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between a byte stream (byte_stream.c) and one decompressor. Each has its own file,
 * which is built when its library is there. */
#ifndef ALCORE__DECODER_H
#define ALCORE__DECODER_H

#include "base/base.h"

/* The input and the output of one step; the decoder moves both pointers on and subtracts what it
 * used from the lengths. */
typedef struct alcore__decoder_io {
    const char *input;   /* compressed bytes that are not decoded yet */
    size_t input_bytes;  /* how many */
    bool input_ended;    /* the file has no bytes after them */
    char *output;        /* where the next decoded byte goes */
    size_t output_bytes; /* memory left there */
} alcore__decoder_io;

typedef struct alcore__decoder {
    const char *suffix, *name; /* ".gz", "gzip" */
    alcore_status (*open)(alcore_ctx *ctx, void **out_state);
    /* Decodes until the output is full or the input is used up. *out_whole: the data may end here,
     * between two members or frames. Error texts say what is wrong with the data, without the path.
     */
    alcore_status (*run)(void *state, alcore__decoder_io *io, bool *out_whole);
    void (*close)(alcore_ctx *ctx, void *state);
} alcore__decoder;

#ifdef ALCORE_HAVE_ZLIB
extern const alcore__decoder alcore__decoder_gz;
#endif
#ifdef ALCORE_HAVE_LZMA
extern const alcore__decoder alcore__decoder_xz;
#endif
#ifdef ALCORE_HAVE_ZSTD
extern const alcore__decoder alcore__decoder_zst;
#endif

#endif
