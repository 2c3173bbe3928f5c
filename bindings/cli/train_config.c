/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the configuration of a training. A key that is not known, a value of another type and a key
 * that is missing are errors: a setting that is passed over in silence costs a training. */
#include "train_config.h"

#include <stddef.h>
#include <string.h>

#include "extra/training/training_choices.h"
#include "inputs.h"

/* What the value of a key is, and where it goes. */
typedef enum value_kind {
    TEXT,     /* const char *: a string that is not empty */
    ANY_TEXT, /* const char *: a string */
    NUMBER,   /* double from 0 on */
    SHARE,    /* double from 0 on and below 1 */
    ABOVE,    /* double above 0 */
    COUNT,    /* int64_t or uint64_t from 0 on */
    CHOICE,   /* int32_t: the value of an enum that the word names */
    FLAG,     /* int32_t: true or false */
    OBJECT,   /* const json_t *: an object */
    FILES     /* const json_t *: an object or a list of objects that is not empty */
} value_kind;
typedef struct key_info {
    const char *name;
    value_kind kind;
    size_t offset; /* of the member of the struct that the object is read into */
    bool required;
    const char *choices; /* "a|b": consecutive values of an enum; "auto|" in front is 0 */
    int32_t first;       /* the first of these values */
} key_info;

#define CONFIG(member) offsetof(train_config, member)
static const key_info config_keys[] = {
    {"model", TEXT, CONFIG(model), true, NULL, 0},
    {"out", TEXT, CONFIG(out), true, NULL, 0},
    {"train", FILES, CONFIG(train), true, NULL, 0},
    {"validation", FILES, CONFIG(validation), false, NULL, 0},
    {"from_scratch", OBJECT, CONFIG(from_scratch), false, NULL, 0},
    {"kind_weights", OBJECT, CONFIG(kind_weights), false, NULL, 0},
    {"max_tokens", COUNT, CONFIG(max_tokens), false, NULL, 0},
    {"to", TEXT, CONFIG(to), false, NULL, 0},
    {"prompt", TEXT, CONFIG(prompt), false, NULL, 0},
    {"chat", ANY_TEXT, CONFIG(chat), false, NULL, 0},
    {"optimizer", CHOICE, CONFIG(options.optimizer), false, ALCORE__CHOICES(ALCORE__OPTIMIZER_LIST),
     ALCORE_OPTIMIZER_ADAMW},
    {"rate", ABOVE, CONFIG(options.rate), false, NULL, 0},
    {"weight_decay", NUMBER, CONFIG(options.weight_decay), false, NULL, 0},
    {"beta1", SHARE, CONFIG(options.beta1), false, NULL, 0},
    {"beta2", SHARE, CONFIG(options.beta2), false, NULL, 0},
    {"epsilon", ABOVE, CONFIG(options.epsilon), false, NULL, 0},
    {"schedule", CHOICE, CONFIG(options.schedule), false, ALCORE__CHOICES(ALCORE__SCHEDULE_LIST),
     ALCORE_SCHEDULE_CONSTANT},
    {"warmup", COUNT, CONFIG(options.warmup), false, NULL, 0},
    {"clip", NUMBER, CONFIG(options.clip), false, NULL, 0},
    {"label_smoothing", SHARE, CONFIG(options.label_smoothing), false, NULL, 0},
    {"updates", COUNT, CONFIG(options.updates), false, NULL, 0},
    {"precision", CHOICE, CONFIG(options.precision), false, ALCORE__CHOICES(ALCORE__PRECISION_LIST),
     ALCORE_PRECISION_FLOAT32},
    {"recompute", FLAG, CONFIG(options.recompute), false, NULL, 0},
    {"lora_rank", COUNT, CONFIG(options.lora_rank), false, NULL, 0},
    {"lora_alpha", NUMBER, CONFIG(options.lora_alpha), false, NULL, 0},
    {"lora_dropout", SHARE, CONFIG(options.lora_dropout), false, NULL, 0},
    {"lora_targets", TEXT, CONFIG(options.lora_targets), false, NULL, 0},
    {"batch_tokens", COUNT, CONFIG(options.batch_tokens), false, NULL, 0},
    {"accumulate", COUNT, CONFIG(options.accumulate), false, NULL, 0},
    {"seed", COUNT, CONFIG(options.seed), false, NULL, 0},
    {"checkpoints", TEXT, CONFIG(options.checkpoints), false, NULL, 0},
    {"checkpoint_every", COUNT, CONFIG(options.checkpoint_every), false, NULL, 0},
    {"metric", CHOICE, CONFIG(options.metric), false, ALCORE__CHOICES(ALCORE__VALIDATION_LIST),
     ALCORE_VALIDATE_LOSS},
    {"validate_every", COUNT, CONFIG(options.validate_every), false, NULL, 0},
    {"patience", COUNT, CONFIG(options.patience), false, NULL, 0},
};

