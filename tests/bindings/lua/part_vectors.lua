-- SPDX-License-Identifier: Apache-2.0
-- The vectors of the specification (tests/vectors) through Lua. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local vectors = require("vectors")
local case, equal, list = tap.case, tap.equal, tap.list

local function names(count, kind)
    local texts = {}
    for i = 1, count do texts[i] = (kind or "text") .. " " .. i end
    return texts
end

local function near(got, expected, name)
    for i, wanted in ipairs(expected) do
        wanted = tonumber(wanted) or 0
        if math.abs(got[i] - wanted) > 1e-9 then error(("%s: entry %d is %.17g, expected %.17g"):format(name, i, got[i], wanted)) end
    end
end

local function with_embeddings(rows, kind)
    local pool = alcore.pool(names(#rows, kind))
    assert(pool:set_column("embeddings", rows))
    return pool
end

case("TV-TOPK: ties", function()
    for _, one in ipairs(vectors.cases(vectors.find("random", "TV-TOPK"))) do
        local input = one.input
        local picked = assert(alcore.select{texts = names(#input.scores), budget = input.k, strategy = "nnll",
            scores = input.scores, tie = input.tie, seed = input.seed})
        list(picked.indices, vectors.indices(one.expected.picks))
    end
end)

case("TV-HUDS: every case", function()
    for _, one in ipairs(vectors.cases(vectors.find("huds", "TV-HUDS"))) do
        local input = one.input
        local picked = assert(alcore.select{texts = names(#input.u), budget = input.k, strategy = "huds", scores = input.u,
            embeddings = input.embeddings, lambda = input.lambda, n_strata = input.n_strata, rescale = input.rescale,
            min_stratum = input.min_stratum})
        list(picked.indices, vectors.indices(one.expected.order))
        near(assert(picked:column("H", "candidates")), one.expected.H, one.name)
        near(assert(picked:column("d", "candidates")), one.expected.d, one.name)
    end
end)

case("TV-IDDS: every case", function()
    for _, one in ipairs(vectors.cases(vectors.find("baselines", "TV-IDDS"))) do
        local input = one.input
        local picked = assert(alcore.select{pool = with_embeddings(input.embeddings), budget = input.k, strategy = "idds",
            labeled = #input.labeled > 0 and with_embeddings(input.labeled, "labeled text") or nil,
            params = {mode = input.mode, alpha = input.alpha, self = input.self, sim = input.sim}})
        list(picked.indices, vectors.indices(one.expected.picks))
    end
end)

case("TV-UNCKNN-BALANCED: target languages buy in turns", function()
    for _, one in ipairs(vectors.cases(vectors.find("multilingual", "TV-UNCKNN-BALANCED"))) do
        local input = one.input
        local pool = with_embeddings(input.source)
        assert(pool:set_column("scores", input.u))
        local target = assert(alcore.pool(names(#input.target, "target"), {languages = input.target_languages}))
        assert(target:set_column("embeddings", input.target))
        local picked = assert(alcore.select{pool = pool, budget = input.b, strategy = "uncertainty-knn", targets = target,
            params = {balance_targets = 1, c = input.c, prox = input.prox, cover = input.cover and 1 or nil}})
        list(picked.indices, vectors.indices(one.expected.picks))
    end
end)

case("TV-UNC: classes", function()
    local strategies = {margin = "uncertainty", lc = "lc", entropy = "entropy"}
    local seen = 0
    for _, one in ipairs(vectors.cases(vectors.find("scores", "TV-UNC"))) do
        local strategy = strategies[one.name]
        if strategy then
            local picked = assert(alcore.select{texts = names(4), budget = 4, strategy = strategy, probs = one.input.probs})
            for rank, index in ipairs(picked.indices) do near({picked.scores[rank]}, {one.expected.u[index]}, one.name) end
            seen = seen + 1
        end
    end
    equal(seen, 3)
end)
