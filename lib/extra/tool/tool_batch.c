/* SPDX-License-Identifier: Apache-2.0 */
/* A file of another tool comes back by mistake, as one that nobody has answered. Which tool's it is
 * shows at its begin: members and marks that the other forms have not, in batches that went out and
 * in what the tools make of them. */
#include <string.h>
#include <sys/stat.h>

#include "base/state.h"
#include "extra/tool/tool_check.h"

enum { HEAD_BYTES = 65536 };

/* Whether an object in the text has a member with a value of that kind, which is its first
 * character; 0: any digit; *: any. A quote that is escaped is part of a string. */
static bool has_member(const char *text, const char *name, char kind) {
    const size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        if (at < text + 1 || at[-1] != '"' || (at > text + 1 && at[-2] == '\\')) continue;
        const char *next = at + length;
        if (*next++ != '"') continue;
        next += strspn(next, " \t\r\n");
        if (*next++ != ':') continue;
        const char found = next[strspn(next, " \t\r\n")];
        if (kind == '*' || found == kind || (kind == '0' && found >= '0' && found <= '9'))
            return true;
    }
    return false;
}

/* The tool of a file of JSON, from the first of these members that it has; NULL: none is there. */
static const char *tool_of_json(const char *text) {
    static const struct {
        const char *tool, *member;
        char kind;
    } signs[] = {{"squad", "paragraphs", '['},  {"potato", "instance_id", '"'},
                 {"label-studio", "data", '{'}, {"label-studio", "annotation_id", '0'},
                 {"argilla", "metadata", '{'},  {"argilla", "_server_id", '*'},
                 {"prodigy", "meta", '{'},      {"translations", "translation", '{'},
                 {"doccano", "label", '['},     {"doccano", "entities", '['},
                 {"prodigy", "answer", '"'}};
    if (strstr(text, "\"alcore-page-")) return "page";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (has_member(text, signs[i].member, signs[i].kind)) return signs[i].tool;
    /* Batches of potato have what all have; what other tools export has an id of theirs too. */
    return has_member(text, "al_rank", '0') && !has_member(text, "id", '*') ? "potato" : NULL;
}

/* The same of XML and HTML. */
static const char *tool_of_markup(const char *text) {
    const char *const xliff = strstr(text, "<xliff "), *const end =
                                                           xliff ? strchr(xliff, '>') : NULL;
    if (end) {
        const char *const version = strstr(xliff, " version=");
        return version && version < end && version[10] == '2' ? "xliff2" : "xliff";
    }
    return strstr(text, "<tmx") ? "tmx" : strstr(text, "<html") ? "page" : NULL;
}

/* The same of any file that begins with the text, which may be cut off; NULL: it is not known. */
static const char *tool_of(const char *text) {
    if (strncmp(text, "PK\003\004", 4) == 0) return "xlsx";
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    if (strncmp(text, "id,text,", 8) == 0) return "csv";
    if (strncmp(text, "#FORMAT=WebAnno", 15) == 0) return "inception";
    if (strncmp(text, "# id = ", 7) == 0) return "conll";
    if (*text == '{' || *text == '[') return tool_of_json(text);
    if (*text == '<') return tool_of_markup(text);
    return strncmp(text, "msgid \"", 7) == 0 || strstr(text, "\nmsgid \"") ? "po" : NULL;
}

/* Whether a file can be read a second time: a pipe is gone, or would be waited for. */
static bool is_kept(alcore_ctx *ctx, const char *path) {
    struct stat info;
    if (!alcore__is_file_system(&ctx->files)) return true;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Reads the begin of a file [HEAD_BYTES + 1], to its first NUL; "" where that cannot be. */
static alcore_status read_head(alcore_ctx *ctx, const char *path, char *head) {
    alcore__file *file = NULL;
    size_t got = 0;
    if (!is_kept(ctx, path)) return ALCORE_OK;
    alcore_status status = alcore__file_open(ctx, path, &file);
    if (status == ALCORE_OK) status = alcore__file_read(file, 0, head, HEAD_BYTES, &got);
    if (status == ALCORE_OK) head[got] = '\0';
    alcore__file_close(file);
    if (status != ALCORE_OK) head[0] = '\0';
    return status == ALCORE_E_NOMEM ? status : ALCORE_OK;
}

/* Whether the file may be that of another tool, and is not said to be. */
static bool is_open_question(alcore_status status, const alcore_tool_answers *answers) {
    if (alcore__tool_answers_named(answers, status)) return false;
    return status == ALCORE_E_DATA ||
           (status == ALCORE_OK && alcore_tool_answers_count(answers) == 0);
}

alcore_status alcore__tool_name_batch(alcore_ctx *ctx, const char *tool, const char *path,
                                      const alcore_tool_answers *answers, alcore_status status) {
    char said[ALCORE__TEXT_BYTES], *head;
    if (!is_open_question(status, answers)) return status;
    alcore__format(said, sizeof said, "%s", status == ALCORE_OK ? path : alcore_last_error());
    ALCORE__TRY(alcore__new_array(ctx, HEAD_BYTES + 1, 1, &head));
    const alcore_status reading = read_head(ctx, path, head);
    const char *const other = tool_of(head);
    if (reading != ALCORE_OK)
        status = reading;
    else if (other && strcmp(other, tool) != 0)
        status = alcore__fail(ALCORE_E_DATA, "%s%s this is a batch of %s, not of %s", said,
                              status == ALCORE_OK ? ":" : ";", other, tool);
    else if (status != ALCORE_OK)
        alcore__fail(status, "%s", said); /* opening it may have set another text */
    alcore__free(ctx, head);
    return status;
}
