/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the configuration of an experiment (experiment_config.h). */
#include "extra/experiment/experiment_config.h"

#include <string.h>

#include "base/number.h"
#include "extra/experiment/experiment_run.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define MEMBER(type, name, kind, member, required)                                                 \
    { name, kind, offsetof(type, member), required, NULL, 0 }

static const char SCHEMA[] = "alcore-experiment-1";

/* The outermost object. */
typedef struct document {
    const char *schema, *name, *baseline;
    const alcore__node *domains, *strategies, *first, *seeds, *budgets, *models, *options, *mix,
        *train, *evaluate;
    int64_t rounds;
    int32_t zero;
} document;

static const alcore__tree_member document_members[] = {
    MEMBER(document, "schema", MEMBER_TEXT, schema, true),
    MEMBER(document, "name", MEMBER_TEXT, name, false),
    MEMBER(document, "domains", MEMBER_LIST, domains, true),
    MEMBER(document, "strategies", MEMBER_LIST, strategies, true),
    MEMBER(document, "baseline", MEMBER_TEXT, baseline, false),
    MEMBER(document, "first", MEMBER_ANY, first, false),
    MEMBER(document, "seeds", MEMBER_LIST, seeds, true),
    MEMBER(document, "budgets", MEMBER_LIST, budgets, true),
    MEMBER(document, "rounds", MEMBER_COUNT, rounds, true),
    MEMBER(document, "zero", MEMBER_FLAG, zero, false),
    MEMBER(document, "models", MEMBER_OBJECT, models, false),
    MEMBER(document, "options", MEMBER_OBJECT, options, false),
    MEMBER(document, "mix", MEMBER_OBJECT, mix, false),
    MEMBER(document, "train", MEMBER_OBJECT, train, false),
    MEMBER(document, "evaluate", MEMBER_OBJECT, evaluate, false),
};

/* ---- names and values ---- */

/* Whether a text can be the name of a folder and the cell of a table as it is. */
static bool is_name(const char *text) {
    if (!*text || *text == '.' || strlen(text) > 64) return false;
    for (; *text; text++)
        if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
              (*text >= '0' && *text <= '9') || strchr("._,=+-", *text)))
            return false;
    return true;
}

static alcore_status check_name(const alcore__tree *tree, const alcore__node *node,
                                const char *where, const char *name) {
    if (is_name(name)) return ALCORE_OK;
    return alcore__tree_fail(tree, node,
                             "%sname: '%.80s' is no name of a folder: 1 to 64 ASCII letters, "
                             "digits and ._,=+- are needed, no point first",
                             where, name);
}

/* What the library said of a value becomes an error of the file; but missing memory stays what it
 * is. */
static alcore_status fail_at(const alcore__tree *tree, const alcore__node *node,
                             alcore_status status, const char *where, int length) {
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM) return status;
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld: %.*s", tree->path, (long long)node->line,
                               length, where);
}

/* Refuses values of an object that are no strings, numbers or flags. */
static alcore_status check_values(const alcore__tree *tree, const alcore__node *object,
                                  const char *where) {
    for (const alcore__node *node = object ? object->first : NULL; node; node = node->next)
        if (node->kind == '{' || node->kind == '[' || node->kind == 'n')
            return alcore__tree_fail(tree, node, "%s.%s: a string, a number or a flag is needed",
                                     where, node->key);
    return ALCORE_OK;
}

static alcore_status check_models(const alcore__tree *tree, const alcore__node *object,
                                  const char *where) {
    for (const alcore__node *node = object ? object->first : NULL; node; node = node->next)
        if (node->kind != '"' || !*node->text)
            return alcore__tree_fail(
                tree, node, "%s.%s: \"ngram\", \"trained\" or the folder of a model is needed",
                where, node->key);
    return ALCORE_OK;
}

const alcore__node *alcore__experiment_models(const alcore__experiment_config *config,
                                              const alcore__experiment_strategy *strategy) {
    return strategy == &config->first ? NULL : config->models;
}

