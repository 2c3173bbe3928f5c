-- SPDX-License-Identifier: Apache-2.0
-- Tokenizers: ids and spans, pairs, options, decoding, what cannot be.
local alcore = require("alcore")
local tap = require("tap")
local case, equal, raises, fails = tap.case, tap.equal, tap.raises, tap.fails

local TOKENS = {"[UNK]", "[CLS]", "[SEP]", "sel", "##ect", "words", "!"}

local function opened()
    local path = os.tmpname()
    os.remove(path)
    path = path .. ".txt"
    local file = assert(io.open(path, "w"))
    file:write(table.concat(TOKENS, "\n"), "\n")
    file:close()
    local tokenizer = assert(alcore.tokenizer(path))
    os.remove(path)
    return tokenizer
end

local function ids_of(tokens, text) return table.concat(assert(tokens:get(text)).ids, " ") end

case("texts become tokens and texts again", function()
    local tokenizer = opened()
    local tokens = assert(tokenizer:encode({"Select words!", ""}))
    equal(#tokenizer, #TOKENS)
    equal(tokens.count, 2)
    equal(ids_of(tokens, 1), "1 3 4 5 6 2")
    equal(ids_of(tokens, 2), "1 2")
    local first, parts = tokens:get(1), {}
    for i = 1, #first.ids do parts[i] = ("Select words!"):sub(first.first[i], first.last[i]) end
    equal(table.concat(parts, ","), ",Sel,ect,words,!,")
    equal(first.special[1] and first.word[2] and not first.word[3] and not first.special[2], true)
    equal(tokenizer:decode(first.ids), "select words!")
    equal(tokenizer:decode(first.ids, true), "[CLS] select words! [SEP]")
    local long = {}
    for i = 1, 1000 do long[i] = 5 end
    equal(#tokenizer:decode(long), 5999)
end)

case("every option changes the tokens", function()
    local tokenizer = opened()
    local texts = {"select words"}
    equal(ids_of(assert(tokenizer:encode(texts, {without_special = true})), 1), "3 4 5")
    equal(ids_of(assert(tokenizer:encode(texts, {max_tokens = 3})), 1), "1 3 2")
    local both = assert(tokenizer:encode(texts, {pairs = {"words"}}))
    equal(ids_of(both, 1), "1 3 4 5 2 5 2")
    equal(table.concat(both:get(1).types, " "), "0 0 0 0 0 1 1")
    equal(ids_of(assert(tokenizer:encode(texts, {as_target = true})), 1), "1 3 4 5 2")
    fails("ALCORE_E_PARAM", "deu_Latn", tokenizer:encode(texts, {language = "deu_Latn"}))
end)

case("tokens by name and number", function()
    local tokenizer = opened()
    for id, token in ipairs(TOKENS) do
        equal(tokenizer:token(id - 1), token)
        equal(tokenizer:id(token), id - 1)
    end
    equal(tokenizer:id("x"), nil)
    fails("ALCORE_E_NOT_FOUND", "99", tokenizer:token(99))
end)

case("a vocabulary is trained, or the package is named that it needs", function()
    local path, found = os.tmpname(), os.execute("command -v spm_train >/dev/null 2>&1")
    if os.getenv("ALCORE_PRELOAD") then return end -- a sanitizer that is preloaded finds fault with other programs too
    local texts = {}
    for i = 1, 200 do texts[i] = "text number " .. i end
    if found == true or found == 0 then
        local tokenizer = assert(alcore.train_tokenizer(texts, path .. ".model", {tokens = 40, kind = "bpe", coverage = 1}))
        equal(#tokenizer, 40)
        equal(tokenizer:token(3), "<unk>")
        os.remove(path .. ".model")
    else
        fails("ALCORE_E_UNSUPPORTED", "the package sentencepiece", alcore.train_tokenizer(texts, path .. ".model"))
    end
    os.remove(path)
    fails("ALCORE_E_PARAM", "tokens is 2", alcore.train_tokenizer(texts, path, {tokens = 2}))
    fails("ALCORE_E_DATA", "no text has a character", alcore.train_tokenizer({" "}, path))
    raises("kind: one of unigram bpe expected", function() alcore.train_tokenizer(texts, path, {kind = "words"}) end)
    raises("vocabulary", function() alcore.train_tokenizer(texts, path, {vocabulary = 3}) end)
end)

case("what cannot be", function()
    local tokenizer = opened()
    fails("ALCORE_E_IO", "no tokenizer here", alcore.tokenizer("no/such/folder"))
    raises("pairs: 1 texts, but there are 2", function() tokenizer:encode({"a", "b"}, {pairs = {"c"}}) end)
    raises("text 2: there are 1 texts", function() assert(tokenizer:encode({"a"})):get(2) end)
    raises("an id", function() tokenizer:decode({"a"}) end)
end)
