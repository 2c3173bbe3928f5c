-- SPDX-License-Identifier: Apache-2.0
-- Models, strategies, scorers and reports that are Lua functions. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local fixture = require("fixture")
local vectors = require("vectors")
local case, equal, list, contains, raises, fails =
    tap.case, tap.equal, tap.list, tap.contains, tap.raises, tap.fails
local TEXTS, U, E, request, many, scratch =
    fixture.TEXTS, fixture.U, fixture.E, fixture.request, fixture.many, fixture.scratch

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

case("texts through a model of a module", function()
    -- The null module, whose answers tests/unit/model/test_model_texts.c and Python's
    -- test_models.py check.
    local context = assert(alcore.context{module_dir = os.getenv("NULL_MODEL_MODULE")})
    local function write(name, text)
        local file = assert(io.open(scratch .. "/" .. name, "w"))
        file:write(text)
        file:close()
    end
    write("config.json", '{"dims": 3, "tokens": 1}')
    write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nfever\nno\n")
    local model = assert(alcore.open(scratch, {context = context}))
    equal(model.info.family, "null")
    equal(model.info.dims, 3)
    equal(model.info.translates, true)
    equal(model.info.prompt, nil)
    local asked = assert(alcore.open(scratch, {context = context, prompt = "no "}))
    equal(asked.info.prompt, "no ")
    list(assert(asked:embed({"fever"}))[1], assert(model:embed({"no fever"}))[1])
    fails("ALCORE_E_PARAM", "it has none", alcore.open(scratch, {context = context, prompt_name = "query"}))
    write("config.json", '{"dims": 3, "tokens": 1, "model_type": "bert"}')
    list(assert(alcore.open(scratch, {context = context})).info.warnings,
        {"config.json: the key 'dims' is not known and not obeyed", "config.json: the key 'tokens' is not known and not obeyed"})
    write("config.json", '{"dims": 3, "tokens": 1}')
    local vectors_of = assert(model:embed({"a fever", "", "no fever", "a fever"}))
    equal(#vectors_of, 4)
    list(vectors_of[1], vectors_of[4])
    equal(vectors_of[2][1] ~= vectors_of[2][1], true)
    list(assert(model:translate({"a fever", "no fever", "a fever"})), {"fever a", "fever no", "fever a"})
    local pool = assert(alcore.pool({"a fever", "no"}, {references = {"no", "no fever"}, context = context}))
    local out = assert(model:translate(pool, {beams = 2, max_tokens = 8, sample = true, seed = 3}))
    equal(out:text(1), "fever a")
    equal(#assert(out:get_column("logprobs"))[1], 2)
    fails("ALCORE_E_PARAM", "beams is 65", model:translate(pool, {beams = 65}))
    raises("model:translate", model.translate, model, pool, {beam = 2})
    local trained = assert(model:train(pool, {schedule = "linear", updates = 3, rate = 0.001, seed = 4,
        precision = "float16", recompute = true}))
    equal(trained.updates, 3)
    equal(trained.loss, 0)
    equal(trained.stopped, false)
    equal(trained.best_update, 0)
    equal(trained.trained_parameters, 30)
    equal(trained.parameters, 30)
    equal(assert(model:train(pool, {updates = 1, lora_rank = 2})).trained_parameters, 6)
    local measured = assert(model:train(pool, {updates = 9, validation = pool, validate_every = 2, metric = "loss", patience = 2,
        optimizer = "adam", beta1 = 0.5}))
    equal(measured.best_update, 2)
    equal(measured.updates, 6)
    equal(measured.stopped, true)
    assert(measured.best_value > 0)
    fails("ALCORE_E_PARAM", "patience", model:train(pool, {patience = 1}))
    fails("ALCORE_E_NOT_FOUND", "weight", model:train(pool, {weights = "weight"}))
    raises("different contexts", model.train, model, pool, {validation = assert(alcore.pool({"a"}))})
    fails("ALCORE_E_PARAM", "updates", model:train(pool, {updates = -1}))
    raises("model:train", model.train, model, pool, {update = 1})
    equal(model:save(scratch), model)
    fails("ALCORE_E_IO", "nowhere", model:save("/nowhere/else"))
    local scored = assert(model:score({"a fever", "no"}, {"no", "no fever"}))
    equal(#scored[1], 3)
    equal(#scored[2], 4)
    equal(model:score(pool), pool)
    list(assert(pool:get_column("logprobs"))[2], scored[2])
    list(assert(pool:column_rows("logprobs", {2, 1}))[1], scored[2])
    raises("different contexts", model.score, model, assert(alcore.pool({"a"})))
    -- A model for each column.
    write("config.json", '{"dims": 5, "calls": 1}')
    local other = assert(alcore.open(scratch, {context = context}))
    pool:drop_column("logprobs")
    assert(alcore.select{pool = pool, budget = 1, strategy = "huds", model = {embeddings = other, logprobs = model}})
    equal(#assert(pool:column_rows("embeddings", {1}))[1], 5)
    fails("ALCORE_E_UNSUPPORTED", "cannot make the column",
        alcore.select{pool = pool, budget = 1, strategy = "huds", model = {logprobs = other}})
    raises("names of columns", alcore.select, {pool = pool, budget = 1, strategy = "huds", model = {other}})
    os.remove(scratch .. "/config.json")
    os.remove(scratch .. "/vocab.txt")
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
    equal(#lm.fingerprint, 16)
    contains(assert(alcore.select{texts = {"a b"}, budget = 1, strategy = "nnll", model = assert(alcore.lm_model(lm))}).provenance,
        "fingerprint " .. lm.fingerprint)
    equal(assert(alcore.lm({"a c", "a b"}, {order = 2})).fingerprint, lm.fingerprint)
    assert(assert(alcore.lm({"a c", "a b"}, {order = 1})).fingerprint ~= lm.fingerprint)
    -- The counts are too few, so that these are the discounts of any order.
    equal(assert(alcore.lm({"a b", "a c"}, {order = 2, discounts = {0.5, 1, 1.5}})).fingerprint, lm.fingerprint)
    assert(assert(alcore.lm({"a b", "a c"}, {order = 2, discounts = {0.5, 1, 1.5, 0.4, 1, 1}})).fingerprint ~= lm.fingerprint)
    tap.fails("ALCORE_E_PARAM", "2 discounts; 3 are needed", alcore.lm({"a"}, {discounts = {1, 2}}))
    assert(lm:write(scratch .. "/lm.arpa"))
    local difference = assert(alcore.read_lm(scratch .. "/lm.arpa")):score("a b") - lm:score("a b")
    assert(math.abs(difference) < 1e-6)
    fails("ALCORE_E_DATA", "sentence", alcore.lm{})
    fails("ALCORE_E_IO", "nowhere", alcore.open(scratch .. "/nowhere"))
    local totals = lm:score{"a b", "", "b a"}
    equal(#totals, 3)
    equal(totals[1], lm:score("a b"))
    local all = lm:tokens{"a b", "", "b a"}
    equal(#all, 3)
    equal(#all[2], 1)
    list(all[3], lm:tokens("b a"))
    local scored = assert(alcore.pool{"a b", "b a", "a a b"})
    assert(assert(alcore.lm_model(lm)):run(scored, "logprobs"))
    fails("ALCORE_E_PARAM", "layer is -2", alcore.open(scratch .. "/nowhere", {layer = -2}))
    raises("dtype: one of float32 bfloat16 float16", alcore.open, scratch, {dtype = "float8"})
    raises("pooling: one of auto mean", alcore.open, scratch, {pooling = "median"})
    raises("layer: an integer of at most 31 bits", alcore.open, scratch, {layer = 2^40})
end)

case("TV-LM: n-grams of each order", function()
    local vector = vectors.find("language-model", "TV-LM")
    local lm = assert(alcore.lm(vector.input.texts, {order = 4}))
    local expected = vectors.cases(vector)[1].expected.ngrams
    equal(#expected, 4)
    for order, count in ipairs(expected) do equal(lm:ngrams(order), count) end
    for _, order in ipairs{0, -1, 5, 2 ^ 32 + 1} do equal(lm:ngrams(order), 0) end
    raises("order: an integer expected", lm.ngrams, lm, "2")
end)

case("parameters are read back", function()
    local strategy = assert(alcore.strategy("huds", {lambda = 0.1}))
    equal(strategy:get("lambda"), "0.1")
    assert(strategy:set("n_strata", 7))
    equal(strategy:get("n_strata"), "7")
    fails("ALCORE_E_PARAM", "lambda", strategy:get("lamda"))
    equal(assert(alcore.scorer("margin", {margin = "log"})):get("margin"), "log")
end)

case("a model that says its version is asked again when it changed", function()
    local asked, version = 0, 1
    local model = assert(alcore.model{
        name = "trained", version = function() return version end,
        embed = function(batch)
            asked = asked + 1
            local rows = {}
            for i, index in ipairs(batch.indices) do rows[i] = E[index] end
            return rows
        end,
    })
    local pool = assert(alcore.pool(TEXTS))
    local function select() return assert(pool:select{budget = 4, strategy = "diversity-global", model = model}) end
    select()
    select()
    equal(asked, 1)
    version = 2
    select()
    equal(asked, 2)
end)

case("a cache spares a model that has a name", function()
    local asked = 0
    local function select(age)
        local model = assert(alcore.model{
            name = "kept", version = function() return 1 end,
            embed = function(batch)
                asked = asked + 1
                local rows = {}
                for i, index in ipairs(batch.indices) do rows[i] = E[index] end
                return rows
            end,
        })
        local picked = assert(alcore.select{texts = TEXTS, budget = 4, strategy = "diversity-global", model = model,
            cache = scratch .. "/kept", cache_max_age = age})
        return table.concat(picked.indices, " ")
    end
    local first = select()
    equal(asked, 1)
    equal(select(), first)
    equal(asked, 1)
    equal(select(3600), first)
    equal(asked, 1)
    equal(select(0), first) -- written more than no time ago
    equal(asked, 2)
end)

case("the means of the first tokens of words", function()
    local states = {{{9, -9}, {1, 0.5}, {7, 7}, {2, -0.25}, {8, 8}}, {{3, 3}}}
    local means = assert(alcore.first_subword_mean(states, {-1, 0, 0, 1, -1, -1}))
    equal(table.concat(means[1], " "), "1.5 0.125")
    equal(means[2][1] ~= means[2][1], true)
    local packed = alcore.matrix{{1, 2}, {3, 4}, {5, 6}}
    means = assert(alcore.first_subword_mean(packed, {0, 1, 1}, {lengths = {2, 1}}))
    equal(means[1][1], 2)
    equal(means[2][2], 6)
    tap.fails("ALCORE_E_SHAPE", "words has 2 entries", alcore.first_subword_mean(packed, {0, 1}, {lengths = {2, 1}}))
    raises("lengths", alcore.first_subword_mean, packed, {0, 1, 1})
    raises("number 2 is no integer", alcore.first_subword_mean, packed, {0, 0.5, 1}, {lengths = {2, 1}})
end)

case("scores of earlier rounds stand in for new ones", function()
    local asked
    local function select(round, age)
        asked = 0
        local model = assert(alcore.model{
            name = "trained", version = function() return round end,
            token_logprobs = function(batch)
                local rows = {}
                for i, index in ipairs(batch.indices) do rows[i] = {-index / (round + 1)} end
                asked = asked + #rows
                return rows
            end,
        })
        return assert(alcore.select{texts = TEXTS, budget = 1, strategy = "nnll", model = model, round = round,
            cache = scratch .. "/rounds", max_age = age, refresh_factor = 2})
    end
    select(1, 1)
    equal(asked, #TEXTS)
    select(2, 1)
    equal(asked, 2)
    select(3, 0)
    equal(asked, #TEXTS)
end)

case("a model keeps what it computes without a selection", function()
    local asked = 0
    local function embed(folder, age)
        local model = assert(alcore.model{
            name = "kept", version = function() return 1 end,
            embed = function(batch)
                asked = asked + 1
                local rows = {}
                for i, index in ipairs(batch.indices) do rows[i] = E[index] end
                return rows
            end,
        })
        return assert(model:set_cache(folder, age)):run(assert(alcore.pool(TEXTS)), "embeddings")
    end
    for _ = 1, 2 do assert(embed(scratch .. "/alone")) end
    equal(asked, 1)
    assert(embed(scratch .. "/alone", 0))
    equal(asked, 2)
    assert(embed(nil))
    equal(asked, 3)
    tap.fails("ALCORE_E_PARAM", "max_age", assert(alcore.ngram()):set_cache(scratch, -1))
end)

case("an own strategy is a function of the view", function()
    local seen
    local longest = function(view)
        seen = {count = #view, round = view:round(), budget = view:budget(), first = view:random(1)}
        list(view:indices(), {1, 2, 3, 4, 5, 6, 7, 8})
        equal(#view:costs(), 8)
        equal(view:pool():text(3), "d e f")
        equal(view:pool("labeled"), nil)
        equal(view:count("target"), 0)
        list(view:indices("labeled_rows"), {})
        equal(pcall(view.count, view, "candidate"), false)
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

case("an own strategy sees what is labeled and the target by role", function()
    local function with_embeddings(texts, rows)
        local pool = assert(alcore.pool(texts))
        return assert(pool:set_column("embeddings", rows))
    end
    local chosen = {needs = {"embeddings"}, labeled_needs = {"embeddings"}, target_needs = {"embeddings"},
        choose = function(view)
            list(view:texts("target"), {"x", "y z"})
            list(view:texts("labeled"), {"known"})
            equal(view:pool("target").count, 2)
            equal(view:column("embeddings", "target", 2)[1][1], 9)
            equal(#view:column("embeddings", "target", 3, 0), 0)
            equal(view:column("embeddings", "labeled")[1][2], 6)
            list(view:column("embeddings", nil, 3, 2)[2], E[4])
            equal(#view:column("embeddings"), #view)
            raises("no column \"scores\" of the target (a pool of 2 rows): it must be named in target_needs",
                view.column, view, "scores", "target")
            raises("3 rows from position 1 on: the view shows 2 rows of the target", view.column, view,
                "embeddings", "target", 2, 3)
            raises("role", view.column, view, "embeddings", "targets")
            return {8, 1}, "order"
        end}
    local picked = assert(alcore.select{texts = TEXTS, budget = 2, strategy = chosen, embeddings = E,
        labeled = with_embeddings({"known"}, {{5, 6}}), targets = with_embeddings({"x", "y z"}, {{7, 8}, {9, 10}})})
    list(picked.indices, {8, 1})
    fails("ALCORE_E_MISSING", "needs a target", alcore.select{texts = TEXTS, budget = 2, strategy = chosen,
        embeddings = E})
end)

case("margins are read in place of probabilities", function()
    local margins = {0.5, 0.4, 0.1, 0.9, 0.8, 0.7, 0.6, 0.3}
    list(assert(alcore.select{texts = TEXTS, budget = 2, strategy = "margin", margins = margins}).indices, {3, 8})
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
    raises("this view has expired", function() return kept:count() end)
    kept = nil
    pcall(alcore.select, {texts = TEXTS, budget = 1, strategy = function(view)
        kept = view
        error("out")
    end})
    raises("this view has expired", function() return kept:count() end)
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
    local texts = many(300) -- a model gets 256 at a time
    local stages = 0
    -- Progress is told every 100 ms: a model that takes 0.15 s makes the call long on every
    -- machine.
    local function embed(batch)
        local rows, begun = {}, os.clock()
        while os.clock() - begun < 0.15 do end
        for i = 1, batch.count do rows[i] = {1 + i % 7, i % 5} end
        return rows
    end
    local model = assert(alcore.model{embed = embed})
    local function spec(progress)
        return {texts = texts, budget = 10, strategy = "kcenter", model = model, progress = progress}
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
    raises("belongs to another context", alcore.select, stopped)
    stopped.model = assert(alcore.model{embed = embed, context = context})
    fails("ALCORE_E_CANCELLED", "", alcore.select(stopped))
    context:on_progress(nil)
    equal(#assert(alcore.select(stopped)), 10)
    raises("progress: a function expected", alcore.select, spec("bar"))
    -- A handle in use is neither closed nor changed.
    local pool = assert(alcore.pool(texts))
    local busy
    raises("under way", pool.select, pool, {budget = 1, strategy = "kcenter", model = model, progress = function()
        busy = select(3, pool:mark("excluded", {1}))
        pool:close()
    end})
    equal(busy, "ALCORE_E_BUSY")
end)

case("cancelling holds until it is cleared", function()
    local context = assert(alcore.context())
    local pool = assert(alcore.pool(TEXTS, {context = context}))
    local picks = assert(pool:select{budget = 1, strategy = "random"})
    equal(context.cancelled, false)
    equal(context:poll(), true)
    context:cancel()
    equal(context.cancelled, true)
    fails("ALCORE_E_CANCELLED", "", context:poll("stage", 1, 2))
    fails("ALCORE_E_CANCELLED", "", pool:select{budget = 1, strategy = "random"})
    -- What is there is saved.
    local path = scratch .. "/cancelled.tsv"
    assert(picks:write(path))
    assert(io.open(path)):close()
    context:cancel_clear()
    equal(#assert(pool:select{budget = 1, strategy = "random"}), 1)
end)

case("a strategy and a model ask whether to stop", function()
    local context = assert(alcore.context())
    local pool = assert(alcore.pool(TEXTS, {context = context}))
    local asked = {}
    local strategy = assert(alcore.strategy(function(view)
        asked[#asked + 1] = view:poll("choosing", 1, 2)
        context:cancel()
        context:cancel_clear() -- it reaches the running call all the same
        asked[#asked + 1] = select(3, view:poll())
        asked[#asked + 1] = context.cancelled
        local scores = {}
        for i = 1, #view do scores[i] = i end
        return scores
    end, nil, context))
    fails("ALCORE_E_CANCELLED", "", pool:select{budget = 1, strategy = strategy})
    equal(asked[1], true)
    equal(asked[2], "ALCORE_E_CANCELLED")
    equal(asked[3], true)
    equal(context.cancelled, false)
end)

case("the log is a function, and may raise", function()
    local lines = {}
    local context = assert(alcore.context{log = function(level, component, message)
        lines[#lines + 1] = component .. ": " .. message
        equal(type(level), "number")
    end})
    assert(alcore.select{texts = many(20), budget = 1, strategy = "nnll", context = context})
    contains(table.concat(lines, "\n"), "the built-in n-gram model")
    context:on_log(function() error("full disk") end)
    raises("full disk", alcore.select, {texts = many(20), budget = 1, strategy = "nnll", context = context})
    equal(context:device("cpu"), true)
    fails("ALCORE_E_UNSUPPORTED", "", (function(a, b) return a, b, "ALCORE_E_UNSUPPORTED" end)(context:device("abacus")))
end)

case("one function makes several columns in one pass", function()
    local pool, asked = assert(alcore.pool{"a b", "c", "d e f"}), {}
    local functions = {
        name = "together", columns = {"logprobs", "margins", "quality"}, reads = {"references"}, batch_rows = 2,
        embed = function(batch)
            local rows = {}
            for i = 1, batch.count do rows[i] = {batch.indices[i], 1} end
            return rows
        end,
        compute = function(batch, names)
            asked[#asked + 1] = table.concat(names, " ") .. " " .. batch.count
            local found = {}
            for _, name in ipairs(names) do
                found[name] = {}
                for i, text in ipairs(batch.texts) do
                    found[name][i] = name == "quality" and #text or {name == "margins" and 0.5 or -1}
                end
            end
            return found
        end,
    }
    local model = assert(alcore.model(functions))
    assert(model:run(pool, "logprobs", "embeddings", "quality", "margins"))
    equal(table.concat(asked, "; "), "logprobs quality margins 2; logprobs quality margins 1")
    equal(pool:get_column("embeddings")[3][1], 3)
    equal(pool:get_column("quality")[3], 5)
    equal(pool:get_column("margins")[1][1], 0.5)
    equal(model:can("quality"), true)
    equal(model:can("probs"), false)
    fails("ALCORE_E_INVALID", "given twice", model:run(pool, "quality", "quality"))
    functions.compute = function() return {probs = {}} end
    raises("gave the column probs, which was not asked for", model.run, model, pool, "quality")
    functions.compute = function() return {} end
    fails("ALCORE_E_MISSING", "no value of the column 'quality'", model:run(pool, "quality"))
    functions.compute = function() return nil, "the device is gone", "ALCORE_E_IO" end
    fails("ALCORE_E_IO", "the device is gone", model:run(pool, "quality"))
    raises("columns: a list", alcore.model, {compute = functions.compute})
    raises("translate: a function expected", alcore.model, {translate = 3})
end)

case("a model of functions scores references and translates", function()
    local seen
    local model = assert(alcore.model{
        score_references = function(batch)
            local rows = {}
            for i, text in ipairs(batch.references) do rows[i] = {-#text, -0.5} end
            return rows
        end,
        translate = function(batch, options)
            seen = options
            local found = {}
            for i, text in ipairs(batch.texts) do
                found[i] = options.best < 2 and text:upper() or {{text:upper(), logprobs = {-1, -0.5}}, {text, score = -9}}
            end
            return found
        end,
    })
    equal(model.info.translates and model.info.scores, true)
    equal(model.cut, 0)
    fails("ALCORE_E_UNSUPPORTED", "no outputs in a language", model:set_language("de"))
    fails("ALCORE_E_UNSUPPORTED", "no language model", model:set_verbalizer({"yes", "no"}))
    assert(model:set_verbalizer(nil))
    fails("ALCORE_E_UNSUPPORTED", "no language model", model:set_chat(true, "yes"))
    assert(model:set_chat(false))
    local pool = assert(alcore.pool({"a b", "c"}, {references = {"xyz", "u"}}))
    assert(model:score(pool))
    equal(pool:get_column("logprobs")[1][1], -3)
    local out = assert(model:translate({"a b", "c"}, {language = "de"}))
    equal(out[1], "A B")
    equal(seen.language, "de")
    local best = assert(model:translate({"a b"}, {best = 2, beams = 2}))
    equal(best[1][1].text or best[1][1][1] or best[1][1], "A B")
    fails("ALCORE_E_UNSUPPORTED", "cannot make", model:run(pool, "embeddings"))
end)

case("a model of functions says what it is", function()
    local set = {}
    local model = assert(alcore.model{
        columns = {"margins", "quality"},
        info = {family = "letters", dims = 3},
        describe = function(name) return name == "margins" and {shape = "scalar"} or {shape = "ragged"} end,
        compute = function(batch, names)
            local found = {}
            for _, name in ipairs(names) do
                found[name] = {}
                for i = 1, batch.count do found[name][i] = name == "margins" and 0.5 or {1, 2} end
            end
            return found
        end,
        set_language = function(name)
            if name == "xx" then return nil, "there are de and fr", "ALCORE_E_PARAM" end
            set.language = name
        end,
        set_dropout = function(seed) set.seed = seed end,
    })
    equal(model.info.family, "letters")
    equal(model.info.dims, 3)
    equal(model.info.engine, "host")
    local pool = assert(alcore.pool{"a", "b"})
    assert(model:run(pool, "margins", "quality"))
    equal(pool:get_column("margins")[2], 0.5)
    equal(pool:get_column("quality")[2][2], 2)
    assert(model:set_language("de"))
    assert(model:set_dropout(7))
    equal(set.language, "de")
    equal(set.seed, 7)
    assert(model:set_dropout(nil))
    equal(set.seed, nil)
    fails("ALCORE_E_PARAM", "there are de and fr", model:set_language("xx"))
end)