const alcore__node *alcore__experiment_value(const alcore__node *own, const alcore__node *all,
                                             const char *name) {
    const alcore__node *node = alcore__node_find(own, name);
    return node ? node : alcore__node_find(all, name);
}

/* ---- domains ---- */

static const alcore__tree_member data_members[] = {
    MEMBER(alcore__experiment_data, "path", MEMBER_TEXT, path, true),
    MEMBER(alcore__experiment_data, "references", MEMBER_TEXT, references, false),
    MEMBER(alcore__experiment_data, "text_column", MEMBER_TEXT, text_column, false),
    MEMBER(alcore__experiment_data, "reference_column", MEMBER_TEXT, reference_column, false),
    MEMBER(alcore__experiment_data, "language", MEMBER_TEXT, language, false),
    MEMBER(alcore__experiment_data, "records", MEMBER_LIST, records, false),
};

/* Reads "PATH" or {"path": "PATH", ...}; node NULL: there is none. */
static alcore_status read_data(const alcore__tree *tree, const alcore__node *node,
                               const char *where, alcore__experiment_data *out) {
    if (!node) return ALCORE_OK;
    if (node->kind == '"' && *node->text) {
        out->path = node->text;
        return ALCORE_OK;
    }
    if (node->kind != '{')
        return alcore__tree_fail(tree, node, "%.*s: a path or an object is needed",
                                 (int)strlen(where) - 1, where);
    ALCORE__TRY(alcore__tree_object(tree, node, where, data_members, COUNT_OF(data_members), out));
    if (!out->records) return ALCORE_OK;
    const alcore__node *first = out->records->first, *last = first->next;
    if (!last || last->next || first->kind != '0' || last->kind != '0' ||
        !alcore__parse_int(first->text, strlen(first->text), &out->first) ||
        !alcore__parse_int(last->text, strlen(last->text), &out->last) || out->first < 1 ||
        out->last < out->first)
        return alcore__tree_fail(tree, out->records,
                                 "%srecords: the numbers of the first and the last record, from 1, "
                                 "are needed",
                                 where);
    return ALCORE_OK;
}

/* A domain before its files are read. */
typedef struct domain_nodes {
    const char *name, *links;
    const alcore__node *pool, *labeled, *test, *target;
} domain_nodes;

static const alcore__tree_member domain_members[] = {
    MEMBER(domain_nodes, "name", MEMBER_TEXT, name, true),
    MEMBER(domain_nodes, "pool", MEMBER_ANY, pool, true),
    MEMBER(domain_nodes, "labeled", MEMBER_ANY, labeled, false),
    MEMBER(domain_nodes, "test", MEMBER_ANY, test, false),
    MEMBER(domain_nodes, "target", MEMBER_ANY, target, false),
    MEMBER(domain_nodes, "links", MEMBER_TEXT, links, false),
};

static alcore_status read_domain(const alcore__tree *tree, const alcore__node *node, int64_t index,
                                 alcore__experiment_domain *out) {
    domain_nodes found = {0};
    char where[64], file[80];
    alcore__format(where, sizeof where, "domains[%lld].", (long long)index);
    ALCORE__TRY(
        alcore__tree_object(tree, node, where, domain_members, COUNT_OF(domain_members), &found));
    ALCORE__TRY(check_name(tree, node, where, found.name));
    out->name = found.name;
    out->links = found.links;
    alcore__format(file, sizeof file, "%spool.", where);
    ALCORE__TRY(read_data(tree, found.pool, file, &out->pool));
    alcore__format(file, sizeof file, "%slabeled.", where);
    ALCORE__TRY(read_data(tree, found.labeled, file, &out->labeled));
    alcore__format(file, sizeof file, "%stest.", where);
    ALCORE__TRY(read_data(tree, found.test, file, &out->test));
    alcore__format(file, sizeof file, "%starget.", where);
    return read_data(tree, found.target, file, &out->target);
}

