/* SPDX-License-Identifier: Apache-2.0 */
/* Paths and leftovers of an experiment's folder. */
#include <ftw.h>
#include <string.h>

#include "extra/experiment/experiment_run.h"

enum { OPEN_FOLDERS = 16 };

alcore_status alcore__experiment_path(alcore_ctx *ctx, alcore__buffer *out, const char *format,
                                      ...) {
    char text[ALCORE__PATH_BYTES];
    va_list args;
    va_start(args, format);
    const int length = alcore__format_v(text, sizeof text, format, args);
    va_end(args);
    out->length = 0;
    if (length < 0 || (size_t)length >= sizeof text)
        return alcore__fail(ALCORE_E_IO, "a path of the experiment is longer than %d bytes",
                            ALCORE__PATH_BYTES);
    return alcore__buffer_append(ctx, out, text, (size_t)length);
}

alcore_status alcore__experiment_absolute(const alcore__experiment *self, const char *path,
                                          alcore__buffer *out) {
    if (*path == '/') return alcore__experiment_path(self->ctx, out, "%s", path);
    return alcore__experiment_path(self->ctx, out, "%s/%s", self->base.data, path);
}

alcore_status alcore__experiment_make_folders(alcore_ctx *ctx, const char *path) {
    alcore__buffer part = {0};
    alcore_status status = alcore__buffer_append(ctx, &part, path, strlen(path));
    for (char *slash = part.data; status == ALCORE_OK && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = '\0';
        status = alcore__make_folder(ctx, part.data);
        if (slash) *slash = '/';
    }
    alcore__buffer_clear(ctx, &part);
    return status;
}

/* For nftw(): removes a model that is not whole, and leftovers of files of a folder. A folder comes
 * after what is in it: musl tells of one before it opens it, and where it is gone ends the walk. */
static _Thread_local alcore_ctx *cleaning;

static int clean_entry(const char *path, const struct stat *info, int kind, struct FTW *place) {
    char folder[ALCORE__PATH_BYTES];
    (void)info;
    if (strncmp(path + place->base, "model.part-", 11) == 0) alcore__path_remove(path);
    if (kind == FTW_DP && strlen(path) + 2 <= sizeof folder) {
        alcore__format(folder, sizeof folder, "%s/", path);
        alcore__remove_leftovers(cleaning, folder);
    }
    return 0;
}

void alcore__experiment_clean(alcore_ctx *ctx, const char *folder) {
    cleaning = ctx;
    nftw(folder, clean_entry, OPEN_FOLDERS, FTW_PHYS | FTW_DEPTH);
}
