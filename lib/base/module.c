/* SPDX-License-Identifier: Apache-2.0 */
/* Loads engine modules (libalcore-<engine>.so), each once per context. What was tried and why it
 * failed is kept for the error text: "not found" without the paths that were tried helps nobody. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/state.h"

#define LONGEST_ENGINE 40 /* bytes of an engine's name */

/* One attempt to load an engine, kept for the life of the context. */
typedef struct alcore__module {
    struct alcore__module *next; /* in ctx->modules */
    const void *table;           /* the module's table of functions; NULL: it did not load */
    alcore_status status;        /* why: that of its entry point, or ALCORE_E_MODULE */
    alcore__buffer reason;       /* each path that was tried, and why it was not used */
    bool found;                  /* by look_for_file(): a file of its name is there */
    void *extended; /* copy of a table of an older release, followed by zeros; NULL: not needed */
    char engine[LONGEST_ENGINE + 1]; /* "cuda", "torch", "torch-2.1" */
} alcore__module;

/* The entry point of a module (alcore/sys/host.h). */
typedef alcore_status (*module_entry)(uint32_t abi, const alcore_sys_host *host, const void **out);

/* The name of the entry point: alcore_<engine>_entry, without the engine's version ("torch-2.1" is
 * an engine "torch" for one release of its framework). */
static void entry_name(const char *engine, char *out, size_t bytes) {
    alcore__format(out, bytes, "alcore_%.*s_entry", (int)strcspn(engine, "-."), engine);
}

/* Appends "path: why" to the reasons. */
static alcore_status add_reason(alcore_ctx *ctx, alcore__module *module, const char *path,
                                const char *why) {
    return alcore__buffer_format(ctx, &module->reason, "%s%s: %s",
                                 module->reason.length ? "; " : "", path, why);
}

/* Loads the module from a path and calls its entry point. Only a lack of memory is a failure here;
 * anything else becomes a reason. The library is never closed (RTLD_NODELETE): its table is valid
 * until the process ends. */
static alcore_status try_file(alcore_ctx *ctx, alcore__module *module, const char *path) {
    char symbol[LONGEST_ENGINE + 16];
    const void *table = NULL;
    module_entry entry;
    if (access(path, F_OK) != 0) return add_reason(ctx, module, path, "not there");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        const char *why = dlerror();
        return add_reason(ctx, module, path, why ? why : "cannot be loaded");
    }
    entry_name(module->engine, symbol, sizeof symbol);
    *(void **)&entry = dlsym(library, symbol);
    if (!entry) {
        char why[LONGEST_ENGINE + 32];
        alcore__format(why, sizeof why, "has no %s()", symbol);
        return add_reason(ctx, module, path, why);
    }
    alcore__error_clear();
    alcore_status status = entry(ALCORE_SYS_ABI, alcore__sys_host(), &table);
    if (status == ALCORE_OK && !table)
        status = alcore__fail(ALCORE_E_MODULE, "%s() gave no table", symbol);
    if (status != ALCORE_OK) {
        module->status = alcore__fail_callback(status, symbol);
        return add_reason(ctx, module, path, alcore__error_text());
    }
    module->table = table;
    module->status = ALCORE_OK;
    return ALCORE_OK;
}

/* What is done with each path at which a module may be: try_file() or look_for_file(). */
typedef alcore_status visit_path(alcore_ctx *ctx, alcore__module *module, const char *path);

/* Notes in module->found that the file is there; it is not loaded. */
static alcore_status look_for_file(alcore_ctx *ctx, alcore__module *module, const char *path) {
    (void)ctx;
    module->found = module->found || access(path, F_OK) == 0;
    return ALCORE_OK;
}