#define FILE_MEMBER(member) offsetof(train_file, member)
static const key_info file_keys[] = {
    {"mix", TEXT, FILE_MEMBER(mix), false, NULL, 0},
    {"texts", TEXT, FILE_MEMBER(texts), false, NULL, 0},
    {"references", TEXT, FILE_MEMBER(references), false, NULL, 0},
    {"by", CHOICE, FILE_MEMBER(by), false, "auto|line|id", ALCORE_JOIN_LINE},
    {"text_column", TEXT, FILE_MEMBER(text_column), false, NULL, 0},
    {"reference_column", TEXT, FILE_MEMBER(reference_column), false, NULL, 0},
    {"context_column", TEXT, FILE_MEMBER(context_column), false, NULL, 0},
    {"start_column", TEXT, FILE_MEMBER(start_column), false, NULL, 0},
    {"language", TEXT, FILE_MEMBER(language), false, NULL, 0},
    {"side", TEXT, FILE_MEMBER(side), false, NULL, 0},
    {"translator", TEXT, FILE_MEMBER(translator), false, NULL, 0},
    {"system", TEXT, FILE_MEMBER(system), false, NULL, 0},
    {"domain", TEXT, FILE_MEMBER(domain), false, NULL, 0},
    {"weight", ABOVE, FILE_MEMBER(weight), false, NULL, 0},
    {"whole", FLAG, FILE_MEMBER(whole), false, NULL, 0},
};

static const key_info scratch_keys[] = {
    {"config", OBJECT, offsetof(train_scratch, config), true, NULL, 0},
    {"tokenizer", TEXT, offsetof(train_scratch, tokenizer), true, NULL, 0},
};

/* An object of the configuration, its keys, and the struct that it is read into. */
typedef struct reader {
    const char *path, *prefix; /* of the file; of the keys: "", "train[0]." */
    const key_info *keys;
    size_t count; /* of keys */
    void *out;
} reader;

static const char *key_at(int index, void *data) {
    const reader *self = data;
    return (size_t)index < self->count ? self->keys[index].name : NULL;
}

/* Says that a value is not what the key takes. */
static int refuse(const reader *self, const key_info *key, const char *wanted) {
    return complain(EXIT_DATA, "%s: %s%s: %s is needed", self->path, self->prefix, key->name,
                    wanted);
}

/* Reads a number of a key: one from 0 on or above 0, and below 1 where it is a share. */
static int read_number(const reader *self, const key_info *key, const json_t *value) {
    static const char *const wanted[] = {[NUMBER] = "a number from 0 on",
                                         [SHARE] = "a number from 0 on and below 1",
                                         [ABOVE] = "a number above 0"};
    const bool above = key->kind == ABOVE, below = key->kind == SHARE;
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(above ? number > 0 : number >= 0) || (below && !(number < 1)))
        return refuse(self, key, wanted[key->kind]);
    *(double *)((char *)self->out + key->offset) = number;
    return EXIT_DONE;
}

/* Reads a word of a key: the value of the enum that stands at its place among the choices. */
static int read_choice(const reader *self, const key_info *key, const json_t *value) {
    const char *word = json_string_value(value);
    const int choice = word ? choice_of(word, key->choices) : -1;
    if (choice < 0)
        return complain(EXIT_DATA, "%s: %s%s: one of %s is needed", self->path, self->prefix,
                        key->name, key->choices);
    const bool automatic = strncmp(key->choices, "auto|", 5) == 0;
    *(int32_t *)((char *)self->out + key->offset) =
        automatic && choice == 0 ? 0 : key->first + choice - automatic;
    return EXIT_DONE;
}

static int read_value(const reader *self, const key_info *key, const json_t *value) {
    void *to = (char *)self->out + key->offset;
    switch (key->kind) {
    case TEXT:
        if (!json_is_string(value) || !json_string_length(value))
            return refuse(self, key, "a string that is not empty");
        *(const char **)to = json_string_value(value);
        return EXIT_DONE;
    case ANY_TEXT:
        if (!json_is_string(value)) return refuse(self, key, "a string");
        *(const char **)to = json_string_value(value);
        return EXIT_DONE;
    case COUNT:
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return refuse(self, key, "an integer from 0 on");
        *(int64_t *)to = json_integer_value(value);
        return EXIT_DONE;
    case FLAG:
        if (!json_is_boolean(value)) return refuse(self, key, "true or false");
        *(int32_t *)to = json_is_true(value);
        return EXIT_DONE;
    case CHOICE:
        return read_choice(self, key, value);
    case OBJECT:
        if (!json_is_object(value)) return refuse(self, key, "an object");
        *(const json_t **)to = value;
        return EXIT_DONE;
    case FILES:
        if (!json_is_array(value) || json_array_size(value) == 0)
            return refuse(self, key, "a list of one file or more");
        *(const json_t **)to = value;
        return EXIT_DONE;
    default:
        return read_number(self, key, value);
    }
}

