-- SPDX-License-Identifier: Apache-2.0
-- Analyses through Lua, by the vectors of the specification. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local vectors = require("vectors")
local case, equal, list, analysis = tap.case, tap.equal, tap.list, alcore.analysis

local function near(found, expected, what)
    if not (math.abs(found - expected) <= 1e-6) then error(("%s: %.17g, expected %.17g"):format(what, found, expected), 2) end
end

case("TV-COST: every case", function()
    local seen = 0
    for _, one in ipairs(vectors.cases(vectors.find("analyses", "TV-COST"))) do
        for i, words in ipairs(one.input.words) do
            local found = assert(analysis.cost(words, {model = one.name, bleu_gain = 2}))
            near(found.usd, one.expected.usd[i], one.name)
            near(found.usd_per_bleu, one.expected.usd[i] / 2, one.name)
            equal(found.usd_per_type ~= found.usd_per_type, true)
            seen = seen + 1
        end
    end
    equal(seen, 18)
    tap.fails("ALCORE_E_INVALID", "words", analysis.cost(-1))
    tap.raises("model: one of rate linear power expected", analysis.cost, 1, {model = "cubic"})
end)

case("TV-RHO: every case", function()
    for _, one in ipairs(vectors.cases(vectors.find("multilingual", "TV-RHO"))) do
        local input = one.input
        local found = assert(analysis.neighborhood(input.source, input.target, input.u_source, input.u_target, {k = input.k}))
        equal(#found, 1)
        equal(found[1].k, input.k)
        near(found[1].rho, one.expected.rho, one.name)
        near(found[1].p, one.expected.p, one.name)
        equal(#assert(analysis.neighborhood(input.source, input.target, input.u_source, input.u_target)), 3)
        tap.raises("k[1]: an integer from 1", analysis.neighborhood, input.source, input.target, {}, {}, {k = 0})
        tap.fails("ALCORE_E_SHAPE", "", analysis.neighborhood(input.source, input.target, {}, input.u_target))
    end
end)

case("thousands of neighbors", function()
    local rows, places = 8200, {{0}, {4000.25}, {8199}}
    local source, u, own = {}, {}, {0.5, 0.1, 0.9}
    for i = 1, rows do
        source[i], u[i] = {i - 1}, i - 1
    end
    local found = assert(analysis.neighborhood(source, places, u, own))
    equal(#found, 14)
    equal(found[14].k, 8192)
    -- The 2048 nearest numbers on a line are 0 .. 2047, 2977 .. 5024 and 6152 .. 8199.
    local means = {1023.5, 4000.5, 7175.5}
    near(found[12].rho, assert(alcore.metrics.pearson(own, means)).rho, "k = 2048")
    equal(assert(analysis.neighborhood(source, places, u, own, {k = {3, 2048}}))[2].rho, found[12].rho)
    tap.raises("k[1]: an integer from 1 to 8192", analysis.neighborhood, source, places, u, own, {k = 8193})
end)

case("what a selection consists of", function()
    local texts, languages, places = {}, {}, {}
    for i = 1, 6 do
        texts[i], languages[i], places[i] = "text " .. i, i % 2 == 1 and "fr" or "de", {i - 1}
    end
    local pool = assert(alcore.pool(texts, {languages = languages}))
    assert(pool:set_column("embeddings", alcore.matrix(places)))
    local target = assert(alcore.pool({"t", "u"}, {languages = {"de", "de"}}))
    assert(target:set_column("embeddings", alcore.matrix{{0}, {5}}))
    local counts = assert(analysis.languages(pool, {2, 3, 5}))
    list({counts.de, counts.fr}, {1, 2})
    local found = assert(analysis.composition(pool, {2, 3}, {uncertainty = {0, 1, 2, 3, 4, 5}, target = target, other = {3, 4},
        neighbors = 2}))
    list({found.rows, found.target_language_rows, found.targets, found.targets_reached}, {2, 1, 2, 1})
    near(found.mean_uncertainty, 1.5, "mean")
    near(found.median_uncertainty, 1.5, "median")
    near(found.mean_distance, 2.5, "distance")
    near(found.jaccard, 1 / 3, "jaccard")
    equal(assert(analysis.composition(pool, {1})).targets, -1)
    local leverage = assert(analysis.leverage(pool, {1, 1}, assert(alcore.pool{"unlike"})))
    equal(leverage.rows[1] .. " " .. leverage.rows[7], "1 1")
    tap.fails("ALCORE_E_SHAPE", "", analysis.composition(pool, {1}, {uncertainty = {1}}))
end)

case("plots are drawn and written as tables", function()
    local fixture = require("fixture")
    local function read(name)
        local file = assert(io.open(fixture.scratch .. "/" .. name))
        local text = file:read("*a")
        file:close()
        return text
    end
    local data = {series = {"a", "a", "b<"}, x = {1, 1, 2}, y = {3, 5, 4}}
    assert(alcore.plots.curves(fixture.scratch .. "/c.tsv", data, {band = "sd"}))
    equal(read("c.tsv"):match("\n(a[^\n]*)"), "a\t\t1\t2\t4\t1.4142135623730951\t1")
    assert(alcore.plots.curves(fixture.scratch .. "/c.svg", data, {title = "T", width = 200, x_label = "words"}))
    tap.contains(read("c.svg"), "b&lt;</text>")
    assert(alcore.plots.curves(fixture.scratch .. "/h.svg", data, {width = 210, height = 530}))
    tap.contains(read("h.svg"), 'width="210.0" height="530.0"/>')
    data.rounds = {0, 0, 1}
    assert(alcore.plots.points(fixture.scratch .. "/p.tsv", data, {equal_scales = true}))
    equal(read("p.tsv"):match("\n(b[^\n]*)"), "b<\t1\t2\t4")
    data.columns = {{"index", {4, 5, 6}}, {"H", {0.5, 1, 0 / 0}}}
    assert(alcore.plots.points(fixture.scratch .. "/p.tsv", data))
    equal(read("p.tsv"), "series\tround\tx\ty\tindex\tH\na\t0\t1\t3\t4\t0.5\na\t0\t1\t5\t5\t1\nb<\t1\t2\t4\t6\t\n")
    data.columns = {{"index", {4}}}
    tap.raises("index: 3 numbers expected, as many as series", alcore.plots.points, "p.tsv", data)
    data.columns = nil
    tap.fails("ALCORE_E_UNSUPPORTED", ".svg", alcore.plots.points(fixture.scratch .. "/p.png", data))
    tap.fails("ALCORE_E_DATA", "observation 0", alcore.plots.points(fixture.scratch .. "/p.svg", {series = {"a"}, x = {0 / 0}, y = {2}}))
    tap.raises("y: 3 numbers expected, as many as series", alcore.plots.curves, "c.svg", {series = data.series, x = data.x, y = {1}})
    tap.raises("band: one of se sd none expected", alcore.plots.curves, "c.svg", data, {band = "wide"})
end)

case("TV-PCA", function()
    local one = vectors.cases(vectors.find("analyses", "TV-PCA"))[1]
    local found = assert(analysis.projection(one.input.rows, {one.input.rows[1]}))
    for i, point in ipairs(one.expected.projections) do
        near(found.points[i][1], point[1], "x")
        near(found.points[i][2], point[2], "y")
    end
    near(found.other_points[1][2], one.expected.projections[1][2], "other")
    near(found.components[2][1], one.expected.components[2][1], "component")
    near(found.shares[1], one.expected.explained[1], "share")
    equal(found.rows, 5)
    equal(assert(analysis.projection(one.input.rows)).other_points, nil)
    local pool = assert(alcore.pool({"a", "b", "c", "d", "e"}))
    assert(pool:set_column("embeddings", alcore.matrix(one.input.rows)))
    found = assert(analysis.projection(pool))
    near(found.points[1][1], one.expected.projections[1][1], "a pool's")
    equal(found.components, nil)
end)

case("one parameter with each of several values", function()
    local texts, scores, places = {}, {}, {}
    for i = 1, 40 do
        texts[i], scores[i], places[i] = "text " .. i .. " of words", i * 7919 % 41 / 41, {i % 7 - 3, i * 5 % 11 - 5}
    end
    local what = {texts = texts, budget = 6, strategy = "huds", scores = scores, embeddings = alcore.matrix(places), test = {"text unknown"}}
    local found = assert(alcore.ablate(what))
    equal(#found, 7)
    what.test = nil
    for _, row in ipairs(found) do
        what.lambda = row.value
        local alone = assert(alcore.select(what))
        list(row.selection.indices, alone.indices)
        list({row.items, row.phrases, row.words}, {6, -1, 24})
        near(row.overlap, 50, "overlap")
    end
    equal(found[1].share_of_0, 1)
    equal(found[7].share_of_1, 1)
    what.lambda, what.values, what.parameter = nil, {0.5}, "lambda"
    local row = assert(alcore.ablate(what))[1]
    list(row.selection.indices, found[4].selection.indices)
    equal(row.overlap ~= row.overlap, true)
    what.strategy = "gold"
    tap.fails("ALCORE_E_PARAM", "gold has no parameters", alcore.ablate(what))
end)

case("strategies side by side", function()
    local texts = {"a b c", "a b", "d e f g", "a", "h 1", "h 2", "b c d", "x y z <v & w"}
    local what = {texts = texts, budget = 3, strategies = {"nnll", assert(alcore.strategy("margin"))}, test = {"a h q", "q r"},
                  scores = {9, 1, 2, 3, 8, 7, 4, 5}, margins = {.1, .9, .8, .3, .7, .6, .2, .5}}
    local found = assert(alcore.compare(what))
    equal(found.count, 3)
    list(found:selection(1).indices, {1, 5, 6})
    list(found:selection(2).texts, {"a b c", "b c d", "a"})
    list(found:selection(3).indices, assert(alcore.select{texts = texts, budget = 3, strategy = "random"}).indices)
    equal(found:selection(4), nil)
    equal(found.document:find('"shared_words":[[6,3,', 1, true) ~= nil, true)
    equal(found.document:find('"test":{"types":[50,0,0]', 1, true) ~= nil, true)
    tap.fails("ALCORE_E_UNSUPPORTED", ".html", found:write("compared.txt"))
    what.lambda = .5
    equal(select(2, pcall(alcore.compare, what)):find("'lambda' is no option and no column", 1, true) ~= nil, true)
    what.lambda, what.strategy = nil, "nnll"
    equal(select(2, pcall(alcore.compare, what)):find("strategies is a list", 1, true) ~= nil, true)
    what.strategy, what.strategies = nil, {"nnll", "kcenter"}
    tap.fails("ALCORE_E_MISSING", "strategy kcenter", alcore.compare(what))
end)

case("texts of a test set that are training data", function()
    local test = assert(alcore.pool({"one text", "One  Text", "another", "", "one text"}))
    local train = assert(alcore.pool({"another", "one text"}))
    local found = assert(analysis.duplicates(test, train))
    near(found.duplicates, 75, "percent")
    list({found.in_train, found.texts, found.repeated}, {3, 4, 1})
    tap.fails("ALCORE_E_INVALID", "two pools", analysis.duplicates(test, test))
end)
