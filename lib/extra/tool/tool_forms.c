/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the forms of tools, and the calls that find, write and read one
 * (alcore/extra/tool.h). */
#include <inttypes.h>
#include <string.h>

#include "extra/tool/tool_check.h"
#include "formats/byte_stream.h"
#include "formats/file_suffix.h"

#define ALCORE__TOOL_ROW(name) extern const alcore__tool_form alcore__tool_##name;
#include "extra/tool/tool_rows.h"
#undef ALCORE__TOOL_ROW

static const alcore__tool_form *const forms[] = {
#define ALCORE__TOOL_ROW(name) &alcore__tool_##name,
#include "extra/tool/tool_rows.h"
};
enum { FORMS = sizeof forms / sizeof *forms };

static alcore_status write_info(const alcore__tool_form *form, alcore_tool_info *out) {
    const alcore_tool_info info = {.size = sizeof info,
                                   .name = form->name,
                                   .title = form->title,
                                   .suffix = form->suffix,
                                   .tasks = form->tasks,
                                   .span_unit = form->span_unit,
                                   .lacks = form->lacks};
    return alcore__struct_write(out, &info, sizeof info,
                                ALCORE__FIRST_SIZE(alcore_tool_info, lacks), "alcore_tool_info");
}

/* *out: the form of a name; ALCORE_E_NOT_FOUND lists the names. */
static alcore_status find_form(const char *name, const alcore__tool_form **out) {
    char list[ALCORE__TEXT_BYTES / 2] = "";
    const char *names[FORMS];
    size_t length = 0;
    for (int i = 0; i < FORMS; i++) {
        if (strcmp(forms[i]->name, name) == 0) {
            *out = forms[i];
            return ALCORE_OK;
        }
        names[i] = forms[i]->name;
        length += (size_t)alcore__format(list + length, sizeof list - length, "%s%s",
                                         i > 0 ? ", " : "", names[i]);
    }
    const char *near = alcore__nearest_name(name, names, FORMS);
    return alcore__fail(ALCORE_E_NOT_FOUND, "there is no tool \"%s\"%s%s%s; the tools are: %s",
                        name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "",
                        list);
}

static alcore_status builtin(int64_t index, alcore_tool_info *out) {
    if (!out) return alcore__fail(ALCORE_E_INVALID, "alcore_tool_builtin: out is needed");
    if (index < 0 || index >= FORMS)
        return alcore__fail(ALCORE_E_NOT_FOUND, "no tool %" PRId64 " of %d", index, FORMS);
    return write_info(forms[index], out);
}

alcore_status alcore_tool_builtin(int64_t index, alcore_tool_info *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, builtin(index, out));
}

static alcore_status find(const char *name, alcore_tool_info *out) {
    const alcore__tool_form *form;
    if (!name || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_tool_find: name and out are needed");
    ALCORE__TRY(find_form(name, &form));
    return write_info(form, out);
}

alcore_status alcore_tool_find(const char *name, alcore_tool_info *out) {
    ALCORE__TRY(alcore__enter(NULL));
    return alcore__leave(NULL, find(name, out));
}

/* *out: the form of a name that this build has and that has the function which is asked for. */
static alcore_status find_usable(const char *name, bool writes, const alcore__tool_form **out) {
    ALCORE__TRY(find_form(name, out));
    if ((*out)->lacks)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: libalcore was built without %s", name,
                            (*out)->lacks);
    if (writes ? !(*out)->write : !(*out)->read)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s is only %s", name,
                            writes ? "read" : "written");
    return ALCORE_OK;
}

/* alcore_tool_write() between enter and leave. */
static alcore_status write_items(alcore_ctx *ctx, const char *tool, const char *path,
                                 const alcore_tool_items *items,
                                 const alcore_tool_options *options) {
    const alcore__tool_form *form;
    alcore_tool_items checked;
    alcore_tool_options set;
    size_t base;
    ALCORE__TRY(find_usable(tool, true, &form));
    if (alcore__stream_compressed(path, &base))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: files of tools are not written compressed",
                            path);
    ALCORE__TRY(alcore__tool_check_options(ctx, form, options, true, &set));
    ALCORE__TRY(alcore__tool_check_items(ctx, items, &checked));
    alcore__tool_default_language(&checked, &set);
    return form->write(ctx, path, &checked, &set);
}

alcore_status alcore_tool_write(alcore_ctx *ctx, const char *tool, const char *path,
                                const alcore_tool_items *items,
                                const alcore_tool_options *options) {
    if (!ctx || !tool || !path || !items)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_tool_write: ctx, tool, path and items are needed");
    ALCORE__TRY(alcore__enter(ctx));
    return alcore__leave(ctx, write_items(ctx, tool, path, items, options));
}

/* Refuses a file as CSV whose suffix says that it is of other tools, which it names. */
static alcore_status check_suffix(const alcore__tool_form *form, const char *path) {
    const alcore__file_suffix suffix = alcore__file_suffix_of(path);
    char tools[ALCORE__TEXT_BYTES / 4] = "";
    size_t length = 0;
    if (form != &alcore__tool_csv || (!suffix.advice && suffix.format != ALCORE_FORMAT_TMX))
        return ALCORE_OK;
    for (int i = 0; i < FORMS && length < sizeof tools; i++)
        if (strcmp(forms[i]->suffix, suffix.text) == 0)
            length += (size_t)alcore__format(tools + length, sizeof tools - length, "%s%s",
                                             length > 0 ? ", " : "", forms[i]->name);
    if (length == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s is no CSV: files in %s are read by the tool %s", path,
                        suffix.text, tools);
}

/* alcore_tool_read() between enter and leave. */
static alcore_status read_answers(alcore_ctx *ctx, const char *tool, const char *path,
                                  const alcore_tool_options *options, alcore_tool_answers **out) {
    const alcore__tool_form *form;
    alcore_tool_options set;
    alcore_tool_answers *made;
    ALCORE__TRY(find_usable(tool, false, &form));
    ALCORE__TRY(alcore__tool_check_options(ctx, form, options, false, &set));
    ALCORE__TRY(alcore__tool_answers_new(ctx, path, set.task, &made));
    alcore_status status = check_suffix(form, path);
    if (status == ALCORE_OK) status = form->read(ctx, path, &set, made);
    status = alcore__tool_name_batch(ctx, form->name, path, made, status);
    return alcore__object_made(status, made, out);
}

alcore_status alcore_tool_read(alcore_ctx *ctx, const char *tool, const char *path,
                               const alcore_tool_options *options, alcore_tool_answers **out) {
    if (out) *out = NULL;
    if (!ctx || !tool || !path || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_tool_read: ctx, tool, path and out are needed");
    ALCORE__TRY(alcore__enter_long(ctx));
    return alcore__leave(ctx, read_answers(ctx, tool, path, options, out));
}
