/* SPDX-License-Identifier: Apache-2.0 */
/* Training a vocabulary: spm_train of sentencepiece (Kudo and Richardson 2018) makes the pieces, by
 * byte-pair encoding (Sennrich et al. 2016) or as a Unigram model (Kudo 2018). This file writes the
 * texts for it, runs it, and reads the model that it has written.
 *
 * spm_train runs in a process of its own, and the library is not linked, for three reasons:
 * libsentencepiece exports 1,602 symbols of protobuf that collide with those of libtorch; an error
 * in its training ends the process; and a training that runs cannot be cancelled.
 *
 * The texts go to a file in a temporary folder, one a line, in which the program works, so that no
 * path is part of the model: the same texts and options give the same bytes. Memory here: one block
 * of text; the program needs about 20 times the size of the texts for a Unigram model. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/rng.h"
#include "text/texts.h"
#include "text/utf8.h"
#include "tokenizer/sentencepiece.h"

#include "alcore/extra/tokenizer.h"

/* Bytes written at once; bytes at the end of the log in which the reason of a failure is sought. */
enum { BLOCK = 1 << 20, LOG_END = 4096 };
enum { LEAST_TOKENS = 5, MOST_TOKENS = 10000000 };

/* The files in the folder, in the order in which they are made. */
static const char NAMES[][sizeof "out.model"] = {"texts", "log", "out.model", "out.vocab"};

/* One training. */
typedef struct training {
    alcore_ctx *ctx;
    const alcore__texts *texts;
    const char *path; /* of the result */
    alcore_vocabulary_options options;
    alcore__buffer folder, name; /* the temporary folder; the path of a file in it */
    alcore__buffer block;        /* text that is not written yet; then the result */
} training;

/* The path of a file in the folder, in t->name. */
static alcore_status in_folder(training *t, const char *name) {
    t->name.length = 0;
    return alcore__buffer_format(t->ctx, &t->name, "%s/%s", t->folder.data, name);
}

/* The error of a system call on the file t->name. */
static alcore_status fail_file(const training *t, const char *what) {
    return alcore__fail(ALCORE_E_IO, "cannot %s '%s': %s", what, t->name.data,
                        strerror_l(errno, alcore__c_locale()));
}

/* ---- the texts ---- */

/* Writes the block to the file and empties it. */
static alcore_status flush(training *t, int file) {
    for (size_t done = 0; done < t->block.length;) {
        const ssize_t bytes = write(file, t->block.data + done, t->block.length - done);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return fail_file(t, "write");
        done += (size_t)bytes;
    }
    t->block.length = 0;
    return ALCORE_OK;
}

/* Appends text i as one line of UTF-8. Ends of lines and NUL become spaces, and so does U+2585:
 * sentencepiece skips a text with this sign, by which it marks unknown characters. *any is set when
 * the line has a character other than spaces and tabs. */
static alcore_status add_line(training *t, int64_t i, bool *any) {
    static const char reserved[] = "\xE2\x96\x85";
    size_t length;
    const char *text = alcore__texts_get(t->texts, i, &length);
    const size_t begin = t->block.length;
    ALCORE__TRY(alcore__utf8_repair(t->ctx, text, length, &t->block, NULL));
    char *line = t->block.data + begin;
    const size_t bytes = t->block.length - begin;
    for (size_t k = 0; k < bytes; k++) {
        if (line[k] == '\n' || line[k] == '\r' || line[k] == '\0') line[k] = ' ';
        if (bytes - k >= 3 && memcmp(line + k, reserved, 3) == 0) memset(line + k, ' ', 3);
        *any |= line[k] != ' ' && line[k] != '\t';
    }
    return alcore__buffer_append(t->ctx, &t->block, "\n", 1);
}

/* *out [count]: the numbers of the texts that are drawn, in rising order, to be freed. */
static alcore_status draw_texts(const training *t, int64_t count, int64_t **out) {
    alcore__rng rng;
    alcore__rng_seed(&rng, alcore__rng_derive(t->options.seed, ALCORE__TAG_VOCABULARY, 1, 0));
    ALCORE__TRY(alcore__new_array(t->ctx, (size_t)count, sizeof **out, out));
    alcore_status status = alcore__rng_sample(t->ctx, &rng, t->texts->count, count, *out);
    if (status == ALCORE_OK)
        status = alcore__sort(t->ctx, *out, (size_t)count, sizeof **out, alcore__ascending);
    if (status != ALCORE_OK) alcore__free(t->ctx, *out);
    return status;
}

