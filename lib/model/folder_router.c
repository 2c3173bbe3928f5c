/* SPDX-License-Identifier: Apache-2.0 */
/* A Router of sentence-transformers (Asym in its older versions): several lists of modules, of
 * which each call of the package takes one, its route. A model of this library is opened with one
 * of them, as sentence-transformers 6.2 chooses for texts:
 *
 *     task    the name of a route or of a task of route_mappings, such as "query" (encode_query())
 *             or "document" (encode_document()); none as in encode()
 *     route   1. of route_mappings for (task, "text"), (task, None), (None, "text"), (None, None)
 *             2. the one with the name of the task, and then "text"
 *             3. without a task default_route; without that the first one, where allow_empty_key
 *
 * A name that is asked for and that is no task may be one of a prompt: the route is that of
 * encode() then. router_config.json has "structure", the names of the modules of each route, which
 * are folders beside the file, "types", their classes, and "parameters". */
#include <string.h>

#include "model/folder_reader.h"
#include "tokenizer/folder_files.h"

typedef alcore__folder_reader reader;

/* What router_config.json says. */
typedef struct router {
    alcore__part types, structure, mappings; /* objects */
    bool has_mappings;
    alcore__name default_route; /* NULL: none */
} router;

/* ---- choosing ---- */

/* Appends a key of route_mappings, a tuple as Python writes it, without spaces and with one kind of
 * quotes: whether it is (task, modality); NULL: None. */
static bool is_pair(alcore__name key, const char *task, const char *modality) {
    const char *const parts[] = {
        "(", task ? "'" : "",     task ? task : "None",         task ? "'" : "",
        ",", modality ? "'" : "", modality ? modality : "None", modality ? "'" : "",
        ")"};
    size_t at = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (const char *c = parts[p]; *c; c++, at++) {
            while (at < key.length && key.text[at] == ' ') at++;
            if (at == key.length) return false;
            const char found = key.text[at] == '"' ? '\'' : key.text[at];
            if (found != *c) return false;
        }
    return at == key.length;
}

/* Looks for a member of an object; *out is left as it was where there is none. */
static alcore_status find_mapping(const router *from, const char *task, const char *modality,
                                  alcore__name *out) {
    alcore__part list = from->mappings, item;
    if (!from->has_mappings || out->text) return ALCORE_OK;
    alcore__part_enter_object(&list);
    for (;;) {
        alcore__name key;
        bool found;
        ALCORE__TRY(alcore__part_next_pair(&list, &key, &item, &found));
        if (!found) return ALCORE_OK;
        if (is_pair(key, task, modality)) return alcore__part_string(&item, out);
    }
}

/* Whether there is a route of a name, which *out becomes then. */
static void find_route(const router *from, const char *name, alcore__name *out) {
    alcore__part found;
    if (!out->text && name && alcore__part_member(&from->structure, name, &found))
        *out = (alcore__name){name, strlen(name)};
}

/* *out: the route of a task; NULL: of none. Its text stays NULL where there is none. */
static alcore_status resolve(const router *from, const char *task, alcore__name *out) {
    *out = (alcore__name){0};
    ALCORE__TRY(find_mapping(from, task, "text", out));
    if (task) ALCORE__TRY(find_mapping(from, task, NULL, out));
    ALCORE__TRY(find_mapping(from, NULL, "text", out));
    ALCORE__TRY(find_mapping(from, NULL, NULL, out));
    find_route(from, task, out);
    find_route(from, "text", out);
    if (!out->text && !task) *out = from->default_route;
    return ALCORE_OK;
}

/* Whether a name is that of a route, or of a task of the mappings. */
static alcore_status is_task(const router *from, const char *name, bool *out) {
    alcore__name route = {0};
    ALCORE__TRY(find_mapping(from, name, "text", &route));
    ALCORE__TRY(find_mapping(from, name, NULL, &route));
    find_route(from, name, &route);
    *out = route.text != NULL;
    return ALCORE_OK;
}

/* ---- reading ---- */

/* Lists the names of the routes in r->out->routes; *first: the first one. */
static alcore_status list_routes(reader *r, const router *from, alcore__name *first) {
    alcore__part list = from->structure, item;
    alcore__buffer names = {0};
    alcore_status status = ALCORE_OK;
    bool found = true;
    *first = (alcore__name){0};
    alcore__part_enter_object(&list);
    while (found && status == ALCORE_OK) {
        alcore__name key = {0};
        status = alcore__part_next_pair(&list, &key, &item, &found);
        if (status != ALCORE_OK || !found) break;
        if (!first->text) *first = key;
        status = alcore__buffer_format(r->ctx, &names, "%s%.*s", names.length ? ", " : "",
                                       key.length > 64 ? 64 : (int)key.length, key.text);
    }
    if (status == ALCORE_OK)
        status = alcore__arena_text(r->ctx, &r->out->arena, names.data ? names.data : "",
                                    names.length, &r->out->routes);
    alcore__buffer_clear(r->ctx, &names);
    return status;
}

static alcore_status need_object(const alcore__part *config, const char *name, alcore__part *out) {
    if (alcore__part_member(config, name, out) && alcore__json_kind(&out->value) == '{')
        return ALCORE_OK;
    return alcore__part_fail(config, ALCORE_E_DATA, "%s is no object", name);
}