/* Reads an object by the table of its keys. */
static int read_object(reader *self, const json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        size_t i = 0;
        while (i < self->count && strcmp(self->keys[i].name, name) != 0) i++;
        if (i == self->count) {
            const char *near = nearest_name(name, key_at, self);
            return complain(EXIT_DATA, "%s: %s%s: there is no such key%s%s%s", self->path,
                            self->prefix, name, near ? "; did you mean '" : "", near ? near : "",
                            near ? "'?" : "");
        }
        TRY(read_value(self, &self->keys[i], value));
    }
    for (size_t i = 0; i < self->count; i++)
        if (self->keys[i].required && !json_object_get(object, self->keys[i].name))
            return complain(EXIT_DATA, "%s: %s%s is missing", self->path, self->prefix,
                            self->keys[i].name);
    return EXIT_DONE;
}

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

int train_config_file(const train_config *config, const char *list, size_t index,
                      const json_t *value, train_file *out) {
    char prefix[48];
    *out = (train_file){.weight = 1};
    snprintf(out->key, sizeof out->key, "%s[%zu]", list, index);
    snprintf(prefix, sizeof prefix, "%s.", out->key);
    reader self = {config->path, prefix, file_keys, COUNT_OF(file_keys), out};
    if (!json_is_object(value))
        return complain(EXIT_DATA, "%s: %s: an object is needed", config->path, out->key);
    TRY(read_object(&self, value));
    if (!out->mix == !out->texts)
        return complain(EXIT_DATA, "%s: %s: either mix or texts is needed", config->path, out->key);
    if (!out->context_column != !out->start_column)
        return complain(EXIT_DATA, "%s: %s: context_column and start_column go together",
                        config->path, out->key);
    if (out->mix && (out->references || out->text_column || out->reference_column ||
                     out->context_column || out->whole))
        return complain(EXIT_DATA, "%s: %s: references and columns go with texts, not with mix",
                        config->path, out->key);
    return EXIT_DONE;
}

int train_config_scratch(const train_config *config, train_scratch *out) {
    reader self = {config->path, "from_scratch.", scratch_keys, COUNT_OF(scratch_keys), out};
    *out = (train_scratch){0};
    return read_object(&self, config->from_scratch);
}

/* The keys of the options of a training are those of a configuration behind the files, up to those
 * of a validation. */
int train_config_settings(const char *where, const json_t *values, alcore_train_options *out) {
    train_config config = {.options = *out};
    size_t first = 0, end = COUNT_OF(config_keys);
    while (strcmp(config_keys[first].name, "optimizer") != 0) first++;
    while (strcmp(config_keys[end - 1].name, "checkpoint_every") != 0) end--;
    reader self = {where, "", config_keys + first, end - first, &config};
    TRY(read_object(&self, values));
    *out = config.options;
    return EXIT_DONE;
}

/* What one key needs of others. */
static int check_keys(const train_config *config) {
    static const char *const of_validation[] = {"metric", "validate_every", "patience"};
    for (size_t i = 0; !config->validation && i < COUNT_OF(of_validation); i++)
        if (json_object_get(config->all, of_validation[i]))
            return complain(EXIT_DATA, "%s: %s needs validation", config->path, of_validation[i]);
    if (config->options.patience && !config->options.validate_every)
        return complain(EXIT_DATA, "%s: patience needs validate_every", config->path);
    if (config->chat && !config->prompt)
        return complain(EXIT_DATA, "%s: chat needs prompt, which is the turn of the user",
                        config->path);
    if (config->options.checkpoint_every && !config->options.checkpoints)
        return complain(EXIT_DATA, "%s: checkpoint_every needs checkpoints", config->path);
    const char *kind;
    json_t *weight;
    json_object_foreach(
        (json_t *)(uintptr_t)config->kind_weights, kind,
        weight) if (!(json_number_value(weight) >
                      0)) return complain(EXIT_DATA,
                                          "%s: kind_weights.%s: a number above 0 is needed",
                                          config->path, kind);
    return EXIT_DONE;
}

int train_config_read(const char *path, train_config *out) {
    json_error_t error;
    *out = (train_config){.path = path, .options = ALCORE_TRAIN_OPTIONS_INIT};
    reader self = {path, "", config_keys, COUNT_OF(config_keys), out};
    out->all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!out->all)
        return error.line < 0 ? complain(EXIT_IO, "%s", error.text)
                              : complain(EXIT_DATA, "%s:%d: %s", path, error.line, error.text);
    if (!json_is_object(out->all)) return complain(EXIT_DATA, "%s: an object is needed", path);
    TRY(read_object(&self, out->all));
    return check_keys(out);
}

void train_config_clear(train_config *config) {
    json_decref(config->all);
}
