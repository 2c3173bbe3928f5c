/* SPDX-License-Identifier: Apache-2.0 */
/* Files of aligners: what is read links words and is written again. A mutation nearly always breaks
 * the checksum, so each input is read twice: as it is, and with a checksum that agrees, so that
 * everything behind that check is reached too. */
#include <xxhash.h>

#include "alcore/extra/aligner.h"
#include "fuzz_target.h"

/* Puts the checksum of the bytes before it at the end of the file [bytes]. */
static void repair(uint8_t *file, size_t bytes) {
    enum { PIECE = 1 << 16 };
    uint64_t hash = 0;
    if (bytes < sizeof hash) return;
    const size_t end = bytes - sizeof hash;
    for (size_t done = 0; done < end;) {
        const size_t piece = end - done < PIECE ? end - done : PIECE;
        hash = XXH64(file + done, piece, hash);
        done += piece;
    }
    memcpy(file + end, &hash, sizeof hash);
}

static void read_file(const uint8_t *file, size_t bytes) {
    static const char *const words[] = {"das Haus", "ein Buch"};
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, file, bytes);
    alcore_aligner *aligner = NULL;
    alcore_links *links = NULL;
    alcore_status status = alcore_aligner_open(host.ctx, "f", &aligner);
    FUZZ_CHECK((status == ALCORE_OK) == (aligner != NULL));
    if (aligner) {
        FUZZ_CHECK(alcore_aligner_apply(aligner, words, NULL, words, NULL, 2, &links) == ALCORE_OK);
        FUZZ_CHECK(alcore_aligner_write(aligner, "g") == ALCORE_OK);
    }
    alcore_links_unref(links);
    alcore_aligner_unref(aligner);
    fuzz_finish(&host, bytes, status == ALCORE_E_CORRUPT ? ALCORE_E_DATA : status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    uint8_t *file = malloc(bytes + 1);
    FUZZ_CHECK(file);
    memcpy(file, data, bytes);
    read_file(file, bytes);
    repair(file, bytes);
    read_file(file, bytes);
    free(file);
    return 0;
}
