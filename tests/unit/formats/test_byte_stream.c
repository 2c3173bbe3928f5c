/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "format_test.h"
#include "formats/byte_stream.h"
#ifdef ALCORE_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef ALCORE_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef ALCORE_HAVE_ZSTD
#include <zstd.h>
#endif

static memory_host host;
#define PLAIN ((size_t)3 << 20)
#define PACKED ((size_t)4 << 20)
static char plain[PLAIN], packed[PACKED], unpacked[2 * PLAIN + 1];

/* Both repetitive and not, so that back references and literals cross every block. */
static void fill_plain(void) {
    uint32_t state = 1;
    for (size_t i = 0; i < PLAIN; i++) {
        state = state * 1664525u + 1013904223u;
        plain[i] = (char)(i % 4096 < 3000 ? 'a' + i % 23 : 'a' + state % 26);
    }
}

static alcore_status read_stream(const char *path, const void *data, size_t bytes, size_t step,
                                 size_t *out) {
    alcore__byte_stream *stream = NULL;
    memory_host_file(&host, data, bytes);
    *out = 0;
    ALCORE__TRY(alcore__stream_open(host.ctx, path, &stream));
    alcore_status status;
    size_t got;
    do {
        size_t room = sizeof unpacked - *out < step ? sizeof unpacked - *out : step;
        status = alcore__stream_read(stream, unpacked + *out, room, &got);
        *out += got;
    } while (status == ALCORE_OK && got > 0);
    int64_t done, total;
    alcore__stream_position(stream, &done, &total);
    ck_assert_int_eq(total, (int64_t)bytes);
    if (status == ALCORE_OK) ck_assert_int_eq(done, total);
    alcore__stream_close(stream);
    return status;
}

/* The same rules for every format; one member of packed bytes holds PLAIN bytes. */
__attribute__((unused)) /* in a build without any of them */
static void
check_format(const char *path, size_t one, const char *damaged) {
    static const size_t steps[] = {sizeof unpacked, 65536, 4097};
    size_t got, live = host.live;
    for (size_t i = 0; i < 3; i++) {
        ck_works(read_stream(path, packed, one, steps[i], &got));
        ck_assert_uint_eq(got, PLAIN);
        ck_assert(memcmp(unpacked, plain, PLAIN) == 0);
    }
    for (size_t cut = 1; cut < one; cut += one / 37)
        ck_fails(read_stream(path, packed, cut, 65536, &got), ALCORE_E_DATA, "is truncated: the ");
    ck_fails(read_stream(path, packed, one - 1, 65536, &got), ALCORE_E_DATA, path);
    ck_fails(read_stream(path, packed, 0, 65536, &got), ALCORE_E_DATA, "is empty, not a ");
    ck_fails(read_stream(path, plain, 1000, 65536, &got), ALCORE_E_DATA, damaged);
    packed[one / 2] = (char)(packed[one / 2] ^ 0x55);
    ck_assert_int_eq(read_stream(path, packed, one, 65536, &got), ALCORE_E_DATA);
    packed[one / 2] = (char)(packed[one / 2] ^ 0x55);
    if (2 * one <= PACKED) { /* two members run on */
        memcpy(packed + one, packed, one);
        ck_works(read_stream(path, packed, 2 * one, 65536, &got));
        ck_assert_uint_eq(got, 2 * PLAIN);
        ck_assert(memcmp(unpacked + PLAIN, plain, PLAIN) == 0);
        ck_fails(read_stream(path, packed, one + one / 2, 65536, &got), ALCORE_E_DATA,
                 "is truncated: the ");
        memset(packed + one, 'x', 100);
        ck_assert_int_eq(read_stream(path, packed, one + 100, 65536, &got), ALCORE_E_DATA);
    }
    alcore_status status = ALCORE_E_NOMEM;
    for (int64_t k = 0; status != ALCORE_OK; k++) {
        host.fail_from = host.calls + k;
        status = read_stream(path, packed, one, 65536, &got);
        host.fail_from = -1;
        ck_assert(status == ALCORE_OK || status == ALCORE_E_NOMEM);
        ck_assert_int_lt(k, 1000);
    }
    ck_assert_uint_eq(host.live, live);
}