/* ---- strategies ---- */

static const alcore__tree_member strategy_members[] = {
    MEMBER(alcore__experiment_strategy, "name", MEMBER_TEXT, name, false),
    MEMBER(alcore__experiment_strategy, "strategy", MEMBER_TEXT, strategy, true),
    MEMBER(alcore__experiment_strategy, "parameters", MEMBER_OBJECT, parameters, false),
    MEMBER(alcore__experiment_strategy, "models", MEMBER_OBJECT, models, false),
    MEMBER(alcore__experiment_strategy, "options", MEMBER_OBJECT, options, false),
};

const char *alcore__experiment_text(const alcore__node *node) {
    return node->text ? node->text : node->kind == 't' ? "1" : "0";
}

alcore_status alcore__experiment_strategy_new(alcore_ctx *ctx,
                                              const alcore__experiment_strategy *from,
                                              alcore_strategy **out) {
    const alcore__node *node = from->parameters ? from->parameters->first : NULL;
    alcore_status status = alcore_strategy_new(ctx, from->strategy, out);
    for (; node && status == ALCORE_OK; node = node->next)
        status = alcore_strategy_set(*out, node->key, alcore__experiment_text(node));
    if (status != ALCORE_OK) {
        alcore_strategy_unref(*out);
        *out = NULL;
    }
    return status;
}

/* Reads "STRATEGY" or {"strategy": "STRATEGY", ...}, and tries its parameters. where: with a point
 * at its end. */
static alcore_status read_strategy(const alcore__tree *tree, const alcore__node *node,
                                   const char *where, alcore__experiment_strategy *out) {
    alcore_strategy *made;
    const int bare = (int)strlen(where) - 1;
    char part[96];
    if (node->kind == '"') {
        out->strategy = node->text;
    } else if (node->kind == '{') {
        ALCORE__TRY(alcore__tree_object(tree, node, where, strategy_members,
                                        COUNT_OF(strategy_members), out));
    } else {
        return alcore__tree_fail(tree, node, "%.*s: a name or an object is needed", bare, where);
    }
    if (!out->name) out->name = out->strategy;
    ALCORE__TRY(check_name(tree, node, where, out->name));
    alcore__format(part, sizeof part, "%smodels", where);
    ALCORE__TRY(check_models(tree, out->models, part));
    alcore__format(part, sizeof part, "%soptions", where);
    ALCORE__TRY(check_values(tree, out->options, part));
    alcore__format(part, sizeof part, "%sparameters", where);
    ALCORE__TRY(check_values(tree, out->parameters, part));
    alcore_status status = alcore__experiment_strategy_new(tree->ctx, out, &made);
    alcore_strategy_unref(made);
    return fail_at(tree, node, status, where, bare);
}

/* ---- lists ---- */

/* *out: an array for the items of a list, in the arena. */
static alcore_status new_list(alcore__tree *tree, const alcore__node *list, size_t bytes, void *out,
                              int64_t *count) {
    *count = 0;
    for (const alcore__node *node = list->first; node; node = node->next) ++*count;
    void *made = alcore__arena_alloc(tree->ctx, &tree->arena, (size_t)*count * bytes, 16);
    if (!made) return alcore__fail_memory((size_t)*count * bytes);
    memset(made, 0, (size_t)*count * bytes);
    *(void **)out = made;
    return ALCORE_OK;
}

static alcore_status read_domains(alcore__experiment_config *self, const document *doc) {
    int64_t i = 0;
    ALCORE__TRY(new_list(&self->tree, doc->domains, sizeof *self->domains, &self->domains,
                         &self->domain_count));
    for (const alcore__node *node = doc->domains->first; node; node = node->next, i++) {
        ALCORE__TRY(read_domain(&self->tree, node, i, &self->domains[i]));
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(self->domains[k].name, self->domains[i].name))
                return alcore__tree_fail(&self->tree, node, "domains[%lld].name: '%s' stands twice",
                                         (long long)i, self->domains[i].name);
    }
    return ALCORE_OK;
}

