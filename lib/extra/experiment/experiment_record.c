/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment was begun with: FOLDER/experiment.json.
 *
 * A setting is a value of the configuration with its path as its name: "train.ngram.order",
 * "strategies[huds].parameters.lambda"; the items of the lists that name things are known by their
 * names, so that their order is free. Beside them are the digests of the files of each domain. A
 * configuration fits where every setting is what it was; new names of the lists and more rounds add
 * runs and change none of those that are there. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "extra/experiment/experiment_run.h"
#include "formats/json_text.h"

/* One setting; value as JSON writes it, but strings without escapes. */
typedef struct alcore__setting {
    const char *name, *value;
} setting;

static const char RECORD[] = "alcore-experiment-record-1";
/* Lists whose items have names, and settings that change no run. */
static const char *const named_lists[] = {"domains", "strategies", "seeds", "budgets"};
static const char *const free_settings[] = {"name", "baseline", "rounds"};

/* ---- settings of the configuration ---- */

static alcore_status add(alcore__experiment *self, const alcore__buffer *name, const char *value) {
    setting *made;
    ALCORE__TRY(alcore__grow(self->ctx, &self->settings, &self->setting_capacity,
                             self->setting_count + 1, sizeof *self->settings));
    made = &self->settings[self->setting_count];
    ALCORE__TRY(alcore__arena_text(self->ctx, &self->arena, name->data, name->length, &made->name));
    ALCORE__TRY(alcore__arena_text(self->ctx, &self->arena, value, strlen(value), &made->value));
    self->setting_count++;
    return ALCORE_OK;
}

static bool is_named_list(const char *name) {
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, named_lists[i])) return true;
    return false;
}

/* What an item of a list is called: its name where it has one, else its value; NULL: its number. */
static const char *name_of_item(const alcore__node *item) {
    const alcore__node *name = alcore__node_find(item, "name");
    if (!name) name = alcore__node_find(item, "strategy");
    return name ? name->text : item->text;
}

/* Adds the settings of a node; name is the path so far and is left as it was. */
static alcore_status flatten(alcore__experiment *self, alcore__buffer *name,
                             const alcore__node *node) {
    static const char *const words[] = {['t'] = "true", ['f'] = "false", ['n'] = "null"};
    const size_t length = name->length;
    const bool named = node->kind == '[' && is_named_list(name->data ? name->data : "");
    int64_t number = 0;
    if (node->kind == '"' || node->kind == '0') return add(self, name, node->text);
    if (node->kind != '{' && node->kind != '[') return add(self, name, words[(int)node->kind]);
    for (const alcore__node *child = node->first; child; child = child->next, number++) {
        alcore_status status =
            node->kind == '{'
                ? alcore__buffer_format(self->ctx, name, length ? ".%s" : "%s", child->key)
            : named ? alcore__buffer_format(self->ctx, name, "[%s]", name_of_item(child))
                    : alcore__buffer_format(self->ctx, name, "[%lld]", (long long)number);
        if (status == ALCORE_OK) status = flatten(self, name, child);
        name->length = length;
        if (name->data) name->data[length] = '\0';
        ALCORE__TRY(status);
    }
    return ALCORE_OK;
}

/* Adds the digest of a file of a domain; of one that is cut, that of the whole. */
static alcore_status add_digest(alcore__experiment *self, const char *domain, const char *role,
                                const char *path) {
    alcore__buffer name = {0}, file = {0};
    char digest[ALCORE__HASH_TEXT_BYTES];
    int64_t bytes;
    if (!path) return ALCORE_OK;
    alcore_status status =
        alcore__buffer_format(self->ctx, &name, "domains[%s].%s.content", domain, role);
    if (status == ALCORE_OK) status = alcore__experiment_absolute(self, path, &file);
    if (status == ALCORE_OK) status = alcore__path_digest(self->ctx, file.data, digest, &bytes);
    if (status == ALCORE_OK) status = add(self, &name, digest);
    alcore__buffer_clear(self->ctx, &name);
    alcore__buffer_clear(self->ctx, &file);
    return status;
}

