/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target without libFuzzer: every file of a corpus folder, then $ALCORE_FUZZ_SECONDS
 * (default 0) of seeded mutations of them ($ALCORE_FUZZ_SEED). An input that breaks the target is
 * left as crash-TARGET. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "fuzz_target.h"

#define MAX_FILES 256
#define MAX_BYTES ((size_t)1 << 16)
#define SECONDS_AN_INPUT 10

typedef struct sample {
    uint8_t *data;
    size_t bytes;
} sample;

static sample samples[MAX_FILES];
static int sample_count;
static uint8_t present[MAX_BYTES];
static size_t present_bytes;
static char crash_path[64];
static uint64_t state;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below > 0 ? state % below : 0;
}

static void save_input(int number) {
    int file = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0 && write(file, present, present_bytes) < 0) _exit(2);
    signal(number, SIG_DFL);
    raise(number);
}

static void run(void) {
    /* A copy of just that size, so that a sanitizer sees a read behind its end. */
    uint8_t *copy = malloc(present_bytes + (present_bytes == 0));
    FUZZ_CHECK(copy);
    memcpy(copy, present, present_bytes);
    alarm(SECONDS_AN_INPUT);
    LLVMFuzzerTestOneInput(copy, present_bytes);
    alarm(0);
    free(copy);
}

static void load_folder(const char *folder) {
    DIR *entries = opendir(folder);
    if (!entries) return;
    struct dirent **names;
    closedir(entries);
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        FILE *file =
            names[i]->d_name[0] != '.' && sample_count < MAX_FILES ? fopen(path, "rb") : NULL;
        free(names[i]);
        if (!file) continue;
        sample *one = &samples[sample_count++];
        one->data = malloc(MAX_BYTES);
        FUZZ_CHECK(one->data);
        one->bytes = fread(one->data, 1, MAX_BYTES, file);
        fclose(file);
    }
    if (count >= 0) free(names);
}

/* Makes room for, or closes, a gap in the present input. */
static void resize_at(size_t at, size_t remove, size_t insert) {
    size_t rest = present_bytes - at - remove;
    if (at + insert + rest > MAX_BYTES) return;
    memmove(present + at + insert, present + at + remove, rest);
    present_bytes = at + insert + rest;
}

static void mutate_once(void) {
    static const char *const words[] = {"\n",
                                        "\r\n",
                                        "\t",
                                        "\\",
                                        "\"",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\\u0000",
                                        "\\uD800",
                                        "-1",
                                        "1e999",
                                        "9223372036854775807",
                                        "18446744073709551615",
                                        "nan",
                                        "\xEF\xBB\xBF",
                                        "\xED\xA0\x80",
                                        "\xFF",
                                        "(",
                                        ")",
                                        "False",
                                        "P-1\t",
                                        "||| WordScores=",
                                        "\\data\\\n",
                                        "\\end\\\n",
                                        "ngram 1=",
                                        "<s>",
                                        "id",
                                        "text",
                                        " "};
    size_t at = (size_t)draw(present_bytes + 1), length = (size_t)draw(16) + 1;
    if (length > present_bytes - at) length = present_bytes - at;
    switch (draw(8)) {
    case 0:
        if (at < present_bytes) present[at] ^= (uint8_t)(1u << draw(8));
        break;
    case 1:
        if (at < present_bytes) present[at] = (uint8_t)draw(256);
        break;
    case 2:
        resize_at(at, length, 0);
        break;
    case 3:
        present_bytes = draw(4) ? present_bytes : at;
        break;
    case 4: /* repeat a piece */
        if (present_bytes + length > MAX_BYTES) break;
        resize_at(at, 0, length);
        if (at + 2 * length <= present_bytes) memcpy(present + at, present + at + length, length);
        break;
    case 5: { /* splice another file in */
        const sample *other = &samples[draw((uint64_t)sample_count)];
        size_t from = (size_t)draw(other->bytes + 1), piece = (size_t)draw(other->bytes - from + 1);
        if (present_bytes + piece > MAX_BYTES) break;
        resize_at(at, 0, piece);
        memcpy(present + at, other->data + from, piece);
        break;
    }
    default: {
        const char *word = words[draw(sizeof words / sizeof *words)];
        if (present_bytes + strlen(word) > MAX_BYTES) break;
        resize_at(at, draw(2) ? length : 0, strlen(word));
        memcpy(present + at, word, strlen(word));
        break;
    }
    }
}

static void take_sample(int index) {
    present_bytes = samples[index].bytes;
    memcpy(present, samples[index].data, present_bytes);
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    snprintf(crash_path, sizeof crash_path, "crash-%s", arguments[1]);
    const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], save_input);
    load_folder(arguments[2]);
    if (sample_count == 0) {
        fprintf(stderr, "no file in %s\n", arguments[2]);
        return 1;
    }
    for (int i = 0; i < sample_count; i++) {
        take_sample(i);
        run();
    }
    if (fuzz_accepted == 0) {
        fprintf(stderr, "%s: no file of the corpus is accepted\n", arguments[1]);
        return 1;
    }
    const char *seconds = getenv("ALCORE_FUZZ_SECONDS"), *seed = getenv("ALCORE_FUZZ_SEED");
    state = 0x9E3779B97F4A7C15u ^ (seed ? strtoull(seed, NULL, 10) : 0);
    struct timespec now, start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    long limit = seconds ? strtol(seconds, NULL, 10) : 0, runs = 0;
    for (now = start; now.tv_sec - start.tv_sec < limit; runs++) {
        take_sample((int)draw((uint64_t)sample_count));
        for (uint64_t steps = 1 + draw(6); steps > 0; steps--) mutate_once();
        run();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    printf("%s: %d files, %ld mutations\n", arguments[1], sample_count, runs);
    for (int i = 0; i < sample_count; i++) free(samples[i].data);
    return 0;
}