static alcore_status read_strategies(alcore__experiment_config *self, const document *doc) {
    int64_t i = 0;
    ALCORE__TRY(new_list(&self->tree, doc->strategies, sizeof *self->strategies, &self->strategies,
                         &self->strategy_count));
    for (const alcore__node *node = doc->strategies->first; node; node = node->next, i++) {
        char where[64];
        alcore__format(where, sizeof where, "strategies[%lld].", (long long)i);
        ALCORE__TRY(read_strategy(&self->tree, node, where, &self->strategies[i]));
        const char *name = self->strategies[i].name;
        if (!strcmp(name, ALCORE__EXPERIMENT_SHARED))
            return alcore__tree_fail(&self->tree, node,
                                     "%sname: '%s' is what rounds of all "
                                     "strategies are called",
                                     where, name);
        for (int64_t k = 0; k < i; k++)
            if (!strcmp(self->strategies[k].name, name))
                return alcore__tree_fail(&self->tree, node, "%sname: '%s' stands twice", where,
                                         name);
    }
    return ALCORE_OK;
}

static alcore_status read_seeds(alcore__experiment_config *self, const document *doc) {
    int64_t i = 0;
    ALCORE__TRY(
        new_list(&self->tree, doc->seeds, sizeof *self->seeds, &self->seeds, &self->seed_count));
    for (const alcore__node *node = doc->seeds->first; node; node = node->next, i++) {
        if (node->kind != '0' ||
            !alcore__parse_uint(node->text, strlen(node->text), &self->seeds[i]))
            return alcore__tree_fail(&self->tree, node,
                                     "seeds[%lld]: an integer from 0 on is needed", (long long)i);
        for (int64_t k = 0; k < i; k++)
            if (self->seeds[k] == self->seeds[i])
                return alcore__tree_fail(&self->tree, node, "seeds[%lld]: %s stands twice",
                                         (long long)i, node->text);
    }
    return ALCORE_OK;
}

/* Budgets are texts such as "1000w", or numbers of items. */
static alcore_status read_budgets(alcore__experiment_config *self, const document *doc) {
    int64_t i = 0;
    char where[64];
    alcore_request *request;
    ALCORE__TRY(alcore_request_new(self->tree.ctx, &request));
    alcore_status status = new_list(&self->tree, doc->budgets, sizeof *self->budgets,
                                    &self->budgets, &self->budget_count);
    for (const alcore__node *node = doc->budgets->first; node && !status; node = node->next, i++) {
        alcore__format(where, sizeof where, "budgets[%lld]", (long long)i);
        self->budgets[i] = node->text;
        if ((node->kind != '"' && node->kind != '0') || !is_name(node->text) ||
            strchr(node->text, ','))
            status = alcore__tree_fail(&self->tree, node,
                                       "%s: a budget such as 1000 or \"2500w\" is needed", where);
        else
            status = fail_at(&self->tree, node, alcore_request_set(request, "budget", node->text),
                             where, (int)strlen(where));
        for (int64_t k = 0; k < i && !status; k++)
            if (!strcmp(self->budgets[k], node->text))
                status = alcore__tree_fail(&self->tree, node, "%s: '%s' stands twice", where,
                                           node->text);
    }
    alcore_request_unref(request);
    return status;
}

/* ---- the document ---- */

bool alcore__experiment_wants_trained(const alcore__experiment_config *config,
                                      const alcore__experiment_strategy *strategy) {
    const alcore__node *const lists[] = {strategy->models,
                                         alcore__experiment_models(config, strategy)};
    for (int i = 0; i < 2; i++)
        for (const alcore__node *node = lists[i] ? lists[i]->first : NULL; node; node = node->next)
            if (!strcmp(alcore__experiment_value(lists[0], lists[1], node->key)->text, "trained"))
                return true;
    return false;
}