static alcore_status add_digests(alcore__experiment *self) {
    for (int64_t i = 0; i < self->config.domain_count; i++) {
        const alcore__experiment_domain *domain = &self->config.domains[i];
        const struct {
            const char *role, *path;
        } files[] = {
            {"pool", domain->pool.path},       {"pool.references", domain->pool.references},
            {"labeled", domain->labeled.path}, {"labeled.references", domain->labeled.references},
            {"test", domain->test.path},       {"test.references", domain->test.references},
            {"target", domain->target.path},   {"target.references", domain->target.references},
            {"links", domain->links}};
        for (size_t k = 0; k < sizeof files / sizeof *files; k++)
            ALCORE__TRY(add_digest(self, domain->name, files[k].role, files[k].path));
    }
    return ALCORE_OK;
}

static int compare(const void *a, const void *b) {
    return strcmp(((const setting *)a)->name, ((const setting *)b)->name);
}

static alcore_status gather(alcore__experiment *self) {
    alcore__buffer name = {0};
    alcore_status status = flatten(self, &name, self->config.tree.root);
    alcore__buffer_clear(self->ctx, &name);
    if (status == ALCORE_OK) status = add_digests(self);
    if (status != ALCORE_OK) return status;
    return alcore__sort(self->ctx, self->settings, self->setting_count, sizeof *self->settings,
                        compare);
}

/* ---- comparison ---- */

/* The length of the part of a name that names an item of a list, "strategies[huds]"; 0: none. */
static size_t item_length(const char *name) {
    const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close) return 0;
    for (int i = 0; i < 4; i++)
        if (strlen(named_lists[i]) == (size_t)(open - name) &&
            !strncmp(name, named_lists[i], (size_t)(open - name)))
            return (size_t)(close - name) + 1;
    return 0;
}

static const setting *find(const alcore__experiment *self, const char *name) {
    const setting wanted = {name, NULL};
    return bsearch(&wanted, self->settings, self->setting_count, sizeof wanted, compare);
}

/* Whether a setting is the path of a file whose digest is one too: the file may lie elsewhere. */
static bool is_path(const alcore__experiment *self, const char *name) {
    char digest[400];
    size_t length = strlen(name);
    if (length > 5 && !strcmp(name + length - 5, ".path")) length -= 5;
    return alcore__format(digest, sizeof digest, "%.*s.content", (int)length, name) <
               (int)sizeof digest &&
           find(self, digest);
}

static bool is_free(const alcore__experiment *self, const char *name) {
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, free_settings[i])) return true;
    return is_path(self, name);
}

static alcore_status refuse(const alcore__experiment *self, const char *name, const char *what) {
    return alcore__fail(ALCORE_E_PARAM,
                        "%s was begun with another configuration: %s %s; take another folder, or "
                        "only add strategies, seeds, budgets, domains or rounds",
                        self->folder.data, name, what);
}

/* Whether a record has a setting of the item that a name belongs to. */
static bool has_item(const alcore__node *record, const char *name, size_t length) {
    for (const alcore__node *node = record->first; node; node = node->next)
        if (!strncmp(node->key, name, length)) return true;
    return false;
}

/* Compares with the settings of the record, an object of names and values; *grown: something was
 * added. */
static alcore_status check(const alcore__experiment *self, const alcore__node *record,
                           bool *grown) {
    char what[400];
    for (const alcore__node *old = record->first; old; old = old->next) {
        const setting *now = find(self, old->key);
        int64_t before, after;
        if (is_free(self, old->key)) *grown = *grown || !now || strcmp(now->value, old->text) != 0;
        if (!strcmp(old->key, "rounds") &&
            alcore__parse_int(old->text, strlen(old->text), &before) &&
            alcore__parse_int(now->value, strlen(now->value), &after) && after < before)
            return refuse(self, "rounds", "were more");
        if (is_free(self, old->key)) continue;
        if (!now) return refuse(self, old->key, "is gone");
        alcore__format(what, sizeof what, "was '%.150s' and is '%.150s'", old->text, now->value);
        if (strcmp(now->value, old->text) != 0) return refuse(self, old->key, what);
    }
    for (size_t i = 0; i < self->setting_count; i++) {
        const char *name = self->settings[i].name;
        const size_t length = item_length(name);
        if (alcore__node_find(record, name)) continue;
        *grown = true;
        if (!is_free(self, name) && (length == 0 || has_item(record, name, length)))
            return refuse(self, name, "was not there");
    }
    return ALCORE_OK;
}

