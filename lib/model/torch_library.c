/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the libtorch that models run on and the engine that is built for it.
 *
 * Wheels of PyTorch carry no version in the names of their libraries, so a second libtorch in a
 * process would be linked against the first in silence. The order is therefore:
 *
 *     1  a libtorch_cpu.so that the process has mapped already (a Python program that imported
 *        torch) is the one to use, whatever else is configured; two of them are refused
 *     2  else the one in the context's torch_dir, or in $ALCORE_TORCH_LIBDIR, loaded by its full
 *     path
 *     3  else whatever the newest engine that loads finds for itself
 *
 * Its version comes from its own function aoti_torch_abi_version() (torch 2.10 and newer: major,
 * minor and patch in the three highest bytes), and names the engine: libalcore-torch-2.11.so for
 * 2.11. It is looked for where every module is, and then in the wheel of alcore that pip has put
 * beside this torch: a libalcore of the system's packages, which have no torch, finds it there.
 * Nothing is loaded before a model is opened, and nothing is ever unloaded. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "alcore/remedy.h"
#include "base/state.h"
#include "model/model_internal.h"

enum { PATH_BYTES = 1024 };

/* The libtorch_cpu.so files that this process has mapped: how many, and the paths of the first and
 * the last one; with one file only the first is set. */
typedef struct mapped {
    int32_t count;
    char first[PATH_BYTES], second[PATH_BYTES];
} mapped;

/* Callback of dl_iterate_phdr() for each loaded object: counts in *data, a struct mapped, those
 * whose file is named libtorch_cpu.so, with or without a version behind it (15 is the length of the
 * name), and notes the paths of the first and the last. It returns 0: go on. */
static int see_object(struct dl_phdr_info *object, size_t size, void *data) {
    mapped *all = data;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)size;
    if (!slash || strncmp(slash + 1, "libtorch_cpu.so", 15) != 0) return 0;
    all->count++;
    alcore__format(all->count == 1 ? all->first : all->second, PATH_BYTES, "%s", object->dlpi_name);
    return 0;
}

/* *out: the libtorch files that are mapped now; more than one is a failure that names two of them.
 */
static alcore_status find_mapped(mapped *out) {
    *out = (mapped){0};
    dl_iterate_phdr(see_object, out);
    if (out->count < 2) return ALCORE_OK;
    return alcore__fail(ALCORE_E_MODULE,
                        "this process has two libtorch: %s and %s; start it with one of them only",
                        out->first, out->second);
}

/* Address space that loading the engine and libtorch takes, and a small model. torch 2.11 for the
 * CPU maps 360 MB and allocates 50 MB in constructors of its libraries; where one of these fails it
 * ends the process, since no exception passes the loader. So the room is tried out before. */
#define TORCH_BYTES ((size_t)448 << 20)

static alcore_status check_room(void) {
    void *room = mmap(NULL, TORCH_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return alcore__fail(ALCORE_E_NOMEM,
                            "loading torch takes %zu MB of address space, which this process may "
                            "not have (ulimit -v); raise the limit",
                            TORCH_BYTES >> 20);
    munmap(room, TORCH_BYTES);
    return ALCORE_OK;
}

/* Loads FOLDER/libc10.so and FOLDER/libtorch_cpu.so, which needs it, for good. An engine that is
 * linked to these names is then bound to these files, whatever else the loader could find.
 * named_by: what the folder is the value of, for the error. */
static alcore_status load_from(const char *folder, const char *named_by) {
    static const char *const names[] = {"libc10.so", "libtorch_cpu.so"};
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        alcore__format(path, sizeof path, "%s/%s", folder, names[i]);
        if (!dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
            const char *why = dlerror();
            return alcore__fail(ALCORE_E_MODULE, "%s: %s", named_by, why ? why : path);
        }
    }
    return ALCORE_OK;
}

/* The version of the mapped libtorch at path (RTLD_NOLOAD: it is not loaded again): the function
 * aoti_torch_abi_version() returns major in the highest byte, minor in the next; older ones lack
 * it. */
static alcore_status read_version(const char *path, int32_t *out_major, int32_t *out_minor) {
    uint64_t (*abi_version)(void) = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library) *(void **)&abi_version = dlsym(library, "aoti_torch_abi_version");
    if (!abi_version)
        return alcore__fail(ALCORE_E_MODULE,
                            "%s is in this process and older than torch 2.10; engines are built "
                            "for newer ones",
                            path);
    uint64_t version = abi_version();
    *out_major = (int32_t)(version >> 56);
    *out_minor = (int32_t)(version >> 48 & 255);
    return ALCORE_OK;
}

/* The releases that engines may be built for, the newest first. */
static const char *const engines[] = {"torch-2.15", "torch-2.14", "torch-2.13", "torch-2.12",
                                      "torch-2.11"};
enum { ENGINES = (int)(sizeof engines / sizeof *engines) };
#define TORCH_RELEASES "torch 2.11 to 2.15"