/* Writes the lines: those of drawn [count], or of all texts where drawn is NULL. */
static alcore_status write_lines(training *t, const int64_t *drawn, int64_t count, int file) {
    bool any = false;
    for (int64_t i = 0; i < count; i++) {
        if (i % 1024 == 0) ALCORE__TRY(alcore__tick(t->ctx, "writing the texts", i, count));
        ALCORE__TRY(add_line(t, drawn ? drawn[i] : i, &any));
        if (t->block.length >= BLOCK) ALCORE__TRY(flush(t, file));
    }
    if (!any) return alcore__fail(ALCORE_E_DATA, "no text has a character to learn from");
    return flush(t, file);
}

/* Writes the file of the texts; with max_texts a sample of them, in the order of the texts. */
static alcore_status write_texts(training *t) {
    int64_t *drawn = NULL, count = t->texts->count;
    if (t->options.max_texts > 0 && t->options.max_texts < count) {
        count = t->options.max_texts;
        ALCORE__TRY(draw_texts(t, count, &drawn));
    }
    alcore_status status = in_folder(t, NAMES[0]);
    if (status == ALCORE_OK) {
        const int file = open(t->name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        status = file < 0 ? fail_file(t, "make") : write_lines(t, drawn, count, file);
        if (file >= 0 && close(file) != 0 && status == ALCORE_OK) status = fail_file(t, "write");
    }
    alcore__free(t->ctx, drawn);
    return status;
}

/* ---- the program ---- */

/* Reads the last bytes of the file t->name into the block, at most `most` of them. */
static alcore_status read_end(training *t, size_t most) {
    t->block.length = 0;
    const int file = open(t->name.data, O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail_file(t, "open");
    const off_t bytes = lseek(file, 0, SEEK_END);
    const size_t wanted = bytes < 0 ? 0 : (size_t)bytes < most ? (size_t)bytes : most;
    alcore_status status = alcore__buffer_reserve(t->ctx, &t->block, wanted + 1);
    while (status == ALCORE_OK && t->block.length < wanted) {
        const ssize_t got = pread(file, t->block.data + t->block.length, wanted - t->block.length,
                                  bytes - (off_t)(wanted - t->block.length));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = fail_file(t, "read");
        if (got <= 0) break;
        t->block.length += (size_t)got;
    }
    close(file);
    if (status == ALCORE_OK) t->block.data[t->block.length] = '\0';
    return status;
}

/* The error of a program that ended with code. Its text is the last line of the log, but not the
 * one that says that the program ends, and without the beginning "FILE(LINE) [CONDITION] ". */
static alcore_status fail_program(training *t, int code) {
    ALCORE__TRY(in_folder(t, "log"));
    ALCORE__TRY(read_end(t, LOG_END));
    char *line = t->block.data, *last = "";
    for (char *next = line; next; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (*line && !strstr(line, "Program terminated with")) last = line;
    }
    for (char *behind; (behind = strstr(last, "] "));) last = behind + 2;
    return alcore__fail(ALCORE_E_DATA, "the training of the vocabulary ended with status %d: %s",
                        code, last);
}

/* Runs spm_train in the folder. Its number of threads is fixed, because the scores of a Unigram
 * model depend on it: sums of floats are split among them. */
static alcore_status run_program(training *t) {
    const alcore_vocabulary_options *o = &t->options;
    char tokens[40], coverage[60];
    int code = 0;
    alcore__format(tokens, sizeof tokens, "--vocab_size=%lld", (long long)o->tokens);
    alcore__format(coverage, sizeof coverage, "--character_coverage=%.17g", o->coverage);
    const char *const arguments[] = {
        "spm_train",
        "--input=texts",
        "--model_prefix=out",
        o->kind == ALCORE_VOCABULARY_BPE ? "--model_type=bpe" : "--model_type=unigram",
        tokens,
        coverage,
        o->byte_fallback ? "--byte_fallback=true" : "--byte_fallback=false",
        "--pad_id=0",
        "--bos_id=1",
        "--eos_id=2",
        "--unk_id=3",
        "--num_threads=16",
        "--max_sentence_length=1073741824", /* bytes; a longer line is skipped */
        NULL};
    const alcore_status status =
        alcore__child_run(t->ctx, arguments, t->folder.data, "training the vocabulary", &code);
    if (status == ALCORE_E_NOT_FOUND)
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "there is no spm_train on PATH, which trains vocabularies; on Debian it "
            "is in the package sentencepiece");
    ALCORE__TRY(status);
    return code > 0 ? fail_program(t, code) : ALCORE_OK;
}

/* ---- the result ---- */

/* Checks the model that was made and writes it to the caller's path. */
static alcore_status write_result(training *t) {
    alcore__sentencepiece pieces = {0};
    alcore__writer *writer;
    ALCORE__TRY(in_folder(t, "out.model"));
    ALCORE__TRY(read_end(t, SIZE_MAX));
    const alcore_status status =
        alcore__sentencepiece_read(t->ctx, t->block.data, t->block.length, t->name.data, &pieces);
    alcore__sentencepiece_clear(t->ctx, &pieces);
    ALCORE__TRY(status);
    ALCORE__TRY(alcore__writer_open(t->ctx, t->path, &writer));
    const alcore_status written = alcore__writer_put(writer, t->block.data, t->block.length);
    if (written == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return written;
}

/* Makes the temporary folder, and room in t->name for the path of each file in it: remove_folder()
 * is to work also where there is no memory left. */
static alcore_status make_folder(training *t) {
    ALCORE__TRY(alcore__temporary_folder(t->ctx, &t->folder));
    const alcore_status status =
        alcore__buffer_reserve(t->ctx, &t->name, t->folder.length + 1 + sizeof NAMES[0]);
    if (status != ALCORE_OK) rmdir(t->folder.data);
    return status;
}

/* Removes the temporary folder with everything that the training put there. */
static void remove_folder(training *t) {
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (in_folder(t, NAMES[i]) == ALCORE_OK) unlink(t->name.data);
    rmdir(t->folder.data);
}

static alcore_status check_options(const alcore_vocabulary_options *options) {
    const char *name = "alcore_vocabulary_options";
    if (options->kind != ALCORE_VOCABULARY_UNIGRAM && options->kind != ALCORE_VOCABULARY_BPE)
        return alcore__fail(ALCORE_E_PARAM, "%s: kind is %d, not ALCORE_VOCABULARY_*", name,
                            options->kind);
    if (options->byte_fallback != 0 && options->byte_fallback != 1)
        return alcore__fail(ALCORE_E_PARAM, "%s: byte_fallback is %d, not 0 or 1", name,
                            options->byte_fallback);
    if (options->tokens < LEAST_TOKENS || options->tokens > MOST_TOKENS)
        return alcore__fail(ALCORE_E_PARAM, "%s: tokens is %lld, not from %d to %d", name,
                            (long long)options->tokens, LEAST_TOKENS, MOST_TOKENS);
    if (!(options->coverage >= 0.98 && options->coverage <= 1))
        return alcore__fail(ALCORE_E_PARAM, "%s: coverage is %g, not from 0.98 to 1", name,
                            options->coverage);
    if (options->max_texts < 0)
        return alcore__fail(ALCORE_E_PARAM, "%s: max_texts is negative", name);
    return ALCORE_OK;
}

/* Reads the options and runs the steps; the temporary folder is removed in any case. */
static alcore_status train(training *t, const alcore_vocabulary_options *given) {
    t->options = (alcore_vocabulary_options)ALCORE_VOCABULARY_OPTIONS_INIT;
    ALCORE__TRY(
        alcore__struct_read_over(&t->options, sizeof t->options,
                                 ALCORE__FIRST_SIZE(alcore_vocabulary_options, byte_fallback),
                                 given, "alcore_vocabulary_options"));
    if (t->options.tokens == 0) t->options.tokens = 8000;
    t->options.kind = alcore__or_default(t->options.kind, ALCORE_VOCABULARY_UNIGRAM);
    t->options.coverage = alcore__or_unset(t->options.coverage, 0.9995);
    ALCORE__TRY(check_options(&t->options));
    ALCORE__TRY(alcore__texts_check(t->texts, "texts"));
    ALCORE__TRY(make_folder(t));
    alcore_status status = write_texts(t);
    if (status == ALCORE_OK) status = run_program(t);
    if (status == ALCORE_OK) status = write_result(t);
    remove_folder(t);
    return status;
}

alcore_status alcore_tokenizer_train_vocabulary(alcore_ctx *ctx, const char *const *texts,
                                                const size_t *lengths, int64_t count,
                                                const char *path,
                                                const alcore_vocabulary_options *options) {
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx or path is NULL"));
    const alcore__texts all = {texts, lengths, count};
    training t = {.ctx = ctx, .texts = &all, .path = path};
    const alcore_status status = train(&t, options);
    alcore__buffer_clear(ctx, &t.folder);
    alcore__buffer_clear(ctx, &t.name);
    alcore__buffer_clear(ctx, &t.block);
    return alcore__leave(ctx, status);
}
