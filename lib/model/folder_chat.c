/* SPDX-License-Identifier: Apache-2.0 */
/* The chat template of a folder and the special tokens that it may name, as transformers 5.23 finds
 * them: chat_template.jinja goes before chat_template of tokenizer_config.json, which is a text or,
 * as older versions write it, a list of named ones, of which "default" counts. */
#include "model/folder_settings.h"
#include "tokenizer/class_rules.h"

/* A token: a text, or an object with one as its content. A token that is null is none. */
static alcore_status read_token(const alcore__part *object, const char *name, alcore__name *out) {
    alcore__json value;
    *out = ALCORE__CHAT_NOT_NAMED;
    if (alcore__json_find(&object->value, name, &value)) *out = (alcore__name){0};
    return alcore__class_rules_read_name(object, name, out);
}

/* The template "default" of a list. */
static alcore_status read_list(alcore__part *list, alcore__name *out) {
    alcore__part entry;
    alcore__part_enter(list);
    while (alcore__part_next(list, &entry)) {
        alcore__name name = {0};
        if (alcore__json_kind(&entry.value) != '{')
            return alcore__part_fail(list, ALCORE_E_DATA, "an entry of chat_template is no object");
        ALCORE__TRY(alcore__part_text(&entry, "name", &name));
        if (alcore__name_is(name, "default"))
            ALCORE__TRY(alcore__part_text(&entry, "template", out));
    }
    return alcore__part_leave(list);
}

alcore_status alcore__folder_chat_read(const alcore__part *object, alcore__folder_chat *out) {
    alcore__part member;
    ALCORE__TRY(read_token(object, "bos_token", &out->tokens.bos));
    ALCORE__TRY(read_token(object, "eos_token", &out->tokens.eos));
    ALCORE__TRY(read_token(object, "unk_token", &out->tokens.unk));
    ALCORE__TRY(read_token(object, "pad_token", &out->tokens.pad));
    if (out->program.text || !alcore__part_member(object, "chat_template", &member))
        return ALCORE_OK;
    out->file = "tokenizer_config.json";
    if (alcore__json_kind(&member.value) == '[') return read_list(&member, &out->program);
    return alcore__part_string(&member, &out->program);
}