START_TEST(plain_files) {
    size_t got;
    ck_works(read_stream("a.txt", plain, PLAIN, 1000, &got));
    ck_assert_uint_eq(got, PLAIN);
    ck_works(read_stream("a", "", 0, 1000, &got));
    ck_assert_uint_eq(got, 0);
    size_t base;
    ck_assert(alcore__stream_compressed("a.txt.gz", &base) && base == 5);
    ck_assert(alcore__stream_compressed("a.tsv.zst", &base) && base == 5);
    ck_assert(!alcore__stream_compressed("a.txt", &base) && base == 5);
    ck_assert(!alcore__stream_compressed(".gz", &base) && base == 3);
}
END_TEST

START_TEST(gzip_files) {
#ifdef ALCORE_HAVE_ZLIB
    z_stream deflater = {.next_in = (Bytef *)plain,
                         .avail_in = PLAIN,
                         .next_out = (Bytef *)packed,
                         .avail_out = PACKED};
    ck_assert_int_eq(deflateInit2(&deflater, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    ck_assert_int_eq(deflate(&deflater, Z_FINISH), Z_STREAM_END);
    size_t one = deflater.total_out;
    deflateEnd(&deflater);
    check_format("a.txt.gz", one, "a.txt.gz: the gzip data is damaged (incorrect header check)");
#else
    size_t got;
    ck_fails(read_stream("a.txt.gz", plain, 9, 9, &got), ALCORE_E_UNSUPPORTED,
             "this build reads no .gz (built without zlib)");
#endif
}
END_TEST

START_TEST(xz_files) {
#ifdef ALCORE_HAVE_LZMA
    size_t one = 0;
    ck_assert_int_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (uint8_t *)plain, PLAIN,
                                             (uint8_t *)packed, &one, PACKED),
                     LZMA_OK);
    check_format("a.txt.xz", one, "a.txt.xz: the xz data is damaged (not an .xz file)");
#else
    size_t got;
    ck_fails(read_stream("a.txt.xz", plain, 9, 9, &got), ALCORE_E_UNSUPPORTED,
             "this build reads no .xz (built without liblzma)");
#endif
}
END_TEST

START_TEST(zstd_files) {
#ifdef ALCORE_HAVE_ZSTD
    ZSTD_CCtx *encoder = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1);
    size_t one = ZSTD_compress2(encoder, packed, PACKED, plain, PLAIN);
    ck_assert(!ZSTD_isError(one));
    check_format("a.txt.zst", one,
                 "a.txt.zst: the zstd data is damaged (Unknown frame descriptor)");
    /* A window of 2 GiB is refused before anything is allocated. */
    size_t got;
    const unsigned char hungry[] = {0x28, 0xB5, 0x2F, 0xFD, 0x00, 21 << 3, 0x01, 0, 0};
    ck_fails(read_stream("a.zst", hungry, sizeof hungry, 99, &got), ALCORE_E_DATA,
             "needs a window above 128 MiB");
    ZSTD_freeCCtx(encoder);
#else
    size_t got;
    ck_fails(read_stream("a.txt.zst", plain, 9, 9, &got), ALCORE_E_UNSUPPORTED,
             "this build reads no .zst (built without libzstd)");
#endif
}
END_TEST

TEST_FILE() {
    const TTest *const tests[] = {plain_files, gzip_files, xz_files, zstd_files};
    fill_plain();
    memory_host_open(&host);
    int failed = run_case("byte_stream", tests, sizeof tests / sizeof *tests);
    return memory_host_close(&host) > 0 || failed;
}
