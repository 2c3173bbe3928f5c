/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing for models where torch is installed (torch_step.h). */
#include "torch_step.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <alcore/alcore.h>

#include "torch_search.h"

/* The releases that the library has engines for, as its error says them. */
enum { MAJOR = 2, OLDEST_MINOR = 11, NEWEST_MINOR = 15 };

/* How the library begins what a torch that is not named may be the cause of. */
static const char without_torch[] = "models need ",
                  bad_setting[] = "torch_dir: ", bad_variable[] = "ALCORE_TORCH_LIBDIR: ";
/* It says this where it has no engine of its own, so that one has to stand beside the torch. */
static const char without_engine[] = "this libalcore has none";

/* Where a cause stands in an error, which may tell before it what was opened; NULL: nowhere. */
static const char *find_cause(const char *why, const char *cause) {
    const char *found = strstr(why, cause);
    return found && (found == why || (found - why >= 2 && !memcmp(found - 2, ": ", 2))) ? found
                                                                                        : NULL;
}

/* The minor release that a version of torch is, such as 11 of "2.11.0+cpu", among those that
 * engines are built for; -1: it is none of these. */
static int served_minor(const char *version) {
    for (int minor = OLDEST_MINOR; minor <= NEWEST_MINOR; minor++) {
        char release[32];
        const int length = snprintf(release, sizeof release, "%d.%d", MAJOR, minor);
        if (strncmp(version, release, (size_t)length) == 0 &&
            !(version[length] >= '0' && version[length] <= '9'))
            return minor;
    }
    return -1;
}

/* Whether a copy of torch is of a release that has an engine; and, where the library brings none
 * (by_wheel), whether the wheel of alcore with that engine is installed beside the package. */
static bool is_served(const torch_copy *copy, bool by_wheel) {
    char engine[TORCH_SETTING_BYTES + 64];
    const int minor = served_minor(copy->version);
    if (minor < 0) return false;
    snprintf(engine, sizeof engine, "%s/../../.alcore.mesonpy.libs/libalcore-torch-%d.%d.so",
             copy->folder, MAJOR, minor);
    return !by_wheel || access(engine, R_OK) == 0;
}

/* The first copy of torch_search() that models run on, but for the one that was tried; NULL: there
 * is none. */
static const torch_copy *find_served(torch_copy *copies, const char *tried, bool by_wheel) {
    const int count = torch_search(copies);
    for (int i = 0; i < count; i++)
        if ((!tried || strcmp(copies[i].folder, tried) != 0) && is_served(&copies[i], by_wheel))
            return &copies[i];
    return NULL;
}

/* Fills *copy with the libtorch near a folder that has none itself: that of the package torch in
 * it, beside it, or in the folder above. */
static bool find_near(const char *folder, torch_copy *copy) {
    static const char *const places[] = {"", "/torch", "/..", "/../torch", "/../.."};
    char path[TORCH_SETTING_BYTES + 16];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s%s", folder, places[i]);
        if (torch_copy_at(path, copy)) return true;
    }
    return false;
}

/* The variable goes before what is kept, so that another value of it is the step. */
static bool print_variable(FILE *stream, const char *why) {
    static torch_copy copies[TORCH_COPIES];
    const char *named = getenv("ALCORE_TORCH_LIBDIR");
    const torch_copy *copy = copies;
    if (!find_near(named, copies)) copy = find_served(copies, NULL, false);
    if (!copy || strcmp(copy->folder, named) == 0) return false;
    fprintf(stream, "%s; libtorch is in %s: set ALCORE_TORCH_LIBDIR to that folder", why,
            copy->folder);
    return true;
}

bool torch_step_print(FILE *stream) {
    static torch_copy copies[TORCH_COPIES];
    char kept[TORCH_SETTING_BYTES];
    const char *why = alcore_last_error(), *named = getenv("ALCORE_TORCH_LIBDIR");
    if (find_cause(why, bad_variable) && named && *named) return print_variable(stream, why);
    const char *missing = find_cause(why, without_torch);
    if (!missing && !find_cause(why, bad_setting)) return false;
    const bool by_wheel = strstr(why, without_engine) != NULL;
    const char *tried = torch_setting_read(kept);
    const torch_copy *copy = find_served(copies, tried, by_wheel);
    if (copy && missing)
        fprintf(stream,
                "%.*smodels need a torch, and this command was not told which: torch %s is in %s; "
                "`alcore doctor --torch --write` lets it use that one from now on",
                (int)(missing - why), why, copy->version, copy->folder);
    else if (copy)
        fprintf(stream,
                "%s; torch %s is in %s: `alcore doctor --torch --write` lets this command use that "
                "one from now on",
                why, copy->version, copy->folder);
    else if (by_wheel)
        fprintf(stream,
                "%s; in an environment that is not active, such as ~/models, name the torch of it: "
                "`alcore doctor --torch ~/models/lib/python3*/site-packages/torch --write`",
                why);
    else
        return false;
    return true;
}
