/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps JSON documents for validation; see keep_documents.h. Tests make many thousands, most of
 * which differ in numbers only, and a schema looks at the kinds of numbers. So a document is kept
 * once for its text with other numbers: runs of digits are read as 0 where they are all 0, else as
 * 1, and a fingerprint as one digit. The hash of that is the name of its file. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "keep_documents.h"
/* Here the names are those of the library. */
#undef alcore_select
#undef alcore_selection_report
#undef alcore_mix_provenance

alcore_status keep_select(alcore_request *request, alcore_selection **out);
alcore_status keep_report(const alcore_selection *selection, const char *path,
                          const alcore_report_options *options);
const char *keep_mix_provenance(const alcore_mix *mix);

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* One step of FNV-1a. */
static void add_byte(uint64_t *hash, char byte) {
    *hash = (*hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3);
}

/* Hash of a document without the values of its numbers. */
static uint64_t hash_of_form(const char *text) {
    static const char fingerprint[] = "\"fingerprint\":\"";
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    while (*text != '\0') {
        if (is_digit(*text)) {
            char digit = '0';
            for (; is_digit(*text); text++)
                if (*text != '0') digit = '1';
            add_byte(&hash, digit);
            continue;
        }
        if (strncmp(text, fingerprint, sizeof fingerprint - 1) == 0)
            text += sizeof fingerprint - 1 + strcspn(text + sizeof fingerprint - 1, "\"");
        add_byte(&hash, *text++);
    }
    return hash;
}

/* Writes the document unless one of its form is there. */
static void keep(const char *text) {
    const char *folder = getenv("ALCORE_TEST_DOCUMENTS");
    char path[4096];
    if (!folder || !text) return;
    snprintf(path, sizeof path, "%s/%016" PRIx64 ".json", folder, hash_of_form(text));
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) return;
    const size_t length = strlen(text);
    if (write(file, text, length) != (ssize_t)length) unlink(path);
    close(file);
}

alcore_status keep_select(alcore_request *request, alcore_selection **out) {
    const alcore_status status = alcore_select(request, out);
    for (int64_t i = 0; status == ALCORE_OK && i < alcore_selection_budget_count(*out); i++)
        keep(alcore_selection_provenance(alcore_selection_of_budget(*out, i)));
    return status;
}

const char *keep_mix_provenance(const alcore_mix *mix) {
    const char *text = alcore_mix_provenance(mix);
    keep(text);
    return text;
}

/* Keeps a report that is a JSON file of the file system. */
alcore_status keep_report(const alcore_selection *selection, const char *path,
                          const alcore_report_options *options) {
    const alcore_status status = alcore_selection_report(selection, path, options);
    const size_t length = path ? strlen(path) : 0;
    if (status != ALCORE_OK || length < 5 || strcmp(path + length - 5, ".json") != 0) return status;
    FILE *file = fopen(path, "rb");
    if (!file) return status;
    char *text = calloc(1, 1 << 20);
    if (text && fread(text, 1, (1 << 20) - 1, file) > 0) keep(text);
    free(text);
    fclose(file);
    return status;
}