/* ---- the record ---- */

static alcore_status write_record(alcore__experiment *self, const char *path) {
    alcore__json_out json = {.ctx = self->ctx};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", RECORD);
    alcore__json_open(&json, "settings", '{');
    for (size_t i = 0; i < self->setting_count; i++)
        alcore__json_put_string(&json, self->settings[i].name, self->settings[i].value);
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    alcore_status status = json.status;
    if (status == ALCORE_OK) status = alcore__buffer_append(self->ctx, &json.text, "\n", 1);
    if (status == ALCORE_OK) status = alcore__write_text(self->ctx, path, &json.text);
    alcore__buffer_clear(self->ctx, &json.text);
    return status;
}

/* Compares with the record at path. */
static alcore_status check_record(alcore__experiment *self, const char *path) {
    alcore__tree record;
    bool grown = false;
    ALCORE__TRY(alcore__tree_read(self->ctx, path, &record));
    const alcore__node *schema = alcore__node_find(record.root, "schema");
    const alcore__node *settings = alcore__node_find(record.root, "settings");
    alcore_status status = ALCORE_OK;
    if (!schema || !schema->text || !settings || settings->kind != '{' ||
        strcmp(schema->text, RECORD) != 0)
        status = alcore__fail(ALCORE_E_DATA, "%s: this is no '%s'", path, RECORD);
    for (const alcore__node *node = settings ? settings->first : NULL; node && !status;
         node = node->next)
        if (!node->text) status = alcore__tree_fail(&record, node, "settings: a string is needed");
    if (status == ALCORE_OK) status = check(self, settings, &grown);
    alcore__tree_clear(&record);
    return status == ALCORE_OK && grown ? write_record(self, path) : status;
}

alcore_status alcore__experiment_check_settings(alcore__experiment *self) {
    alcore__buffer path = {0};
    alcore_status status = gather(self);
    if (status == ALCORE_OK)
        status = alcore__experiment_path(self->ctx, &path, "%s/experiment.json", self->folder.data);
    if (status == ALCORE_OK)
        status = alcore__path_exists(path.data) ? check_record(self, path.data)
                                                : write_record(self, path.data);
    alcore__buffer_clear(self->ctx, &path);
    return status;
}

/* ---- the digest of a run ---- */

/* Whether a run depends on a setting: not on those of other domains and strategies, nor on lists
 * that only say which runs there are. */
static bool concerns(const alcore__experiment_run *run, const char *name) {
    char own[2][96];
    const size_t length = item_length(name);
    if (is_free(run->all, name)) return false;
    if (length == 0) return true;
    alcore__format(own[0], sizeof own[0], "domains[%s]", run->domain->name);
    alcore__format(own[1], sizeof own[1], "strategies[%s]",
                   run->strategy ? run->strategy->name : "");
    for (int i = 0; i < 2; i++)
        if (strlen(own[i]) == length && !strncmp(own[i], name, length)) return true;
    return false;
}

alcore_status alcore__experiment_run_settings(alcore__experiment_run *run) {
    const alcore__experiment *all = run->all;
    alcore__buffer text = {0};
    alcore_status status = ALCORE_OK;
    for (size_t i = 0; i < all->setting_count && status == ALCORE_OK; i++)
        if (concerns(run, all->settings[i].name))
            status = alcore__buffer_format(all->ctx, &text, "%s=%s\n", all->settings[i].name,
                                           all->settings[i].value);
    if (status == ALCORE_OK)
        alcore__hash_print(alcore__hash128(text.data, text.length), run->settings);
    alcore__buffer_clear(all->ctx, &text);
    return status;
}