/* Refuses "trained" where no model was trained before. */
static alcore_status check_trained(const alcore__experiment_config *self) {
    const bool based = self->zero || self->train.base || self->train.model;
    const alcore__experiment_strategy *first = self->first.strategy ? &self->first : NULL;
    for (int64_t i = 0; i <= self->strategy_count; i++) {
        const alcore__experiment_strategy *one = i ? &self->strategies[i - 1] : first;
        if (!one || !alcore__experiment_wants_trained(self, one)) continue;
        if (self->train.kind == EXPERIMENT_TRAIN_NONE)
            return alcore__tree_fail(&self->tree, NULL,
                                     "models: '%s' wants the model that was "
                                     "trained, and there is no \"train\"",
                                     one->name);
        if (!based && (one == first || !first))
            return alcore__tree_fail(
                &self->tree, NULL,
                "models: '%s' wants in round 1 the model that was trained; "
                "\"zero\": true trains one before, \"base\" of a command names "
                "one, and \"first\" is a strategy for round 1 that wants none",
                one->name);
    }
    return ALCORE_OK;
}

static alcore_status check_baseline(const alcore__experiment_config *self) {
    for (int64_t i = 0; i < self->strategy_count; i++)
        if (!strcmp(self->strategies[i].name, self->baseline)) return ALCORE_OK;
    return alcore__tree_fail(&self->tree, alcore__node_find(self->tree.root, "baseline"),
                             "baseline: there is no strategy '%s'", self->baseline);
}

static alcore_status read_document(alcore__experiment_config *self, const document *doc) {
    alcore__tree *tree = &self->tree;
    self->title = doc->name;
    self->rounds = doc->rounds;
    self->zero = doc->zero;
    self->models = doc->models;
    self->options = doc->options;
    if (strcmp(doc->schema, SCHEMA) != 0)
        return alcore__tree_fail(tree, alcore__node_find(tree->root, "schema"),
                                 "schema: '%s' is needed, not '%.80s'", SCHEMA, doc->schema);
    if (doc->rounds < 1 || doc->rounds > 9999)
        return alcore__tree_fail(tree, alcore__node_find(tree->root, "rounds"),
                                 "rounds: 1 to 9999 are needed");
    ALCORE__TRY(check_models(tree, doc->models, "models"));
    ALCORE__TRY(check_values(tree, doc->options, "options"));
    ALCORE__TRY(read_domains(self, doc));
    ALCORE__TRY(read_strategies(self, doc));
    if (doc->first) ALCORE__TRY(read_strategy(tree, doc->first, "first.", &self->first));
    ALCORE__TRY(read_seeds(self, doc));
    ALCORE__TRY(read_budgets(self, doc));
    ALCORE__TRY(alcore__experiment_read_steps(self, doc->mix, doc->train, doc->evaluate));
    self->baseline = doc->baseline ? doc->baseline : self->strategies[0].name;
    ALCORE__TRY(check_baseline(self));
    return check_trained(self);
}

alcore_status alcore__experiment_config_read(alcore_ctx *ctx, const char *path,
                                             alcore__experiment_config *out) {
    document doc = {0};
    *out = (alcore__experiment_config){.mix = ALCORE_MIX_OPTIONS_INIT,
                                       .train = {.options = ALCORE_TRAIN_OPTIONS_INIT}};
    ALCORE__TRY(alcore__tree_read(ctx, path, &out->tree));
    alcore_status status = alcore__tree_object(&out->tree, out->tree.root, "", document_members,
                                               COUNT_OF(document_members), &doc);
    if (status == ALCORE_OK) status = read_document(out, &doc);
    if (status != ALCORE_OK) alcore__experiment_config_clear(out);
    return status;
}

void alcore__experiment_config_clear(alcore__experiment_config *config) {
    alcore__tree_clear(&config->tree);
}
