-- SPDX-License-Identifier: Apache-2.0
-- The Lua module, run under every Lua: usage: lua test_alcore.lua SCRATCH-FOLDER
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path
local tap = require("tap")
local alcore = require("alcore")
local case, equal, list, contains, raises, fails =
    tap.case, tap.equal, tap.list, tap.contains, tap.raises, tap.fails
local scratch = assert(arg[1], "usage: test_alcore.lua SCRATCH-FOLDER")
local full = os.getenv("ALCORE_TEST_FULL")

-- TV-HUDS of the specification (spec 3.5): eight rows, four strata; picks there are C rows.
local TEXTS = {"a", "b c", "d e f", "g", "h i", "j", "k l m n", "o"}
local U = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5}
local E = {{1, 0}, {0, 1}, {3, 4}, {4, 3}, {1, 0}, {-1, 0}, {2, 0}, {2, 0}}

local function request(more)
    local what = {texts = TEXTS, budget = 4, strategy = "huds", n_strata = 4, scores = U, embeddings = E}
    for name, value in pairs(more or {}) do what[name] = value end
    return what
end

local function many(count)
    local texts = {}
    for i = 1, count do texts[i] = "text number " .. i .. " of a pool" end
    return texts
end

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

case("rounds: a pool keeps its columns and what is labelled", function()
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
    equal(pool:count_state("labeled"), 3, "labels stay")
    equal(#assert(pool:select{budget = 8, strategy = "random", labeled = {"o", "j", "new"}}), 3)
    raises("there is no row 9", pool.select, pool, {budget = 1, strategy = "random", exclude = {9}})
    fails("ALCORE_E_NOT_FOUND", "x", pool:select{budget = 1, strategy = "random", exclude = {"x"}})
    fails("ALCORE_E_NOT_FOUND", "no row 98", pool:mark("excluded", {99})) -- the library counts from 0
    equal(pool:count_state("excluded"), 0)
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

case("failures of the library are nil, message, code", function()
    fails("ALCORE_E_PARAM", "did you mean huds", alcore.select(request{strategy = "hud"}))
    fails("ALCORE_E_PARAM", "lambda", alcore.select(request{lambda = 2}))
    fails("ALCORE_E_PARAM", "did you mean lambda", alcore.select(request{lamda = 0.5}))
    fails("ALCORE_E_PARAM", "budget", alcore.select(request{budget = "many"}))
    fails("ALCORE_E_SHAPE", "8 rows", alcore.select(request{scores = {1, 2}}))
    fails("ALCORE_E_DATA", "row 2", alcore.select(request{scores = {1, 2, 0 / 0, 4, 5, 6, 7, 8}}))
    fails("ALCORE_E_IO", "missing", alcore.pool():read(scratch .. "/missing.txt"))
    fails("ALCORE_E_NOT_FOUND", "nobody", alcore.pool(TEXTS):find("nobody"))
    fails("ALCORE_E_DATA", "UTF-8", alcore.pool{"fine", "\255"})
    fails("ALCORE_E_MISSING", "probs", alcore.select{texts = TEXTS, budget = 1, strategy = "entropy"})
end)

case("misuse raises, and says where", function()
    raises("'texts' or 'pool' is needed", alcore.select, {budget = 1})
    raises("table expected", alcore.select, "texts")
    raises("texts[2]: a string expected, got number", alcore.select, {texts = {"a", 2}, budget = 1})
    raises("fields have names", alcore.select, {texts = TEXTS, budget = 1, "entropy"})
    raises("row 2 has 1 numbers", alcore.select, request{embeddings = {{1, 2}, {1}}})
    raises("a number expected, got string", alcore.select, request{scores = {1, "2"}})
    raises("'ids' goes with 'texts'", alcore.select, {pool = alcore.pool(TEXTS), ids = TEXTS, budget = 1})
    raises("ids: 9 entries for 8 texts", alcore.select, request{ids = {1, 2, 3, 4, 5, 6, 7, 8, 9}})
    raises("budget: a string, number", alcore.select, request{budget = print})
    raises("exact normalized none", alcore.pool, TEXTS, {dedup = "exactly"})
    raises("indices count from 1", alcore.pool(TEXTS).mark_labeled, alcore.pool(TEXTS), {0})
    raises("alcore.pool expected", alcore.pool().read, alcore.context(), "x")
    raises("another context", alcore.select,
        {pool = alcore.pool(TEXTS), labeled = alcore.pool({"x"}, {context = alcore.context()}), budget = 1})
end)

case("objects are userdata whose metatables nobody changes", function()
    local context = assert(alcore.context())
    local pool = assert(alcore.pool(TEXTS, {context = context}))
    local objects = {
        {"context", context, function(self) return self.threads end},
        {"pool", pool, function(self) return #self end},
        {"column_writer", assert(pool:column("scores")), function(self) return self:missing() end},
        {"selection", assert(pool:select{budget = 1, strategy = "random"}), function(self) return self.indices end},
        {"strategy", assert(alcore.strategy("random")), function(self) return self:set("a", 1) or true end},
        {"scorer", assert(alcore.scorer(function() return {} end)), function(self) return self:set("a", 1) or true end},
        {"model", assert(alcore.ngram()), function(self) return self.name end},
        {"lm", assert(alcore.lm{"a b"}), function(self) return self.order end},
    }
    for _, entry in ipairs(objects) do
        local name, object, use = "alcore." .. entry[1], entry[2], entry[3]
        equal(type(object), "userdata")
        equal(getmetatable(object), name)
        raises("", setmetatable, object, {})
        contains(tostring(object), name .. ": ")
        raises("no field 'nothing'", function() return object.nothing end)
        raises("", function() object.own = 1 end)
        assert(use(object))
        object:close()
        equal(tostring(object), name .. " (closed)")
        raises("this " .. name .. " is closed", use, object)
        object:close()
    end
end)

case("what an object was made from may be closed before it", function()
    local context = assert(alcore.context{threads = 1})
    local pool = assert(alcore.pool(TEXTS, {context = context}))
    local model = assert(alcore.model{context = context, embed = function(batch)
        local rows = {}
        for i, index in ipairs(batch.indices) do rows[i] = E[index] end
        return rows
    end})
    local strategy = assert(alcore.strategy(function(view)
        local scores = {}
        for i, text in ipairs(view:texts()) do scores[i] = #text end
        return scores
    end, nil, context))
    context:close()
    collectgarbage()
    local picked = assert(pool:select{budget = 1, strategy = strategy, model = model})
    strategy:close()
    model:close()
    local writer = assert(pool:column("embeddings"))
    pool:close()
    collectgarbage()
    assert(writer:put({1}, {{1, 2}}))
    equal(#writer:missing(), 7)
    writer:close()
    list(picked.texts, {"k l m n"})
    local kept = picked.pool
    picked:close()
    collectgarbage()
    equal(kept:text(7), "k l m n") -- a new object of the handle that the selection kept
end)

case("closing is final, and twice is fine", function()
    local pool = assert(alcore.pool(TEXTS))
    local picked = assert(pool:select{budget = 1, strategy = "random"})
    pool:close()
    pool:close()
    raises("closed", pool.text, pool, 1)
    contains(tostring(pool), "closed")
    equal(#picked.texts, 1, "a selection keeps what it needs")
    equal(picked.pool:text(1), "a")
    raises("closed", alcore.select, {pool = pool, budget = 1})
end)

if _VERSION == "Lua 5.4" then
    case("a variable that is <close> gives back its handle", function()
        local chunk = [[
            local alcore = ...
            local kept
            do
                local pool <close> = alcore.pool{"a"}
                kept = pool
            end
            return kept]]
        contains(tostring(assert(load(chunk))(alcore)), "closed")
    end)
end

case("records carry ids, languages, groups, references and costs", function()
    local pool = assert(alcore.pool({"ein Text", "a text", "no"}, {
        ids = {"x", nil, "z"}, languages = {"de", "en"}, groups = {[2] = "news"},
        references = {"a text"}, cost = {2.5, 0, 1},
    }))
    equal(pool:id(1), "x")
    equal(pool:id(2), "2")
    equal(pool:find("z"), 3)
    equal(pool:language(1), "de")
    equal(pool:language(3), "unknown")
    equal(pool:group(1), nil)
    equal(pool:group(2), "news")
    equal(pool:reference(1), "a text")
    equal(pool:cost(1), 2.5)
    equal(pool:words(1), 2)
    equal(pool:words(9), nil)
    equal(pool:text(9), nil)
    equal(pool:id(0), nil)
    assert(pool:add({"more words here"}, {ids = {"w"}}))
    equal(pool:find("w"), 4)
    assert(pool:filter{min_words = 3})
    equal(pool:count_state("filtered"), 3)
    list(pool:state(1), {"filtered"})
    assert(pool:write({4, "x"}, scratch .. "/rows.tsv"))
end)

case("pools are read from files", function()
    local path = scratch .. "/pool.tsv"
    local file = assert(io.open(path, "w"))
    file:write("id\ttext\nq\tone two\nr\tthree\n")
    file:close()
    local pool = assert(alcore.pool())
    equal(pool:read(path), pool)
    equal(#pool, 2)
    equal(pool:text(2), "three")
    fails("ALCORE_E_DATA", "nope", alcore.pool():read(path, {format = "tsv", text_column = "nope"}))
    raises("format", pool.read, pool, path, {format = "xls"})
end)

-- Little-endian float32 of numbers that it holds exactly, without string.pack (5.3 and later).
local function packed(numbers)
    local bytes = {}
    for i, number in ipairs(numbers) do
        local sign, mantissa, exponent = 0, 0, 0
        if number ~= 0 then
            if number < 0 then sign, number = 128, -number end
            exponent = 127
            while number >= 2 do number, exponent = number / 2, exponent + 1 end
            while number < 1 do number, exponent = number * 2, exponent - 1 end
            mantissa = (number - 1) * 2 ^ 23
        end
        bytes[i] = string.char(mantissa % 256, math.floor(mantissa / 256) % 256,
            math.floor(mantissa / 65536) + (exponent % 2) * 128, sign + math.floor(exponent / 2))
    end
    return table.concat(bytes)
end

local function flat(rows)
    local numbers = {}
    for _, row in ipairs(rows) do
        for _, number in ipairs(row) do numbers[#numbers + 1] = number end
    end
    return numbers
end

case("matrices come from tables, packed strings and files", function()
    local vectors = alcore.matrix(packed(flat(E)), "float32", {8, 2})
    equal(tostring(vectors), "alcore.array: 8 x 2")
    list(assert(alcore.select(request{embeddings = vectors})).indices, {8, 6, 5, 7})
    local scores = alcore.matrix(packed(U), "float32", {8})
    list(assert(alcore.select(request{embeddings = alcore.matrix(E), scores = scores})).indices, {8, 6, 5, 7})
    local path = scratch .. "/e.npy"
    local head = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 2), }"
    head = head .. (" "):rep(118 - 1 - #head) .. "\n"
    local file = assert(io.open(path, "wb"))
    file:write("\147NUMPY\1\0", string.char(#head, 0), head, packed(flat(E)))
    file:close()
    list(assert(alcore.select(request{embeddings = alcore.file(path)})).indices, {8, 6, 5, 7})
    fails("ALCORE_E_IO", "none.npy", alcore.select(request{embeddings = alcore.file(scratch .. "/none.npy")}))
    if string.pack then
        local doubles = {}
        for i, number in ipairs(flat(E)) do doubles[i] = string.pack("<d", number) end
        vectors = alcore.matrix(table.concat(doubles), "float64", {8, 2})
        list(assert(alcore.select(request{embeddings = vectors})).indices, {8, 6, 5, 7})
    end
    local halves = "" -- 1.0 is 0x3c00 as float16 and 0x3f80 as bfloat16
    for _ = 1, 7 do halves = halves .. "\0\0" end
    local one = alcore.matrix(halves .. "\0\60", "float16", {8})
    list(assert(alcore.select{texts = TEXTS, budget = 1, strategy = "nnll", scores = one}).indices, {8})
    one = alcore.matrix(halves .. "\128\63", "bfloat16", {8})
    list(assert(alcore.select{texts = TEXTS, budget = 1, strategy = "nnll", scores = one}).indices, {8})
    raises("64", alcore.matrix, packed(flat(E)), "float32", {8, 3})
    raises("bfloat16", alcore.matrix, "x", "float8", {1})
    raises("dtype", alcore.matrix, "1234", nil, {1})
    raises("shape", alcore.matrix, "1234", "float32", {1, 1, 1})
    raises("got boolean", alcore.matrix, true)
    local pool = assert(alcore.pool(TEXTS))
    assert(pool:set_column("embeddings", vectors))
    equal(assert(pool:get_column("embeddings"))[3][2], 4)
    assert(pool:write_column("embeddings", scratch .. "/out.npy"))
    assert(pool:drop_column("embeddings"))
    fails("ALCORE_E_NOT_FOUND", "embeddings", pool:get_column("embeddings"))
end)

case("what the numbers mean is said once", function()
    local confidence = {}
    for i, u in ipairs(U) do confidence[i] = 1 - u end
    list(assert(alcore.select(request{scores = alcore.matrix(confidence, {meaning = "confidence"})})).indices,
        {8, 6, 5, 7})
    local by_row = alcore.matrix({0.5, 4.5}, {rows = {1, 8}})
    fails("ALCORE_E_", "row", (function(first, message, code)
        return first, message, code:sub(1, 9)
    end)(alcore.select{texts = TEXTS, budget = 1, strategy = "nnll", scores = by_row}))
    raises("uncertainty confidence", alcore.matrix, U, {meaning = "certainty"})
end)

case("ragged arrays have rows of different lengths", function()
    local rows = {{-1}, {-2, -1}, {-1, -1, -4}, {-3}, {-1, -2}, {-1}, {-1, -1, -1, -1}, {-5}}
    local values, lengths = flat(rows), {1, 2, 3, 1, 2, 1, 4, 1}
    local by_list = alcore.ragged(rows)
    equal(tostring(by_list), "alcore.array: ragged, 8 rows, 15 values")
    local wanted = {texts = TEXTS, budget = 3, strategy = "nnll", logprobs = by_list}
    list(assert(alcore.select(wanted)).indices, {8, 4, 3})
    wanted.logprobs = rows
    list(assert(alcore.select(wanted)).indices, {8, 4, 3})
    wanted.logprobs = alcore.ragged(values, lengths)
    list(assert(alcore.select(wanted)).indices, {8, 4, 3})
    wanted.logprobs = alcore.ragged(alcore.matrix(packed(values), "float32", {15}), lengths)
    list(assert(alcore.select(wanted)).indices, {8, 4, 3})
    raises("they sum to 14", alcore.ragged, values, {1, 2, 3, 1, 2, 1, 4})
    raises("lengths", alcore.ragged, values, {16})
    local pool = assert(alcore.pool(TEXTS))
    assert(pool:set_column("logprobs", by_list))
    equal(#assert(pool:get_column("logprobs"))[3], 3)
    assert(pool:set_column("token_probs", alcore.ragged{{{0.5, 0.5}}, {{1, 0}, {0, 1}}, {}, {}, {}, {}, {}, {}}))
    equal(assert(pool:get_column("token_probs"))[2][2][2], 1)
end)

local ffi = type(jit) == "table" and require("ffi")
if ffi then
    case("LuaJIT's arrays and pointers are matrices", function()
        local vectors = ffi.new("float[8][2]", E)
        list(assert(alcore.select(request{embeddings = alcore.matrix(vectors, "float32", {8, 2})})).indices,
            {8, 6, 5, 7})
        local scores = ffi.new("double[?]", 8, U)
        list(assert(alcore.select(request{scores = alcore.matrix(scores, nil, {8})})).indices, {8, 6, 5, 7})
        local pointer = ffi.cast("const double *", scores)
        list(assert(alcore.select(request{scores = alcore.matrix(pointer, nil, {8})})).indices, {8, 6, 5, 7})
        local address = tonumber(ffi.cast("uintptr_t", ffi.cast("void *", scores)))
        list(assert(alcore.select(request{scores = alcore.matrix(address, "float64", {8})})).indices, {8, 6, 5, 7})
        raises("holds float64, not float32", alcore.matrix, scores, "float32", {8})
        raises("72", alcore.matrix, scores, "float64", {9})
    end)
end

case("the column writer takes rows in any order", function()
    local pool = assert(alcore.pool(TEXTS))
    local writer = assert(pool:column("embeddings"))
    equal(writer:put({8, 7}, {E[8], E[7]}), writer)
    list(writer:missing(), {1, 2, 3, 4, 5, 6})
    fails("ALCORE_E_MISSING", "6", writer:finish())
    fails("ALCORE_E_SHAPE", "2", writer:put({1}, {{1, 2, 3}}))
    for i = 1, 6 do assert(writer:put({i}, {E[i]})) end
    assert(writer:put({1}, {{9, 9}}))
    equal(writer:repeats(), 1)
    equal(writer:finish(), writer)
    fails("ALCORE_E_INVALID", "finished", writer:put({1}, {E[1]}))
    equal(assert(pool:get_column("embeddings"))[1][1], 1)
    local tokens = assert(pool:column("logprobs", "ragged"))
    assert(tokens:put({2, 1}, {{-1, -2}, {-3}}))
    raises("shape of 'own'", pool.column, pool, "own")
    assert(tokens:put({3, 4}, {-1, -2, -3}, {2, 1}))
    raises("2 rows and 1 lengths", tokens.put, tokens, {5, 6}, {-1}, {1})
    assert(tokens:save(scratch .. "/part"))
    local other = assert(pool:column("logprobs", "ragged"))
    assert(other:merge(scratch .. "/part"))
    equal(#other:missing(), 4)
    assert(other:finish("mask"))
    equal(pool:count_state("missing"), 4)
    raises("ragged_dense", pool.column, pool, "x", "square")
end)

case("a model of own functions answers for the texts it is given", function()
    local asked = 0
    local model = assert(alcore.model{
        name = "own", batch_rows = 3,
        embed = function(batch)
            asked = asked + batch.count
            assert(batch.count <= 3 and #batch.texts == batch.count and #batch.languages == batch.count)
            local rows = {}
            for i, index in ipairs(batch.indices) do
                equal(batch.texts[i], TEXTS[index])
                rows[i] = E[index]
            end
            return rows
        end,
        token_logprobs = function(batch)
            local rows = {}
            for i, index in ipairs(batch.indices) do rows[i] = {-U[index]} end
            return rows
        end,
    })
    equal(model.name, "own")
    equal(model:can("embeddings"), true)
    equal(model:can("probs"), false)
    local wanted = request{model = model}
    wanted.scores, wanted.embeddings = nil, nil
    local picked = assert(alcore.select(wanted))
    list(picked.indices, {8, 6, 5, 7})
    equal(asked, 8)
    contains(picked.provenance, "own")
    local pool = assert(alcore.pool(TEXTS))
    equal(model:run(pool, "embeddings"), pool)
    fails("ALCORE_E_UNSUPPORTED", "probs", model:run(pool, "probs"))
end)

case("what a model's function does wrong comes out of the call", function()
    local pool = assert(alcore.pool(TEXTS))
    local function run(f)
        return assert(alcore.model{embed = f}):run(pool, "embeddings")
    end
    raises("gave 1 rows for 8 texts", run, function() return {{1}} end)
    raises("returned nothing", run, function() end)
    raises("a list of numbers", run, function() return "text" end)
    raises("row 2 has 2 numbers", run, function() return {{1}, {1, 2}} end)
    fails("ALCORE_E_CALLBACK", "the encoder is gone", run(function() return nil, "the encoder is gone" end))
    fails("ALCORE_E_UNSUPPORTED", "later", run(function() return nil, "later", "ALCORE_E_UNSUPPORTED" end))
    raises("embed: a function expected, got string", alcore.model, {embed = "bert"})
end)

case("the built-in model and language models", function()
    local pool = assert(alcore.pool(many(30)))
    local model = assert(alcore.ngram{order = 2, dims = 16, seed = 7})
    assert(model:run(pool, "embeddings"))
    equal(#assert(pool:column_rows("embeddings", {30, "1"}))[2], 16)
    local lm = assert(alcore.lm({"a b", "a c"}, {order = 2}))
    equal(lm.order, 2)
    equal(#assert(lm:tokens("a b a")), 4)
    assert(lm:score("a b") < 0)
    assert(lm:write(scratch .. "/lm.arpa"))
    local difference = assert(alcore.read_lm(scratch .. "/lm.arpa")):score("a b") - lm:score("a b")
    assert(math.abs(difference) < 1e-6)
    fails("ALCORE_E_DATA", "sentence", alcore.lm{})
    fails("ALCORE_E_IO", "nowhere", alcore.open(scratch .. "/nowhere"))
end)

case("an own strategy is a function of the view", function()
    local seen
    local longest = function(view)
        seen = {count = #view, round = view:round(), budget = view:budget(), first = view:random(1)}
        list(view:indices(), {1, 2, 3, 4, 5, 6, 7, 8})
        equal(#view:costs(), 8)
        equal(view:pool():text(3), "d e f")
        equal(view:labeled_pool(), nil)
        list(view:labeled(), {})
        local scores = {}
        for i, text in ipairs(view:texts()) do scores[i] = #text end
        return scores
    end
    local picked = assert(alcore.select{texts = TEXTS, budget = 2, strategy = longest, round = 4, seed = 5})
    list(picked.indices, {7, 3})
    equal(seen.count, 8)
    equal(seen.round, 4)
    equal(seen.budget, 2)
    assert(seen.first >= 0 and seen.first < 1)
    local order = {name = "backwards", needs = {"scores", "embeddings"}, choose = function(view)
        equal(view:column("scores")[8], 4.5)
        equal(view:column("embeddings")[3][2], 4)
        return {8, 7, 2}, "order"
    end}
    local found = assert(alcore.select{texts = TEXTS, budget = "6w", fill = "stop", strategy = order,
        scores = U, embeddings = E})
    list(found.indices, {8, 7})
    contains(found.provenance, "backwards")
    fails("ALCORE_E_SHAPE", "", alcore.select{texts = TEXTS, budget = 1, strategy = function() return {1} end})
    fails("ALCORE_E_DATA", "", alcore.select{texts = TEXTS, budget = 1,
        strategy = function() return {1, 1}, "order" end})
    raises("choose: a function expected", alcore.strategy, {name = "x"})
end)

case("functions may be called from a hot loop", function()
    local sum = 0
    for i = 1, 300 do
        sum = sum + assert(alcore.select{texts = {"a", "bb", "ccc"}, budget = 1, strategy = function(view)
            local scores = {}
            for k, text in ipairs(view:texts()) do scores[k] = -#text end
            return scores
        end}).indices[1]
    end
    equal(sum, 300)
end)

case("a view is over when its function returns", function()
    local kept
    assert(alcore.select{texts = TEXTS, budget = 1, strategy = function(view)
        kept = view
        return {1, 2, 3, 4, 5, 6, 7, 8}
    end})
    raises("this view is over", function() return kept:count() end)
    kept = nil
    pcall(alcore.select, {texts = TEXTS, budget = 1, strategy = function(view)
        kept = view
        error("out")
    end})
    raises("this view is over", function() return kept:count() end)
end)

case("an own scorer fills the column of scores", function()
    local pool = assert(alcore.pool(TEXTS))
    local scorer = assert(alcore.scorer(function(view)
        local scores = {}
        for i, text in ipairs(view:texts()) do scores[i] = #text end
        return scores
    end))
    equal(scorer:run(pool), pool)
    equal(assert(pool:get_column("scores"))[7], 7)
    list(assert(pool:select{budget = 1, strategy = "nnll"}).indices, {7})
    local short = assert(alcore.scorer{name = "short", score = function() return {1} end})
    raises("gave 1 numbers for 8", short.run, short, pool)
    local named = assert(alcore.scorer(alcore.scorers()[1]))
    fails("ALCORE_E_PARAM", "", named:set("nothing", 1))
    fails("ALCORE_E_PARAM", "", alcore.scorer("nothing"))
end)

case("errors of callbacks come back intact", function()
    local thrown = setmetatable({}, {__tostring = function() return "a table" end})
    local function failing() error(thrown) end
    local ok, found = pcall(alcore.select, {texts = TEXTS, budget = 1, strategy = failing})
    equal(ok, false)
    equal(found, thrown)
    ok, found = pcall(function()
        return assert(alcore.model{embed = failing}):run(alcore.pool(TEXTS), "embeddings")
    end)
    equal(found, thrown)
    ok, found = pcall(function() return assert(alcore.scorer(failing)):run(alcore.pool(TEXTS)) end)
    equal(found, thrown)
    -- Deep inside, in a coroutine, with a nested call of the library.
    local thread = coroutine.create(function()
        return pcall(alcore.select, {texts = TEXTS, budget = 1, strategy = function()
            assert(alcore.select{texts = {"x"}, budget = 1, strategy = "random"})
            return alcore.select{texts = {"y"}, budget = 1, strategy = failing}
        end})
    end)
    local alive, inner_ok, inner = coroutine.resume(thread)
    equal(alive, true)
    equal(inner_ok, false)
    equal(inner, thrown)
    raises("yield", alcore.select, {texts = TEXTS, budget = 1, strategy = function() coroutine.yield() end})
    -- And the context works on.
    equal(#assert(alcore.select(request())), 4)
end)

case("progress is told, stops a call and may raise", function()
    local texts = many(20000)
    local stages = 0
    local function spec(progress)
        return {texts = texts, budget = 10, strategy = "huds", progress = progress}
    end
    assert(alcore.select(spec(function(stage, done, total)
        equal(type(stage), "string")
        equal(type(done), "number")
        assert(total == nil or total >= 0)
        stages = stages + 1
    end)))
    assert(stages > 0, "a call of this length reports")
    fails("ALCORE_E_CANCELLED", "", alcore.select(spec(function() return false end)))
    local thrown = {}
    local ok, found = pcall(alcore.select, spec(function() error(thrown) end))
    equal(ok, false)
    equal(found, thrown)
    local context = assert(alcore.context{threads = 1, progress = function() return false end})
    equal(context.threads, 1)
    local stopped = spec()
    stopped.context = context
    fails("ALCORE_E_CANCELLED", "", alcore.select(stopped))
    context:on_progress(nil)
    equal(#assert(alcore.select(stopped)), 10)
    raises("progress: a function expected", alcore.select, spec("bar"))
    -- A handle in use is neither closed nor changed.
    local pool = assert(alcore.pool(texts))
    local busy
    raises("under way", pool.select, pool, {budget = 1, progress = function()
        busy = select(3, pool:mark("excluded", {1}))
        pool:close()
    end})
    equal(busy, "ALCORE_E_BUSY")
end)

case("cancelling holds until it is cleared", function()
    local context = assert(alcore.context())
    local pool = assert(alcore.pool(TEXTS, {context = context}))
    context:cancel()
    fails("ALCORE_E_CANCELLED", "", pool:select{budget = 1, strategy = "random"})
    context:cancel_clear()
    equal(#assert(pool:select{budget = 1, strategy = "random"}), 1)
end)

case("the log is a function, and may raise", function()
    local lines = {}
    local context = assert(alcore.context{log = function(level, component, message)
        lines[#lines + 1] = component .. ": " .. message
        equal(type(level), "number")
    end})
    assert(alcore.select{texts = many(20), budget = 1, context = context})
    contains(table.concat(lines, "\n"), "the built-in n-gram model")
    context:on_log(function() error("full disk") end)
    raises("full disk", alcore.select, {texts = many(20), budget = 1, context = context})
    equal(context:device("cpu"), true)
    fails("ALCORE_E_UNSUPPORTED", "", (function(a, b) return a, b, "ALCORE_E_UNSUPPORTED" end)(context:device("abacus")))
end)

case("what the library offers is listed", function()
    equal(alcore.version:match("^%d+%.%d+%.%d+$"), alcore.version)
    assert(#alcore.strategies() > 5 and #alcore.scorers() > 0)
    for _, name in ipairs(alcore.strategies()) do
        assert(#alcore.about(name) > 0)
        for _, param in ipairs(assert(alcore.params(name))) do
            assert(param.name and param.help and param.default and param.type ~= "")
        end
    end
    for _, name in ipairs(alcore.scorers()) do assert(alcore.scorer_params(name)) end
    local seen = {}
    for _, option in ipairs(alcore.params()) do seen[option.name] = option end
    equal(seen.fill.choices, "overshoot|stop|skip")
    contains(table.concat(alcore.needs("huds"), " "), "embeddings")
    equal(#alcore.needs("random", "labeled"), 0)
    fails("ALCORE_E_PARAM", "did you mean", alcore.params("hudz"))
    contains(table.concat(alcore.devices(), " "), "cpu")
    equal(alcore.feature("nothing known"), nil)
    contains(alcore.build_info(), "{")
    contains(assert(alcore.select{texts = TEXTS, budget = 1, scores = U, embeddings = E, lambda = 0.25}).provenance,
        '"strategy":"huds"')
end)

case("nothing and very much", function()
    equal(#assert(alcore.select{texts = {}, budget = 5, strategy = "random"}), 0)
    equal(#assert(alcore.select{texts = {""}, budget = 5, strategy = "random"}), 0)
    equal(#assert(alcore.select{texts = TEXTS, budget = 0, strategy = "random"}), 0)
    local one = ("w "):rep(full and 8000000 or 500000)
    local picked = assert(alcore.select{texts = {one, "x"}, budget = "1w", strategy = "random", seed = 1})
    assert(#picked >= 1)
    local texts = many(full and 1000000 or 50000)
    picked = assert(alcore.select{texts = texts, budget = #texts, strategy = "random"})
    equal(#picked.indices, #texts)
    fails("ALCORE_E_DATA", "NUL", alcore.pool{"nul\0inside"})
end)

case("objects may be collected in any order", function()
    math.randomseed(tonumber(os.getenv("ALCORE_TEST_SEED")) or 1)
    local makers, kept = {}, {}
    local function pick() return makers[math.random(#makers)]() end
    makers = {
        function() return alcore.context() end,
        function() return alcore.pool({"a", "b", "c"}) end,
        function() return alcore.pool({"a", "b"}, {context = alcore.context()}) end,
        function()
            return alcore.select{texts = {"a", "b", "c"}, budget = 1, strategy = "random"}
        end,
        function()
            return alcore.select{texts = {"a", "b"}, budget = 1, strategy = function() return {1, 2} end}
        end,
        function() return alcore.strategy("random") end,
        function() return alcore.strategy(function() return {} end) end,
        function() return alcore.scorer(function() return {} end) end,
        function() return alcore.model{embed = function() return {} end} end,
        function() return alcore.ngram{labeled = alcore.pool{"x y"}} end,
        function() return alcore.pool({"a"}):column("scores", "scalar") end,
        function() return alcore.pool({"a"}):select{budget = 1, strategy = "random"}.pool end,
    }
    for i = 1, 10000 do
        local at = math.random(200)
        local old = kept[at]
        kept[at] = assert(pick())
        if old and math.random(3) == 1 then old:close() end
        if i % 1000 == 0 then collectgarbage() end
    end
    kept = nil
    collectgarbage()
    collectgarbage()
end)

tap.done()
