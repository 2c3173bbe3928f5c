/* SPDX-License-Identifier: Apache-2.0 */
/* Suffixes (file_suffix.h): those of formats that are read, those of text, and those of files that
 * are not read, with what to do about them. Any other suffix is a guess. */
#include "formats/file_suffix.h"

#include <string.h>
#include <strings.h>

#include "formats/byte_stream.h"

/* Suffixes of the formats of records, and endings of corpora that are plain text. */
static const struct {
    int32_t format;
    const char *suffixes; /* with spaces between them and at both ends */
} known[] = {
    {ALCORE_FORMAT_TSV, " tsv tab "},
    {ALCORE_FORMAT_CSV, " csv "},
    {ALCORE_FORMAT_JSONL, " jsonl ndjson jsonlines ldjson "},
    {ALCORE_FORMAT_CONLL, " conll conllu conllup cupt conllx conll09 gold_conll v4_gold_conll bio "
                          "iob iob2 iobes bioes bilou "},
    {ALCORE_FORMAT_SGML, " sgm sgml xml "},
    {ALCORE_FORMAT_TMX, " tmx "},
    {ALCORE_FORMAT_TEXT,
     " txt text src source tgt trg target ref hyp mt pe out tok token bpe sp spm "
     "norm clean lc lower tc true raw detok sent snt seg lines corpus train dev "
     "valid test "},
};

/* Suffixes of files that are not read, by what to do about them. */
static const struct {
    const char *suffixes, *advice;
} unread[] = {
    {" json geojson json5 ",
     "write one object a line: `jq -c '.[]'` does so with an array, `jq -c .` with "
     "objects behind each other"},
    {" xls xlsx xlsm xlsb ods numbers gsheet ", "save the sheet as CSV"},
    {" parquet arrow feather ipc orc avro ", "read it with pyarrow, pandas, polars or duckdb, "
                                             "whose tables the Python package takes, or write "
                                             "it as CSV with one of them"},
    {" db sqlite sqlite3 duckdb mdb accdb dta sav rds rda rdata sas7bdat ",
     "export the columns as CSV"},
    {" xliff xlf mxliff mxlf mqxliff mqxlz sdlxliff sdlppx txlf txml ttx tbx po pot mo ts "
     "strings "
     "stringsdict resx properties resw arb ftl ",
     "take its texts out into CSV or lines: translate-toolkit (po2csv, xliff2po) and Okapi "
     "do so"},
    {" srt vtt ass ssa sub ttml dfxp sbv ", "take its texts out: one cue a line of a .txt"},
    {" html htm xhtml mhtml md markdown rst tex bib adoc org doc docx odt rtf pdf epub ppt pptx ",
     "take its sentences out: one a line of a .txt"},
    {" yaml yml toml ini cfg conf env ", "write its texts as lines, CSV or JSONL"},
    {" npy npz safetensors pt pth bin ckpt h5 hdf5 hdf pkl pickle joblib msgpack onnx gguf model "
     "mat "
     "tfrecord pb idx ",
     "it holds numbers or objects, not texts"},
    {" zip tar tgz tbz txz bz2 7z rar lz4 lzma br z jar ",
     "unpack it; compressed files are read as .gz, .xz and .zst"},
    {" png jpg jpeg gif bmp tif tiff webp svg wav mp3 flac ogg m4a mp4 mkv avi exe dll so o a "
     "class pyc ",
     "it holds no texts"},
};

/* ISO 639-1: the codes of languages with two letters. */
static const char languages[] =
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de "
    "dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz "
    "ia id "
    "ie ig ii ik io is it iu iw ja jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li "
    "ln lo "
    "lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa "
    "pi pl "
    "ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th "
    "ti tk "
    "tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

/* Whether a word of a list, " a b ", is text [length]. */
static bool in_list(const char *list, const char *text, size_t length) {
    for (const char *next = list + 1; *next; next += strcspn(next, " ") + 1)
        if (strcspn(next, " ") == length && memcmp(next, text, length) == 0) return true;
    return false;
}

static bool is_letters(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (text[i] < 'a' || text[i] > 'z') return false;
    return true;
}

/* Whether a suffix without its point is the tag of a language: "de", "zh-hans", "deu_latn",
 * "pt-br", "es-419". Three letters alone may be anything, and are a guess. */
static bool is_language(const char *text) {
    size_t length = strcspn(text, "-_");
    if (text[length] == '\0') return in_list(languages, text, length);
    if (length < 2 || length > 3 || !is_letters(text, length)) return false;
    while (text[length]) {
        text += length + 1;
        length = strcspn(text, "-_");
        const bool digits = length == 3 && strspn(text, "0123456789") == 3;
        if (!digits && ((length != 2 && length != 4) || !is_letters(text, length))) return false;
    }
    return true;
}

/* Copies the suffix of a path in small letters; a name that begins with its only point has none. */
static void copy_suffix(const char *path, char out[16]) {
    size_t length;
    out[0] = '\0';
    (void)alcore__stream_compressed(path, &length);
    const char *slash = memrchr(path, '/', length);
    const char *name = slash ? slash + 1 : path, *end = path + length;
    const char *point = memrchr(name, '.', (size_t)(end - name));
    if (!point || point == name || end - point >= 16 || end - point == 1) return;
    for (; point < end; point++)
        *out++ = *point >= 'A' && *point <= 'Z' ? (char)(*point + ('a' - 'A')) : *point;
    *out = '\0';
}

/* "so" and "ts", "mo" and "tl" are languages and files of programs: a corpus is meant. */
alcore__file_suffix alcore__file_suffix_of(const char *path) {
    alcore__file_suffix out = {.format = ALCORE_FORMAT_TEXT};
    copy_suffix(path, out.text);
    if (!*out.text) return out;
    const char *suffix = out.text + 1;
    const size_t length = strlen(suffix);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!in_list(known[i].suffixes, suffix, length)) continue;
        out.format = known[i].format;
        return out;
    }
    if (is_language(suffix)) return out;
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        if (in_list(unread[i].suffixes, suffix, length)) out.advice = unread[i].advice;
    out.guessed = !out.advice;
    return out;
}

alcore_status alcore__file_suffix_check(const char *path, const alcore__file_suffix *suffix) {
    if (!suffix->advice) return ALCORE_OK;
    return alcore__fail(
        ALCORE_E_DATA,
        "%s: %s files are not read (%s); what is read is .txt (one text per line), .tsv, .csv, "
        ".jsonl, .conll, .sgm and .tmx, each also as .gz, .xz and .zst",
        path, suffix->text, suffix->advice);
}