/* The newest engine that is installed, whether it loads or not; NULL: none is. last: a folder that
 * is looked at too, or NULL. */
static const char *installed_engine(alcore_ctx *ctx, const char *last) {
    for (int32_t i = 0; i < ENGINES; i++)
        if (alcore__module_found(ctx, engines[i], last)) return engines[i];
    return NULL;
}

/* Adds to an error the release of torch that an engine is for: to install it mends the error. */
static alcore_status add_release(alcore_status status, const char *engine) {
    if (!engine) return status;
    return alcore__fail_remedy(status, ALCORE_REMEDY_TORCH, engine + strlen("torch-"), NULL,
                               "lets models run, as there is an engine for it");
}

/* The failure when no libtorch is known and none was found: names the one step that is missing. */
static alcore_status fail_without_torch(alcore_ctx *ctx) {
    const char *engine = installed_engine(ctx, NULL);
    if (!engine)
        return alcore__fail(ALCORE_E_MODULE,
                            "models need the torch engine, and this libalcore has none (%s); "
                            "\"pip install alcore[torch]\" brings those for " TORCH_RELEASES,
                            alcore__module_reason(ctx, engines[ENGINES - 1]));
    return add_release(
        alcore__fail(ALCORE_E_MODULE,
                     "models need " TORCH_RELEASES
                     " (PyPI's), and no libtorch is in this process, in torch_dir or in "
                     "$ALCORE_TORCH_LIBDIR (%s)",
                     alcore__module_reason(ctx, engine)),
        engine);
}

/* Without a mapped libtorch: loads the newest engine that loads, with the libtorch that it finds
 * itself, and writes its name to engine. ALCORE_E_MODULE means that an engine or its libtorch is
 * missing, so the next one is tried; any other failure ends the search. */
static alcore_status load_newest(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]) {
    for (int32_t i = 0; i < ENGINES; i++) {
        const void *table;
        alcore__format(engine, ALCORE__ENGINE_BYTES, "%s", engines[i]);
        alcore_status status = alcore__module_load(ctx, engine, &table);
        if (status != ALCORE_E_MODULE) return status;
    }
    return fail_without_torch(ctx);
}

/* Where pip puts the libraries of the wheel of alcore that is installed beside the torch whose
 * libtorch_cpu.so is at path: out is DIR/.alcore.mesonpy.libs for DIR/torch/lib/libtorch_cpu.so,
 * and NULL is returned for a path of another form. */
static const char *wheel_beside(const char *path, char out[PATH_BYTES]) {
    const char *package = strstr(path, "/torch/lib/libtorch_cpu.so");
    if (!package) return NULL;
    alcore__format(out, PATH_BYTES, "%.*s/.alcore.mesonpy.libs", (int)(package - path), path);
    return out;
}

/* Loads the engine for the version of the mapped libtorch at path and writes its name to engine,
 * "torch-MAJOR.MINOR". */
static alcore_status load_engine_for(alcore_ctx *ctx, const char *path,
                                     char engine[ALCORE__ENGINE_BYTES]) {
    int32_t major = 0, minor = 0;
    char wheel[PATH_BYTES];
    const void *table;
    const char *beside = wheel_beside(path, wheel), *other = installed_engine(ctx, beside);
    alcore_status status = read_version(path, &major, &minor);
    if (status != ALCORE_OK) return add_release(status, other);
    alcore__format(engine, ALCORE__ENGINE_BYTES, "torch-%d.%d", major, minor);
    status = alcore__module_load_beside(ctx, engine, beside, &table);
    if (status != ALCORE_E_MODULE) return status;
    const bool damaged = alcore__module_found(ctx, engine, beside); /* another release is no help */
    alcore__fail(ALCORE_E_MODULE,
                 "this process uses torch %d.%d (%s), and the engine for it did not load: "
                 "%s; there are engines for " TORCH_RELEASES,
                 major, minor, path, alcore__module_reason(ctx, engine));
    return damaged ? status : add_release(status, other);
}

/* The order of the head of this file: a mapped libtorch, else the context's torch_dir, else
 * $ALCORE_TORCH_LIBDIR, else what the newest engine finds. */
alcore_status alcore__torch_engine(alcore_ctx *ctx, char engine[ALCORE__ENGINE_BYTES]) {
    mapped all;
    const char *folder = secure_getenv("ALCORE_TORCH_LIBDIR");
    if (folder && !*folder) folder = NULL;
    ALCORE__TRY(find_mapped(&all));
    const bool told = ctx->torch_dir != NULL;
    if (all.count == 0) ALCORE__TRY(check_room());
    if (all.count == 0 && (told || folder)) {
        ALCORE__TRY(
            load_from(told ? ctx->torch_dir : folder, told ? "torch_dir" : "ALCORE_TORCH_LIBDIR"));
        ALCORE__TRY(find_mapped(&all));
    }
    ALCORE__TRY(all.count == 0 ? load_newest(ctx, engine)
                               : load_engine_for(ctx, all.first, engine));
    return find_mapped(&all); /* the engine may have brought a second one */
}
