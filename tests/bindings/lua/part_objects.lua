-- SPDX-License-Identifier: Apache-2.0
-- Failures, misuse and the lives of objects. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local fixture = require("fixture")
local case, equal, list, contains, raises, fails =
    tap.case, tap.equal, tap.list, tap.contains, tap.raises, tap.fails
local TEXTS, U, E, request, many, scratch, full =
    fixture.TEXTS, fixture.U, fixture.E, fixture.request, fixture.many, fixture.scratch, fixture.full

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

case("an option that a function does not know is refused, with the nearest name", function()
    local pool, file = assert(alcore.pool(TEXTS)), os.tmpname()
    local lines = {"a b", "c d"}
    raises('pool: there is no option "dedupp"; did you mean dedup?', alcore.pool, TEXTS, {dedupp = "none"})
    raises('pool: there is no option "languages "; did you mean languages?', alcore.pool, TEXTS, {["languages "] = {}})
    raises('pool:add: there is no option "refrences"; did you mean references?', pool.add, pool, TEXTS, {refrences = TEXTS})
    raises('pool:read: there is no option "formt"; did you mean format?', pool.read, pool, file, {formt = "tsv"})
    raises('pool:filter: there is no option "min_word"; did you mean min_words?', pool.filter, pool, {min_word = 3})
    raises('context: there is no option "thread"; did you mean threads?', alcore.context, {thread = 2})
    raises('phrases: there is no option "max_n"; the options are max_words, min_count', alcore.phrases, TEXTS, {max_n = 2})
    raises('lm: there is no option "ordre"; did you mean order?', alcore.lm, TEXTS, {ordre = 2})
    raises('read_lm: there is no option "x"; the options are context', alcore.read_lm, file, {x = 1})
    raises('ngram: there is no option "dim"; did you mean dims?', alcore.ngram, {dim = 4})
    raises('open: there is no option "dtyp"; did you mean dtype?', alcore.open, file, {dtyp = "float32"})
    raises('matrix: there is no option "meanings"; did you mean meaning?', alcore.matrix, {1, 2}, {meanings = "logits"})
    raises('ragged: there is no option "row"; did you mean rows?', alcore.ragged, {{1}, {2}}, {row = {1}})
    raises('file: there is no option "offset"; did you mean offsets?', alcore.file, file, {offset = file})
    raises('metrics.bleu: there is no option "tokeniser"; did you mean tokenizer?', alcore.metrics.bleu, lines, lines,
        {tokeniser = "13a"})
    raises('metrics.chrf: there is no option "sentence"; did you mean sentences?', alcore.metrics.chrf, lines, lines,
        {sentence = true})
    raises('metrics.labels: there is no option "scheme"; the options are words, by, context', alcore.metrics.labels, lines, lines,
        {scheme = "iob2"})
    raises('metrics.spans: there is no option "shceme"; did you mean scheme?', alcore.metrics.spans, {"O"}, {"O"},
        {shceme = "iob2"})
    raises('metrics.wilcoxon: there is no option "alternative"', alcore.metrics.wilcoxon, {1, 2}, nil, {alternative = 1})
    raises("lm: options have names, this one is a number", alcore.lm, TEXTS, {3})
    raises(("x"):rep(5000), alcore.lm, TEXTS, {[("x"):rep(5000)] = 1})
    equal(#pool, #TEXTS) -- nothing was added before the options were refused
    os.remove(file)
end)

case("the value of an option has the type of the option", function()
    local lines, pool = {"a b", "c d"}, assert(alcore.pool(TEXTS))
    raises("table expected, got number", alcore.lm, TEXTS, 3)
    raises("table expected, got string", alcore.metrics.bleu, lines, lines, "13a")
    raises("smoothing_value: a number expected, got string", alcore.metrics.bleu, lines, lines, {smoothing_value = "0.1"})
    raises("text_column: a string expected, got number", pool.read, pool, "absent.tsv", {text_column = 5})
    raises("order: an integer expected, got table", alcore.lm, TEXTS, {order = {}})
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

case("what the library offers is listed", function()
    equal(alcore.version:match("^%d+%.%d+%.%d+[%w-]*$"), alcore.version)
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
    contains(assert(alcore.select{texts = TEXTS, budget = 1, strategy = "huds", scores = U, embeddings = E, lambda = 0.25}).provenance,
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
        function() return alcore.aligner({{"a", "b"}}) end,
        function() return alcore.annotations(assert(alcore.pool({"a"}))) end,
        function() return alcore.mix({annotations = assert(alcore.annotations(assert(alcore.pool({"a"}))))}) end,
        function() return alcore.align({{"a", "b"}}, {context = alcore.context()}) end,
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
