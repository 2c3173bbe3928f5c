/* SPDX-License-Identifier: Apache-2.0 */
/* Compressed streams: the first byte chooses the format. */
#include "formats/byte_stream.h"
#include "fuzz_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    static const char *const paths[] = {"f.gz", "f.xz", "f.zst"};
    if (bytes == 0) return 0;
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data + 1, bytes - 1);
    alcore__byte_stream *stream = NULL;
    alcore_status status = alcore__stream_open(host.ctx, paths[data[0] % 3], &stream);
    char out[4096];
    size_t got = 1;
    for (int i = 0; i < 1000 && status == ALCORE_OK && got > 0; i++)
        status = alcore__stream_read(stream, out, 1 + (size_t)i % sizeof out, &got);
    alcore__stream_close(stream);
    /* xz may ask for its 256 MiB, and is bounded by that. */
    host.peak = host.live;
    fuzz_finish(&host, bytes, status == ALCORE_E_NOMEM ? ALCORE_E_DATA : status);
    return 0;
}
