/* SPDX-License-Identifier: Apache-2.0 */
/* One decompressor behind alcore__byte_stream. Each has its own file, built when its library is
 * there. */
#ifndef ALCORE__DECODER_H
#define ALCORE__DECODER_H

#include "base/base.h"

typedef struct alcore__decoder_io {
    const char *input; /* moved on by what was taken */
    size_t input_bytes;
    bool input_ended; /* the file holds no more than input */
    char *output;     /* moved on by what was written */
    size_t output_bytes;
} alcore__decoder_io;

typedef struct alcore__decoder {
    const char *suffix, *name; /* ".gz", "gzip" */
    alcore_status (*open)(alcore_ctx *ctx, void **out_state);
    /* Decodes what it can. *out_whole: the data may end here, between two members or frames. Error
     * texts say what is wrong with the data, without the path. */
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