static alcore_status read_config(reader *r, const alcore__part *config, router *out) {
    alcore__part parameters;
    alcore__name first;
    bool allow_empty = true;
    *out = (router){0};
    ALCORE__TRY(alcore__folder_keys_check(config, ALCORE__KEYS_ROUTER, "", &r->out->report));
    ALCORE__TRY(need_object(config, "types", &out->types));
    ALCORE__TRY(need_object(config, "structure", &out->structure));
    ALCORE__TRY(need_object(config, "parameters", &parameters));
    ALCORE__TRY(alcore__folder_keys_check(&parameters, ALCORE__KEYS_ROUTES, "", &r->out->report));
    ALCORE__TRY(alcore__part_flag(&parameters, "allow_empty_key", &allow_empty));
    ALCORE__TRY(alcore__part_text(&parameters, "default_route", &out->default_route));
    out->has_mappings = alcore__part_member(&parameters, "route_mappings", &out->mappings);
    if (out->has_mappings && alcore__json_kind(&out->mappings.value) != '{')
        return alcore__part_fail(&parameters, ALCORE_E_DATA, "route_mappings is no object");
    ALCORE__TRY(list_routes(r, out, &first));
    if (!out->default_route.text && allow_empty) out->default_route = first;
    return ALCORE_OK;
}

/* *out: the list of modules of the route that is taken. */
static alcore_status take(reader *r, const alcore__part *config, const router *from,
                          alcore__part *out) {
    alcore__name route;
    bool named = false;
    if (r->route) ALCORE__TRY(is_task(from, r->route, &named));
    ALCORE__TRY(resolve(from, named ? r->route : NULL, &route));
    r->out->route_taken |= named;
    if (!route.text)
        return alcore__part_fail(config, ALCORE_E_PARAM,
                                 "there is no default_route; choose one by prompt_name: it has the "
                                 "routes %s",
                                 r->out->routes);
    if (!alcore__part_member(&from->structure, route.text, out) ||
        alcore__json_kind(&out->value) != '[')
        return alcore__part_fail(
            config, ALCORE_E_DATA, "the route '%.*s' is no list of structure; it has the routes %s",
            route.length > 64 ? 64 : (int)route.length, route.text, r->out->routes);
    return ALCORE_OK;
}

/* The place of a module of the Router in the folder of the model. */
static alcore_status join_place(reader *r, alcore__name router_place, alcore__name id,
                                alcore__name *out) {
    alcore__buffer path = {0};
    if (alcore__folder_is_root(router_place)) {
        *out = id;
        return ALCORE_OK;
    }
    alcore_status status =
        alcore__buffer_format(r->ctx, &path, "%.*s/%.*s", (int)router_place.length,
                              router_place.text, (int)id.length, id.text);
    out->length = path.length;
    if (status == ALCORE_OK)
        status = alcore__arena_text(r->ctx, &r->out->arena, path.data, path.length, &out->text);
    alcore__buffer_clear(r->ctx, &path);
    return status;
}

/* Appends a module of the route. */
static alcore_status add_module(reader *r, const alcore__part *config, const router *from,
                                alcore__name place, const alcore__part *item,
                                alcore__folder_module *out) {
    alcore__name id = {0};
    *out = (alcore__folder_module){0};
    ALCORE__TRY(alcore__part_string(item, &id));
    ALCORE__TRY(alcore__folder_check_place(r->path.data, id));
    ALCORE__TRY(alcore__part_text(&from->types, id.text, &out->type));
    ALCORE__TRY(join_place(r, place, id, &out->place));
    ALCORE__TRY(alcore__folder_module_kind(config, out));
    return out->kind != ALCORE__CLASS_ROUTER
               ? ALCORE_OK
               : alcore__part_fail(config, ALCORE_E_UNSUPPORTED,
                                   "a Router within a Router is not supported");
}

/* Reads FOLDER/router_config.json or, as versions before 5 wrote it, FOLDER/config.json. */
static alcore_status open_config(reader *r, alcore__name place, alcore__part *out) {
    static const char *const names[] = {"router_config.json", "config.json"};
    alcore__part structure;
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        alcore__name name = {names[i], strlen(names[i])}, path;
        ALCORE__TRY(join_place(r, place, name, &path));
        ALCORE__TRY(alcore__folder_read_object(r, path.text, out, &found));
        /* config.json may be that of a transformer. */
        if (i > 0) found = found && alcore__part_member(out, "structure", &structure);
    }
    return found ? ALCORE_OK
                 : alcore__fail(ALCORE_E_DATA, "%s: the router_config.json of a Router is missing",
                                r->folder);
}

alcore_status alcore__folder_router_read(reader *r, alcore__name place, alcore__folder_module *list,
                                         size_t *count) {
    alcore__part config, route, item;
    router from;
    ALCORE__TRY(open_config(r, place, &config));
    ALCORE__TRY(read_config(r, &config, &from));
    ALCORE__TRY(take(r, &config, &from, &route));
    alcore__part_enter(&route);
    while (alcore__part_next(&route, &item)) {
        if (*count == ALCORE__MOST_MODULES)
            return alcore__part_fail(&config, ALCORE_E_UNSUPPORTED, "more than %d modules",
                                     ALCORE__MOST_MODULES);
        ALCORE__TRY(add_module(r, &config, &from, place, &item, &list[(*count)++]));
    }
    return alcore__part_leave(&route);
}
