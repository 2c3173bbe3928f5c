-- SPDX-License-Identifier: Apache-2.0
-- Selections and their options. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local fixture = require("fixture")
local vectors = require("vectors")
local case, equal, list, contains, raises, fails =
    tap.case, tap.equal, tap.list, tap.contains, tap.raises, tap.fails
local TEXTS, U, E, request, many, scratch =
    fixture.TEXTS, fixture.U, fixture.E, fixture.request, fixture.many, fixture.scratch

case("the vector of the specification comes out, counted from 1", function()
    local picked = assert(alcore.select(request()))
    list(picked.indices, {8, 6, 5, 7})
    list(picked.rows0, {7, 5, 4, 6})
    equal(TEXTS[picked.indices[1]], "o")
    list(picked.texts, {"o", "j", "h i", "k l m n"})
    list(assert(alcore.select(request{lambda = 0})).indices, {8, 7, 6, 5})
    list(assert(alcore.select(request{lambda = 0.9})).indices, {6, 5, 8, 2})
    list(assert(alcore.select(request{lambda = 1})).indices, {5, 6, 1, 2})
    list(assert(alcore.select(request{rescale = "minmax"})).indices, {6, 5, 8, 7})
    list(assert(alcore.select(request{params = {lambda = "0.9"}})).indices, {6, 5, 8, 2})
end)

case("a selection tells the unit of its budget and the price of a unit", function()
    local picked = assert(alcore.select(request{budget = {4, 9}, price = "0.5CHF/w"}))
    equal(picked.unit, "items")
    equal(picked.unit_price.amount, 0.5)
    equal(picked.unit_price.currency, "CHF")
    equal(picked.unit_price.unit, "words")
    local plain = assert(alcore.select(request{budget = "4c", price = "2/u"}))
    equal(plain.unit, "characters")
    equal(plain.unit_price.currency, nil)
    equal(plain.unit_price.unit, "units")
    equal(assert(alcore.select(request())).unit_price, nil)
    local strategy = assert(alcore.strategy("huds", {lambda = {0.5, 0.25}}))
    list(strategy:numbers("lambda"), {0.5, 0.25})
    fails("ALCORE_E_PARAM", "n_strata is no list of numbers", strategy:numbers("n_strata"))
end)

case("without a strategy the recommended one selects", function()
    local name = alcore.recommended_strategy()
    equal(alcore.about(name), alcore.about("recommended"))
    local named = assert(alcore.select{texts = many(9), budget = 3, strategy = name, masks = "all"})
    contains(named.provenance, '"strategy":"' .. name .. '","recommended":false')
    for _, strategy in ipairs{false, "recommended"} do
        local picked = assert(alcore.select{texts = many(9), budget = 3, strategy = strategy or nil})
        list(picked.indices, named.indices)
        contains(picked.provenance, '"strategy":"' .. name .. '","recommended":true')
        contains(picked.summary, "recommended strategy " .. name .. " (may change in a minor release), round 1")
    end
end)

case("a schedule is a list: one value per round, the last one stays", function()
    for round, expected in ipairs{{8, 7, 6, 5}, {6, 5, 8, 2}, {6, 5, 8, 2}} do
        list(assert(alcore.select(request{lambda = {0, 0.9}, round = round})).indices, expected)
    end
end)

