-- SPDX-License-Identifier: Apache-2.0
-- Nearest neighbors and margin ratios through Lua, by the vectors of the specification. A part of
-- test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local vectors = require("vectors")
local case, equal, list = tap.case, tap.equal, tap.list

local function near(found, expected, what)
    if not (math.abs(found - expected) <= 1e-12) then error(("%s: %.17g, expected %.17g"):format(what, found, expected), 2) end
end

local function is_nan(value)
    return value ~= value
end

-- Indices of the k smallest numbers, the lower index first in a tie.
local function smallest(numbers, k)
    local order = {}
    for i = 1, #numbers do order[i] = i end
    table.sort(order, function(a, b)
        if numbers[a] ~= numbers[b] then return numbers[a] < numbers[b] end
        return a < b
    end)
    for i = k + 1, #numbers do order[i] = nil end
    return order
end

local TV_KNN = vectors.cases(vectors.find("multilingual", "TV-KNN"))[1]
local SOURCE, TARGET, DISTANCES = TV_KNN.input.source, TV_KNN.input.target, TV_KNN.expected.distances

case("TV-KNN: the nearest rows of each query", function()
    local found = assert(alcore.knn(SOURCE, TARGET, {k = 7}))
    equal(#found.indices, 2)
    for q, distances in ipairs(DISTANCES) do
        list(found.indices[q], smallest(distances, 7), "query " .. q)
        for i, row in ipairs(found.indices[q]) do near(found.values[q][i], distances[row] ^ 2, "query " .. q) end
    end
    equal(#assert(alcore.knn(SOURCE, TARGET)).indices[1], 10) -- k by default
end)

case("TV-KNN: the nearest queries of each row in the same pass", function()
    local of_queries, of_rows = assert(alcore.knn(SOURCE, TARGET, {k = 2, both = true}))
    list(of_queries.indices[1], {1, 2})
    equal(#of_rows.indices, #SOURCE)
    for row = 1, #SOURCE do
        list(of_rows.indices[row], smallest({DISTANCES[1][row], DISTANCES[2][row]}, 2), "row " .. row)
        near(of_rows.values[row][1], math.min(DISTANCES[1][row], DISTANCES[2][row]) ^ 2, "row " .. row)
    end
    equal(select("#", alcore.knn(SOURCE, TARGET)), 1)
end)

case("rows that a mask leaves out have no neighbors and are none", function()
    local found = assert(alcore.knn({{0}, {1}, {2}}, {{0.25}, {2}}, {k = 3, mask = {false, true, true}, query_mask = {true, false}}))
    list(found.indices[1], {2, 3, 0})
    equal(found.values[1][1], 0.5625)
    equal(is_nan(found.values[1][3]), true)
    list(found.indices[2], {0, 0, 0})
    tap.fails("ALCORE_E_SHAPE", "mask has 1 entries for 3 rows", alcore.knn({{0}, {1}, {2}}, {{0}}, {mask = {true}}))
end)

case("metrics of a search", function()
    local rows, queries = {{1, 0}, {4, 3}, {0, 2}}, {{1, 0}}
    local products = assert(alcore.knn(rows, queries, {k = 3, metric = "dot"})).values[1]
    for i, product in ipairs{4, 1, 0} do equal(products[i], product) end
    local cosines = assert(alcore.knn(rows, queries, {k = 3, metric = "cosine"})).values[1]
    equal(cosines[1], 1)
    equal(cosines[3], 0)
    near(cosines[2], 0.8, "cosine")
    list(assert(alcore.knn(rows, queries, {k = 3, metric = "dot", unit = true})).indices[1], {1, 2, 3})
end)

case("a search reads columns of pools", function()
    local pool = assert(alcore.pool{"a", "b", "c", "d", "e", "f", "g"})
    assert(pool:set_column("embeddings", alcore.matrix(SOURCE)))
    assert(pool:set_column("halves", alcore.matrix{{0}, {.5}, {1}, {1.5}, {2}, {2.5}, {3}}))
    list(assert(alcore.knn(pool, TARGET, {k = 2})).indices[2], {4, 5})
    list(assert(alcore.knn({pool, "halves"}, {{1.125}}, {k = 3})).indices[1], {3, 4, 2})
    assert(pool:mark("filtered", {3}))
    list(assert(alcore.knn({pool, "halves"}, {{1.125}}, {k = 2})).indices[1], {4, 2})
    tap.fails("ALCORE_E_NOT_FOUND", "quarters", alcore.knn({pool, "quarters"}, {{1}}))
    tap.raises("rows: {pool, the name of a column} expected", alcore.knn, {pool, 2}, {{1}})
    tap.raises("queries: a matrix in memory, a pool or {pool, column} expected", alcore.knn, pool, {1, 2})
    -- The column's name and the pool live until the call is over, whatever happens to the table.
    local given = {pool, "hal" .. "ves"}
    local context = assert(alcore.context{progress = function() given[1], given[2] = nil, nil collectgarbage() end})
    list(assert(alcore.knn(given, {{1.125}}, {k = 1, context = context})).indices[1], {4})
end)

case("TV-MRS: margin ratios", function()
    local one = vectors.cases(vectors.find("search", "TV-MRS"))[1]
    local ratios, others = assert(alcore.margin_ratios(one.input.unlabeled, one.input.labeled, {k = one.input.k}))
    list(others, vectors.indices(one.expected.nearest))
    for i, ratio in ipairs(ratios) do near(ratio, 1 - one.expected.dist[i], "row " .. i) end
    ratios, others = assert(alcore.margin_ratios(one.input.unlabeled, one.input.labeled,
        {k = 2, mask = {true, false, true}, other_mask = {true, true, true, false}}))
    equal(is_nan(ratios[2]), true)
    list(others, {2, 0, 3})
    equal(#assert(alcore.margin_ratios(one.input.unlabeled, one.input.labeled)), 3) -- k by default
end)

case("what a search refuses", function()
    tap.fails("ALCORE_E_INVALID", "k is 2000", alcore.knn(SOURCE, TARGET, {k = 2000}))
    tap.fails("ALCORE_E_INVALID", "k is 0", alcore.margin_ratios(SOURCE, TARGET, {k = 0}))
    tap.fails("ALCORE_E_SHAPE", "", alcore.knn(SOURCE, {{1}}))
    tap.fails("ALCORE_E_DATA", "rows: row 1 has the value NaN at 0", alcore.knn({{1}, {0 / 0}}, {{1}}))
    tap.raises("metric: one of l2 dot cosine expected", alcore.knn, SOURCE, TARGET, {metric = "manhattan"})
    tap.raises('margin_ratios: there is no option "metric"', alcore.margin_ratios, SOURCE, TARGET, {metric = "dot"})
    tap.raises("mask: a list of booleans expected, got boolean", alcore.knn, SOURCE, TARGET, {mask = true})
    tap.raises("query_mask[2]: a boolean expected, got number", alcore.knn, SOURCE, TARGET, {query_mask = {true, 0}})
    tap.raises("both: a boolean expected", alcore.knn, SOURCE, TARGET, {both = 1})
end)