/* Visits libalcore-<engine>.so in a folder, unless the module is loaded already. */
static alcore_status try_folder(alcore_ctx *ctx, alcore__module *module, visit_path *visit,
                                const char *folder, size_t folder_bytes) {
    alcore__buffer path = {0};
    if (module->table || folder_bytes == 0) return ALCORE_OK;
    alcore_status status = alcore__buffer_append(ctx, &path, folder, folder_bytes);
    if (status == ALCORE_OK)
        status = alcore__buffer_format(ctx, &path, "/libalcore-%s.so", module->engine);
    if (status == ALCORE_OK) status = visit(ctx, module, path.data);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* Tries the folder of the file that this code is in: libalcore.so, or the program when it is linked
 * with libalcore.a. In a build folder the module stands in a folder of its own beside libalcore.so,
 * named after the engine without its version: lib/engines/cuda/libalcore-cuda.so. */
static alcore_status try_library_folder(alcore_ctx *ctx, alcore__module *module,
                                        visit_path *visit) {
    Dl_info library_info;
    if (!dladdr((const void *)(uintptr_t)alcore__module_load, &library_info) ||
        !library_info.dli_fname)
        return ALCORE_OK;
    const char *slash = strrchr(library_info.dli_fname, '/');
    if (!slash) return ALCORE_OK;
    size_t folder_bytes = (size_t)(slash - library_info.dli_fname);
    ALCORE__TRY(try_folder(ctx, module, visit, library_info.dli_fname, folder_bytes));
    alcore__buffer folder = {0};
    alcore_status status = alcore__buffer_format(
        ctx, &folder, "%.*s/engines/%.*s", (int)folder_bytes, library_info.dli_fname,
        (int)strcspn(module->engine, "-."), module->engine);
    if (status == ALCORE_OK) status = try_folder(ctx, module, visit, folder.data, folder.length);
    alcore__buffer_clear(ctx, &folder);
    return status;
}

/* Tries the folders in the order that docs/building.md names: the context's, the environment's,
 * that of the library, and the caller's, which may be NULL. */
static alcore_status try_folders(alcore_ctx *ctx, alcore__module *module, visit_path *visit,
                                 const char *last) {
    const char *from_environment = secure_getenv("ALCORE_MODULE_DIR");
    if (ctx->module_dir)
        ALCORE__TRY(try_folder(ctx, module, visit, ctx->module_dir, strlen(ctx->module_dir)));
    if (from_environment)
        ALCORE__TRY(try_folder(ctx, module, visit, from_environment, strlen(from_environment)));
    ALCORE__TRY(try_library_folder(ctx, module, visit));
    return last ? try_folder(ctx, module, visit, last, strlen(last)) : ALCORE_OK;
}

static alcore_status find_and_load(alcore_ctx *ctx, alcore__module *module, const char *last) {
    module->status = ALCORE_E_MODULE;
    ALCORE__TRY(try_folders(ctx, module, try_file, last));
    if (module->table) alcore__buffer_clear(ctx, &module->reason);
    return ALCORE_OK;
}

/* Whether a name may be part of the path of a module: no slash, and it fits module->engine. */
static bool is_engine_name(const char *engine) {
    if (!engine || !*engine || strlen(engine) > LONGEST_ENGINE) return false;
    return strspn(engine, "abcdefghijklmnopqrstuvwxyz0123456789-._") == strlen(engine);
}

/* *out: what the context knows of an engine. The first call for an engine loads its module. last:
 * as for find_and_load(). The caller holds module_lock. */
static alcore_status find_or_load(alcore_ctx *ctx, const char *engine, const char *last,
                                  alcore__module **out) {
    for (*out = ctx->modules; *out; *out = (*out)->next)
        if (strcmp((*out)->engine, engine) == 0) return ALCORE_OK;
    alcore__module *module;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *module, &module));
    strcpy(module->engine, engine);
    alcore_status status = find_and_load(ctx, module, last);
    if (status != ALCORE_OK) { /* out of memory: the next question tries again */
        alcore__buffer_clear(ctx, &module->reason);
        alcore__free(ctx, module);
        return status;
    }
    module->next = ctx->modules;
    ctx->modules = module;
    *out = module;
    return ALCORE_OK;
}

/* find_or_load() under the lock, after a check of the engine's name. */
static alcore_status find_record(alcore_ctx *ctx, const char *engine, const char *last,
                                 alcore__module **out) {
    *out = NULL;
    if (!is_engine_name(engine))
        return alcore__fail(ALCORE_E_INVALID, "'%s' is no engine's name", engine ? engine : "NULL");
    pthread_mutex_lock(&ctx->module_lock);
    alcore_status status = find_or_load(ctx, engine, last, out);
    pthread_mutex_unlock(&ctx->module_lock);
    return status;
}

/* *out: the module's table; the error names every path that was tried. */
alcore_status alcore__module_load_beside(alcore_ctx *ctx, const char *engine, const char *last,
                                         const void **out) {
    alcore__module *module;
    *out = NULL;
    ALCORE__TRY(find_record(ctx, engine, last, &module));
    if (!module->table)
        return alcore__fail(module->status, "libalcore-%s.so did not load: %s", engine,
                            module->reason.data ? module->reason.data : "no folder to look in");
    *out = module->table;
    return ALCORE_OK;
}

alcore_status alcore__module_load(alcore_ctx *ctx, const char *engine, const void **out) {
    return alcore__module_load_beside(ctx, engine, NULL, out);
}

/* Makes module->extended, full_size bytes, if the module's table is shorter. The caller holds
 * module_lock. */
static alcore_status extend_table(alcore_ctx *ctx, alcore__module *module, size_t full_size) {
    size_t size;
    memcpy(&size, module->table, sizeof size);
    if (size >= full_size || module->extended) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, 1, full_size, &module->extended));
    memcpy(module->extended, module->table, size);
    return ALCORE_OK;
}

/* As alcore__module_load(), but *out has full_size bytes: a shorter table of an older release is
 * copied into a longer one, once. */
alcore_status alcore__module_table(alcore_ctx *ctx, const char *engine, size_t full_size,
                                   const void **out) {
    alcore__module *module;
    *out = NULL;
    ALCORE__TRY(alcore__module_load(ctx, engine, out));
    ALCORE__TRY(find_record(ctx, engine, NULL, &module));
    pthread_mutex_lock(&ctx->module_lock);
    alcore_status status = extend_table(ctx, module, full_size);
    if (module->extended) *out = module->extended;
    pthread_mutex_unlock(&ctx->module_lock);
    if (status != ALCORE_OK) *out = NULL;
    return status;
}

/* Why the module of an engine did not load, "" when it did; loads it first if nobody has. */
const char *alcore__module_reason(alcore_ctx *ctx, const char *engine) {
    alcore__module *module;
    const alcore_status status = find_record(ctx, engine, NULL, &module);
    if (status == ALCORE_E_INVALID) return "this is no engine's name";
    if (status != ALCORE_OK) return "out of memory";
    if (module->table) return "";
    return module->reason.data ? module->reason.data : "no folder to look in";
}

bool alcore__module_found(alcore_ctx *ctx, const char *engine, const char *last) {
    alcore__module module = {0};
    if (!is_engine_name(engine)) return false;
    strcpy(module.engine, engine);
    return try_folders(ctx, &module, look_for_file, last) == ALCORE_OK && module.found;
}

/* Frees the records of a context; the modules themselves stay loaded. */
void alcore__modules_end(alcore_ctx *ctx) {
    for (alcore__module *module = ctx->modules, *next; module; module = next) {
        next = module->next;
        alcore__buffer_clear(ctx, &module->reason);
        alcore__free(ctx, module->extended);
        alcore__free(ctx, module);
    }
}