case("a selection says everything about its picks", function()
    local ids = {"i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8"}
    local picked = assert(alcore.select(request{ids = ids}))
    equal(#picked, 4)
    equal(picked.count, 4)
    list(picked.ids, {"i8", "i6", "i5", "i7"})
    equal(picked.scores[1], 2.25)
    equal(#picked.costs, 4)
    equal(picked.costs[4], 1)
    equal(picked.spent, 4)
    equal(picked.short, false)
    contains(picked.reasons[1], "stratum 4 of 4")
    equal(picked.records.u[1], 4.5)
    equal(#picked.records.stratum, 4)
    equal(#assert(picked:column("u", "candidates")), 8)
    contains(table.concat(picked:column_names("candidates"), " "), "rank")
    contains(picked.provenance, '"strategy":"huds"')
    contains(picked.summary, "4")
    equal(picked.indices, picked.indices, "the list is made once")
    equal(picked.pool:text(8), "o")
    contains(tostring(picked), "alcore.selection")
    fails("ALCORE_E_NOT_FOUND", "nothing", picked:column("nothing"))
    raises("picks candidates", picked.column, picked, "u", "pick")
    raises("no field 'indexes'", function() return picked.indexes end)
    assert(alcore.select(request{budget = 100}).short)
end)

case("picks come out of an iterator", function()
    local picked = assert(alcore.select(request()))
    local ranks = 0
    for rank, pick in picked:each() do
        ranks = ranks + 1
        equal(rank, ranks)
        equal(pick.index, picked.indices[rank])
        equal(pick.row0, pick.index - 1)
        equal(pick.text, TEXTS[pick.index])
        equal(pick.id, tostring(pick.index))
        equal(pick.score, picked.scores[rank])
        equal(pick.cost, 1)
        equal(pick.reason, picked.reasons[rank])
    end
    equal(ranks, 4)
end)

case("a selection is written to a file", function()
    local picked = assert(alcore.select(request()))
    local path = scratch .. "/picked.tsv"
    equal(picked:write(path), picked)
    local file = assert(io.open(path))
    local text = file:read("*a")
    file:close()
    contains(text, "rank\tindex\tid\tscore\tcost")
    contains(text, "\n1\t7\t8\t2.25\t")
    equal(picked:report(scratch .. "/report.md"), picked)
    fails("ALCORE_E_IO", "no-such", picked:write(scratch .. "/no-such/folder.tsv"))
end)

case("rounds: a pool keeps its columns and what is labeled", function()
    local pool = assert(alcore.pool(TEXTS))
    equal(#pool, 8)
    equal(pool:set_column("scores", U), pool)
    assert(pool:set_column("embeddings", E))
    list(pool.columns, {"scores", "embeddings"})
    local seen = {}
    for round = 1, 3 do
        local picked = assert(pool:select{budget = 3, strategy = "huds", n_strata = 4, round = round})
        for _, pick in picked:each() do
            assert(not seen[pick.index], "a row was picked twice")
            seen[pick.index] = true
        end
        equal(pool:mark_labeled(picked), pool)
        equal(picked.short, round == 3)
    end
    equal(pool:count_state("labeled"), 8)
    equal(pool:count_state(), 0)
    assert(pool:unmark("labeled", {1, "2"}))
    equal(pool:count_state(), 2)
    equal(pool:state(1, "labeled"), false)
    list(pool:state(3), {"labeled"})
end)

case("same-ratio follows the languages of another selection, gold picks from the targets", function()
    local one = vectors.cases(vectors.find("multilingual", "TV-SAMERATIO"))[1]
    local texts = {}
    for row = 1, #one.input.languages do texts[row] = "text " .. row end
    local pool = assert(alcore.pool(texts, {languages = one.input.languages}))
    local by = {budget = 5, strategy = "same-ratio", seed = 42, like = {1, 6, 8, 9, 10}}
    local picked = assert(pool:select(by))
    local wanted = {}
    for rank, row in ipairs(one.expected.picks) do wanted[rank] = row + 1 end
    list(picked.indices, wanted)
    by.like = picked -- has the same languages
    list(assert(pool:select(by)).indices, wanted)
    by.strategy = "random"
    fails("ALCORE_E_INVALID", "strategy random does not follow the languages of another selection", pool:select(by))
    raises("like: there is no row 14", pool.select, pool, {budget = 1, strategy = "same-ratio", like = {14}})
    by = {budget = 3, strategy = "gold", targets = {"x", "y", "z", "w"}}
    picked = assert(pool:select(by))
    local alone = assert(alcore.select{texts = by.targets, budget = 3, strategy = "gold"})
    list(picked.indices, alone.indices)
    list(picked.texts, alone.texts)
end)

case("exclude, eligible and labeled hold as they say", function()
    local pool = assert(alcore.pool(TEXTS))
    local by = {budget = 8, strategy = "random", exclude = {1, 2}}
    equal(#assert(pool:select(by)), 6)
    equal(pool:count_state(), 8, "exclude is of one call")
    by = {budget = 8, strategy = "random", eligible = {"3", 4, 5}}
    local picked = assert(pool:select(by))
    table.sort(picked.indices)
    list(picked.indices, {3, 4, 5})
    equal(pool:count_state(), 8, "eligible is of one call")
    equal(#assert(pool:select{budget = 8, strategy = "random", labeled = {1, 2, 3}}), 5)
    equal(pool:count_state("labeled"), 0, "labeled is of one call")
    equal(#assert(pool:select{budget = 8, strategy = "random", labeled = {"o", "j", "new"}}), 6)
    raises("budget: a number, or a text", pool.select, pool, {budget = true, strategy = "random"})
    raises("labeled: there is no row 9", pool.select, pool, {budget = 1, strategy = "random", labeled = {9}})
    fails("ALCORE_E_INVALID", "strategy random does not read the target, but these do: average-dist",
        pool:select{budget = 1, strategy = "random", targets = {"new"}})
    raises("there is no row 9", pool.select, pool, {budget = 1, strategy = "random", exclude = {9}})
    fails("ALCORE_E_NOT_FOUND", "x", pool:select{budget = 1, strategy = "random", exclude = {"x"}})
    fails("ALCORE_E_NOT_FOUND", "no row 98", pool:mark("excluded", {99})) -- the library counts from 0
    equal(pool:count_state("excluded"), 0)
end)

case("exclude, eligible and labeled may be a file of ids", function()
    local pool = assert(alcore.pool(TEXTS))
    local path = fixture.scratch .. "/earlier.tsv"
    local function write(name, text)
        local file = assert(io.open(fixture.scratch .. "/" .. name, "w"))
        file:write(text)
        file:close()
        return fixture.scratch .. "/" .. name
    end
    local function sorted(by)
        local indices = assert(pool:select(by)).indices
        table.sort(indices)
        return indices
    end
    local earlier = assert(pool:select{budget = 3, strategy = "random", eligible = {2, 4, 7}})
    assert(earlier:write(path))
    list(sorted{budget = 8, strategy = "random", exclude = path}, {1, 3, 5, 6, 8})
    list(sorted{budget = 8, strategy = "random", eligible = path}, {2, 4, 7})
    list(sorted{budget = 8, strategy = "random", labeled = path}, {1, 3, 5, 6, 8})
    equal(pool:count_state(), 8, "the pool stays as it is")
    local ids = write("ids.txt", "3\n99\n")
    equal(#assert(pool:select{budget = 8, strategy = "random", exclude = ids}), 7) -- an id that is not there is out already
    fails("ALCORE_E_NOT_FOUND", "ids.txt:2: the pool has no id '99'", pool:select{budget = 8, strategy = "random", eligible = ids})
    fails("ALCORE_E_IO", "nowhere", pool:select{budget = 8, strategy = "random", exclude = fixture.scratch .. "/nowhere"})
    -- The id of a phrase excludes its text.
    local texts = {"severe headache was reported", "severe headache"}
    local bought = assert(alcore.select{texts = texts, budget = "2w", strategy = "ngf-smp"})
    equal(bought.texts[1], "severe headache")
    assert(bought:write(path))
    assert(assert(alcore.select{texts = texts, budget = "2w", strategy = "ngf-smp", exclude = path}).texts[1] ~= "severe headache")
end)

case("several budgets are spent from the same scores", function()
    local picked = assert(alcore.select(request{budget = {2, 4}, price = "2EUR/i"}))
    equal(picked.budget, 2)
    equal(picked.price, 4)
    equal(#picked.by_budget, 2)
    equal(#picked.by_budget[1], 2)
    list(picked.by_budget[2].indices, {8, 6, 5, 7})
    equal(picked.by_budget[2].texts[1], picked.texts[1])
    equal(assert(alcore.select(request())).price, nil)
    fails("ALCORE_E_PARAM", "max_similarity", alcore.select(request{spread = 0.5}))
    local words = assert(alcore.select{texts = TEXTS, strategy = "random", budget = "3w"})
    if words.spent > 3 then assert(words.summary:find('hint: fill = "skip" stays within the budget', 1, true)) end
end)

case("a failure says what would help, in Lua's terms", function()
    fails("ALCORE_E_PARAM", 'the request has no budget; budget = "1000w" buys items worth 1000 words',
        alcore.select{texts = TEXTS, strategy = "random"})
    fails("ALCORE_E_DATA", 'is NaN; nan = "exclude" leaves such rows out',
        alcore.select{texts = {"a", "b"}, budget = 1, strategy = "nnll", scores = {0.1, 0 / 0}})
    fails("ALCORE_E_MISSING", "needs a target; targets = ... is the unlabeled text",
        alcore.select{texts = TEXTS, budget = 1, strategy = "average-dist"})
    fails("ALCORE_E_INVALID", '; strategy = "average-dist" is one of them',
        alcore.select{texts = TEXTS, budget = 1, strategy = "random", targets = {"new"}})
    -- A scorer has no such option, and the next failure does not keep the remedy of the one before.
    local pool = assert(alcore.pool{"a", "b"})
    assert(pool:set_column("logprobs", alcore.ragged{{-1}, {0 / 0}}))
    local _, message, code = assert(alcore.scorer("nnll")):run(pool)
    equal(code, "ALCORE_E_DATA")
    equal(message:find("exclude", 1, true), nil)
    -- A failure inside a function of the caller's comes out with its remedy, once.
    _, message = alcore.select{texts = TEXTS, budget = 1, strategy = function()
        return alcore.select{texts = TEXTS, strategy = "random", context = assert(alcore.context())}
    end}
    equal(message, 'the request has no budget; budget = "1000w" buys items worth 1000 words')
end)

case("candidates are drawn as the library draws them", function()
    local pool = assert(alcore.pool(many(100)))
    local rows = assert(pool:candidates(10, 1, 42))
    equal(#rows, 10)
    for i = 2, 10 do assert(rows[i] > rows[i - 1]) end
    list(assert(pool:candidates(10, 1, 42)), rows)
    assert(table.concat(assert(pool:candidates(10, 2, 42)), " ") ~= table.concat(rows, " "))
    equal(#assert(pool:candidates(1000)), 100)
end)

-- TV-DRAW (spec 1.7): random, round 1, seed 42, 5 of 0..9.
case("seeds: numbers below 2^53, from there on strings", function()
    local texts = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
    local function draw(seed)
        return alcore.select{texts = texts, budget = 5, strategy = "random", seed = seed}
    end
    list(assert(draw(42)).rows0, {7, 3, 2, 4, 0})
    list(assert(draw("42")).rows0, {7, 3, 2, 4, 0})
    contains(assert(draw(9007199254740991)).provenance, '"seed":9007199254740991')
    raises("from 2^53 on", draw, 9007199254740993) -- which some read as 2^53
    raises("from 2^53 on", draw, 2 ^ 53)
    raises("from 2^53 on", draw, 2 ^ 63)
    raises("from 2^53 on", alcore.context, {seed = 9007199254740993})
    raises("from 2^53 on", alcore.ngram, {seed = 9007199254740993})
    raises("from 2^53 on", alcore.pool(texts).candidates, alcore.pool(texts), 1, 1, 9007199254740993)
    contains(assert(draw("9007199254740993")).provenance, '"seed":9007199254740993')
    contains(assert(draw("18446744073709551615")).provenance, '"seed":18446744073709551615')
    fails("ALCORE_E_PARAM", "seed", draw("18446744073709551616"))
    fails("ALCORE_E_PARAM", "seed", draw(1.5))
    contains(assert(alcore.select{texts = texts, budget = 1, strategy = "random",
        context = assert(alcore.context{seed = "123456789012345678"})}).provenance, "123456789012345678")
    raises("2^64", alcore.context, {seed = "18446744073709551616"})
end)
