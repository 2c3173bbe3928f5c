/* SPDX-License-Identifier: Apache-2.0 */
/* What the first bytes of a file look like (file_content.h). Texts of corpora begin with brackets
 * and with tags too, so that JSON is a first line that is a whole value, or only opens one, and XML
 * a first line that is one declaration or tag. */
#include "formats/file_content.h"

#include <string.h>
#include <strings.h>

#include "formats/json_scan.h"

#define LOOKED_AT ((size_t)64 << 10) /* bytes */

/* First bytes of binary files. NUL bytes are refused before, by the line reader. */
static const struct {
    const char *bytes, *name;
} magic[] = {
    {"%PDF-", "a PDF document"},
    {"PK\3\4", "a zip archive (also .xlsx, .docx, .odt)"},
    {"\x1F\x8B", "compressed with gzip: its name has to end in .gz"},
    {"\xFD"
     "7zXZ",
     "compressed with xz: its name has to end in .xz"},
    {"\x28\xB5\x2F\xFD", "compressed with zstd: its name has to end in .zst"},
    {"BZh", "compressed with bzip2, which is not read"},
    {"7z\xBC\xAF", "a 7z archive"},
    {"PAR1", "a Parquet file"},
    {"ARROW1", "an Arrow file"},
    {"\x89"
     "HDF",
     "an HDF5 file"},
    {"\x93NUMPY", "an array of numpy"},
    {"SQLite format 3", "a SQLite database"},
    {"{\\rtf", "an RTF document"},
};

/* Control characters that no text has, more than one in a hundred bytes. */
static bool is_binary(const char *text, size_t bytes) {
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        count += c < 0x20 && !(c >= '\t' && c <= '\r') && c != 0x1B && !(c >= 0x1C && c <= 0x1F);
    }
    return count * 100 > bytes;
}

/* Whether the line is a JSON object or list, or opens one and ends there. A long line, of which
 * only a part is there, is JSON where it begins with an object that has a key. */
static bool is_json(char *line, size_t length, bool whole) {
    alcore__json json;
    if (length == 0 || (*line != '{' && *line != '[')) return false;
    if (length == 1) return whole;
    alcore__json_begin(&json, line, length, 64);
    if (whole) return alcore__json_skip(&json) && alcore__json_end(&json);
    const char *raw;
    size_t bytes;
    if (*line == '[') return alcore__json_enter(&json, '[') && alcore__json_kind(&json) == '{';
    return alcore__json_enter(&json, '{') && alcore__json_skip_key(&json, &raw, &bytes);
}

/* Whether the line is an XML declaration or comment, or one tag and nothing else, or begins as the
 * training data of IWSLT do, whose lines are texts and tags. */
static bool is_xml(const char *line, size_t length) {
    static const char *const begins[] = {"<?xml", "<!DOCTYPE", "<html", "<!--", "<url>"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (length >= strlen(begins[i]) && strncasecmp(line, begins[i], strlen(begins[i])) == 0)
            return true;
    if (length < 3 || *line != '<' || line[length - 1] != '>') return false;
    const bool letter = (line[1] | 0x20) >= 'a' && (line[1] | 0x20) <= 'z';
    return letter && memchr(line, '=', length) && !memchr(line + 1, '<', length - 1) &&
           memchr(line, '>', length) == line + length - 1;
}

const char *alcore__file_content(char *text, size_t bytes) {
    if (bytes > LOOKED_AT) bytes = LOOKED_AT;
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++) {
        const size_t length = strlen(magic[i].bytes);
        if (bytes >= length && memcmp(text, magic[i].bytes, length) == 0) return magic[i].name;
    }
    if (is_binary(text, bytes)) return "a binary file";
    while (bytes > 0 && (*text == ' ' || (*text >= '\t' && *text <= '\r'))) text++, bytes--;
    const char *newline = memchr(text, '\n', bytes);
    size_t length = newline ? (size_t)(newline - text) : bytes;
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r')) length--;
    return is_json(text, length, newline || bytes < LOOKED_AT) ? "JSON"
           : is_xml(text, length)                              ? "XML"
                                                               : NULL;
}

bool alcore__is_table_header(const char *text, size_t length) {
    static const char *const names[] = {"text", "source", "src"};
    const char *end = text + length;
    if (!memchr(text, '\t', length)) return false;
    for (const char *next = text; next < end;) {
        const char *tab = memchr(next, '\t', (size_t)(end - next)), *stop = tab ? tab : end;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if ((size_t)(stop - next) == strlen(names[i]) &&
                strncasecmp(next, names[i], strlen(names[i])) == 0)
                return true;
        next = stop + 1;
    }
    return false;
}
