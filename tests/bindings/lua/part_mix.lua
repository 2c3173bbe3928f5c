-- SPDX-License-Identifier: Apache-2.0
-- Annotations, oracles and training sets: the vectors of the specification, files, what cannot be.
local alcore = require("alcore")
local fixture = require("fixture")
local vectors = require("vectors")
local tap = require("tap")
local case, equal, raises, fails = tap.case, tap.equal, tap.raises, tap.fails

local function put_file(name, text)
    local path = fixture.scratch .. "/" .. name
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

local TEXTS = {"the patient has severe headache", "the patient was treated", "the patient has fever"}

local function links_of(lines)
    local list = {}
    for pair, line in ipairs(lines) do
        list[pair] = {}
        for i, j in line:gmatch("(%d+)%-(%d+)") do list[pair][#list[pair] + 1] = {i + 1, j + 1} end
    end
    return assert(alcore.links(list))
end

case("TV-ORACLE: translations from aligned references", function()
    for _, known in ipairs(vectors.cases(vectors.find("phrases", "TV-ORACLE"))) do
        local given = known.input
        local pool = assert(alcore.pool(given.sources, {references = given.targets, dedup = "none"}))
        local items = assert(assert(alcore.annotations(pool)):add({given.phrase}, {kinds = {"phrase"}}))
        assert(items:simulate(links_of(given.links)))
        local how = known.expected.how
        equal(items:get(1).status, how == "extracted" and "ok" or how, known.name)
        if how ~= "untranslatable" then equal(items:get(1).translation, known.expected.translation, known.name) end
        equal(items.refunded > 0, how == "untranslatable", known.name)
    end
end)

case("labeled pairs are aligned together with the pool of the oracle", function()
    local pool = assert(alcore.pool({"haus rot"}, {references = {"red house"}}))
    local labeled = assert(alcore.pool({"rot", "rot rot", "haus"}, {references = {"red", "red red", "house"}}))
    local items
    for _, known in ipairs({{false, "house"}, {labeled, "red"}}) do
        items = assert(assert(alcore.annotations(pool)):add({"rot"}, {kinds = {"phrase"}}))
        assert(items:simulate(nil, known[1] or nil))
        equal(items:get(1).translation, known[2])
    end
    fails("ALCORE_E_INVALID", "one of both is needed", items:simulate(links_of({"0-0"}), labeled))
end)

case("TV-MIX: whole training sets", function()
    local seen = 0
    for _, known in ipairs(vectors.cases(vectors.find("mixing", "TV-MIX"))) do
        local given, sources, targets = known.input, {}, {}
        for i, pair in ipairs(given.labeled) do sources[i], targets[i] = pair[1], pair[2] end
        local labeled = assert(alcore.pool(sources, {references = targets, dedup = "none"}))
        local pool = assert(alcore.pool(given.pool, {dedup = "none"}))
        assert(labeled:set_column("embeddings", given.labeled_vectors))
        assert(pool:set_column("embeddings", given.pool_vectors))
        local items = assert(alcore.annotations(pool))
        for _, item in ipairs(given.items) do
            local translation = type(item.translation) == "string" and item.translation or nil
            assert(items:add({item.text}, {kinds = {item.kind}, rows = {item.row + 1}, translations = {translation or false}}))
        end
        local set = assert(alcore.mix({labeled = labeled, pool = pool, annotations = items, links = links_of(given.links),
            kind = given.kind, count = given.count, span = given.span, seed = given.seed, round = given.round, k = given.k,
            unique = given.unique == 1, norm = given.norm == 1, upsample_phrase = given.upsample}))
        equal(#set, #known.expected.kind, known.name)
        local rows, words = assert(set:column("labeled_row")), assert(set:column("word"))
        for i, kind in ipairs(known.expected.kind) do
            local pair = set:get(i)
            equal(pair.kind, kind, known.name)
            equal(pair.source, known.expected.src[i], known.name)
            equal(pair.target, known.expected.tgt[i], known.name)
            equal(rows[i], known.expected.labeled_row[i] + 1, known.name)
            equal(words[i], known.expected.word[i] + 1, known.name)
        end
        seen = seen + 1
    end
    assert(seen > 10)
end)

case("annotations: items, files, a dictionary", function()
    local pool = assert(alcore.pool(TEXTS))
    local items = assert(alcore.annotations(pool))
    equal(#items, 0)
    assert(items:add({TEXTS[2], "fever"}, {kinds = {"sent", "phrase"}, ids = {"a", "b"}, rows = {2, 0}, costs = {2, 0.5},
                                          translations = {"x", false}}))
    equal(items:get(1).row, 2)
    equal(items:get(2).row, nil)
    equal(items:get(2).translation, nil)
    equal(items.spent, 2.5)
    local file = put_file("dictionary.tsv", "fever\tFieber\n")
    assert(items:look_up(file))
    equal(items:get(2).translation, "Fieber")
    local out = fixture.scratch .. "/answers.tsv"
    assert(items:write(out))
    local again = assert(alcore.annotations(pool))
    assert(again:add({TEXTS[2], "fever"}, {kinds = {"sent", "phrase"}, ids = {"a", "b"}}))
    assert(again:write_requests(fixture.scratch .. "/requests.jsonl", "jsonl"))
    assert(again:read_answers(out))
    equal(again:get(1).translation, "x")
    local selection = put_file("selection.tsv", "id\ttext\n2\t" .. TEXTS[2] .. "\n")
    assert(again:read_selection(selection))
    equal(#again, 3)
    assert(again:read_answers(put_file("more.tsv", "id\ttranslation\tstatus\nb\t\tignore\nz\tx\t\n")))
    local report = assert(again:answer_report())
    equal(report.lines, 2)
    equal(report.skipped, 1)
    equal(report.unusable, 1)
    equal(report.messages:find('no selected item has the id "z"', 1, true) ~= nil, true)
    fails("ALCORE_E_DATA", "bad.tsv:1", again:read_answers(put_file("bad.tsv", "q\tr\n")))
    raises("item 9: there are 3", function() again:get(9) end)
    raises("rows: 1 were given for 2 texts", function() again:add({"a", "b"}, {rows = {1}}) end)
    raises("kind", function() again:add({"a"}, {kind = {"sent"}}) end)
end)

case("annotations: a selection and answers in memory", function()
    local pool = assert(alcore.pool(TEXTS))
    local picked = assert(pool:select({budget = 2, strategy = "random", seed = 1}))
    local items = assert(assert(alcore.annotations(pool)):add_selection(picked))
    equal(#items, 2)
    equal(items:get(1).text, picked.texts[1])
    equal(items:get(1).row, picked.indices[1])
    assert(items:answer({"eins", false}))
    equal(items:get(1).translation, "eins")
    equal(items:get(2).status, "open")
    assert(items:answer({"zwei"}, {items = {2}}))
    equal(items:get(2).translation, "zwei")
    assert(items:answer({false, "1"}, {ids = {items:get(2).id, items:get(1).id}, statuses = {"skip", false}}))
    equal(items:get(2).status, "skipped")
    local report = assert(items:answer_report())
    equal(report.corrected, 2)
    assert(report.messages:find("answer 0: corrects the item", 1, true))
    fails("ALCORE_E_DATA", "answer 0: there is no item 8 of 2", items:answer({"x"}, {items = {9}}))
    raises("translations: 1 were given for 2 items", function() items:answer({"x"}) end)
    raises("ids: 1 were given for 2 answers", function() items:answer({"x", "y"}, {ids = {"1"}}) end)
    local other = assert(alcore.pool({"quite another text"}))
    fails("ALCORE_E_DATA", "the selection was made from another pool",
          items:add_selection(assert(other:select({budget = 1, strategy = "random"}))))
    local set = assert(alcore.mix({pool = pool, annotations = items, kind = "none"}))
    equal(set:get(1).target, "1")
end)

case("a training set: what is made, files, what cannot be", function()
    local pool = assert(alcore.pool(TEXTS))
    local items = assert(alcore.annotations(pool))
    assert(items:add({"fever"}, {kinds = {"phrase"}, translations = {"Fieber"}}))
    local labeled = assert(alcore.pool({"it was late", "a serious flaw"}, {references = {"es war spaet", "ein Fehler"}}))
    local lm = assert(alcore.lm(TEXTS))
    local set = assert(alcore.mix({labeled = labeled, pool = pool, annotations = items, kind = "contextualized", count = 2, lm = lm}))
    equal(set.count, 2)
    equal(set.missing, 1)
    assert(set.summary:find("language model: given", 1, true))
    assert(set.provenance:find('"missing":1', 1, true))
    equal(set:get(2).source:sub(-6), " fever")
    equal(#alcore.mix_columns(), 7)
    equal(#set:column("score"), 2)
    assert(set:write(fixture.scratch .. "/train.tsv"))
    assert(set:write_parallel(fixture.scratch .. "/train"))
    fails("ALCORE_E_NOT_FOUND", "rows", set:column("rows"))
    local function drawn(subset)
        return assert(alcore.mix({labeled = labeled, pool = pool, kind = "random", count = 2, subset = subset})).count
    end
    equal(drawn(), 2)
    equal(drawn(1), 1, "pairs are drawn from a sample of one pair")
    fails("ALCORE_E_PARAM", "kind", alcore.mix({kind = "swich"}))
    raises("labelled", function() alcore.mix({labelled = labeled}) end)
end)
