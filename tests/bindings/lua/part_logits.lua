-- SPDX-License-Identifier: Apache-2.0
-- Columns from logits and hidden states through Lua. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local vectors = require("vectors")
local case, equal, fails, raises = tap.case, tap.equal, tap.fails, tap.raises
local log = math.log

local function near(found, expected, what)
    if not (math.abs(found - expected) <= 1e-6) then error(("%s: %.17g, expected %.17g"):format(what, found, expected), 2) end
end

-- The column that a function fills through a writer.
local function filled(pool, name, shape, fill)
    local writer = assert(pool:column(name, shape))
    local given, message, code = fill(writer)
    if not given then return nil, message, code end
    assert(writer:finish())
    return assert(pool:get_column(name))
end

-- Probabilities of the label of each token; two classes, so that the other one has the rest.
local TOKENS = {{0.5, 0.25}, {0.9, 0.8, 0.5}, {0.125}}
local function nested()
    local logits, labels = {}, {}
    for i, row in ipairs(TOKENS) do
        logits[i], labels[i] = {}, {}
        for j, p in ipairs(row) do logits[i][j], labels[i][j] = {log(1 - p), log(p)}, 1 end
    end
    return logits, labels
end
local function flat()
    local logits, labels = {}, {}
    for _, row in ipairs(TOKENS) do
        for _, p in ipairs(row) do logits[#logits + 1], labels[#labels + 1] = {log(1 - p), log(p)}, 1 end
    end
    return logits, labels
end
local function nnll_of(row)
    local sum = 0
    for _, p in ipairs(row) do sum = sum - log(p) end
    return sum / #row
end

case("logits of rows of tokens fill columns", function()
    local pool = assert(alcore.pool{"a b", "c d e", "f"})
    local names = {nnll = "scores", logprobs = "logprobs", margins = "margins", confidences = "confidences", entropies = "entropies"}
    local writers = {}
    for option, name in pairs(names) do writers[option] = assert(pool:column(name, option == "nnll" and "scalar" or "ragged")) end
    local logits, labels = nested()
    equal(pool:score_logits({3, 1, 2}, {logits[3], logits[1], logits[2]}, {labels[3], labels[1], labels[2]}, writers), pool)
    for _, writer in pairs(writers) do assert(writer:finish()) end
    local scores, logprobs = pool:get_column("scores"), pool:get_column("logprobs")
    local margins, confidences, entropies = pool:get_column("margins"), pool:get_column("confidences"), pool:get_column("entropies")
    for i, row in ipairs(TOKENS) do
        near(scores[i], nnll_of(row), "scores")
        equal(#logprobs[i], #row)
        for j, p in ipairs(row) do
            near(logprobs[i][j], log(p), "logprobs")
            near(margins[i][j], math.abs(2 * p - 1), "margins")
            near(confidences[i][j], math.max(p, 1 - p), "confidences")
            near(entropies[i][j], -p * log(p) - (1 - p) * log(1 - p), "entropies")
        end
    end
end)

case("logits are a matrix with lengths, a ragged array, or packed", function()
    local pool = assert(alcore.pool{"a b", "c d e", "f"})
    local logits, labels = flat()
    local by_lengths = filled(pool, "one", "scalar", function(writer)
        return pool:score_logits({1, 2, 3}, alcore.matrix(logits), alcore.matrix(labels), {nnll = writer, lengths = {2, 3, 1}})
    end)
    local ragged = filled(pool, "two", "scalar", function(writer)
        return pool:score_logits({1, 2, 3}, alcore.ragged(alcore.matrix(logits), {2, 3, 1}), alcore.ragged(labels, {2, 3, 1}),
            {nnll = writer})
    end)
    for i, row in ipairs(TOKENS) do
        near(by_lengths[i], nnll_of(row), "lengths")
        equal(ragged[i], by_lengths[i])
    end
    -- Two rows of one token; float32 logits 0 and int32 labels 1.
    local packed = filled(pool, "three", "scalar", function(writer)
        return pool:score_logits({"1", "2", "3"}, alcore.matrix(("\0"):rep(24), "float32", {3, 2}),
            alcore.matrix(("\1\0\0\0"):rep(3), "int32", {3}), {nnll = writer})
    end)
    for i = 1, 3 do near(packed[i], log(2), "packed") end
end)

case("TV-UNC: the softmax of one token a row", function()
    local one
    for _, each in ipairs(vectors.cases(vectors.find("scores", "TV-UNC"))) do
        if each.name == "softmax" then one = each end
    end
    local pool = assert(alcore.pool{"a"})
    local found = filled(pool, "margins", "scalar", function(writer)
        return pool:score_logits({1}, alcore.matrix{one.input.logits}, nil, {margins = writer})
    end)
    near(found[1], one.expected.margin, "margin")
    for class, p in ipairs(one.expected.probs) do
        found = filled(pool, "logprob" .. class, "ragged", function(writer)
            return pool:score_logits({1}, {{one.input.logits}}, {{class - 1}}, {logprobs = writer})
        end)
        near(found[1][1], log(p), "class " .. class)
    end
end)

case("tokens with the ignored label are left out", function()
    local pool = assert(alcore.pool{"a b", "c d e", "f"})
    local logits, labels = nested()
    labels[1][2], labels[2][1] = -100, -100
    local found = filled(pool, "left", "scalar", function(writer)
        return pool:score_logits({1, 2, 3}, logits, labels, {nnll = writer})
    end)
    near(found[1], nnll_of{0.5}, "row 1")
    near(found[2], nnll_of{0.8, 0.5}, "row 2")
    labels[1][2], labels[2][1] = 7, 7
    found = filled(pool, "right", "scalar", function(writer)
        return pool:score_logits({1, 2, 3}, logits, labels, {nnll = writer, ignore = 7})
    end)
    near(found[2], nnll_of{0.8, 0.5}, "ignore = 7")
end)

case("hidden states and the output matrix give the same as their logits", function()
    local pool = assert(alcore.pool{"a b", "c"})
    local hidden, output, bias = {{{1, 2}, {-1, 0.5}}, {{0.25, 0}}}, {{1, 0}, {0, 1}, {1, 1}}, {0, 0.5, -1}
    local logits, labels = {}, {{0, 2}, {1}}
    for i, row in ipairs(hidden) do
        logits[i] = {}
        for j, h in ipairs(row) do
            logits[i][j] = {}
            for class, w in ipairs(output) do logits[i][j][class] = h[1] * w[1] + h[2] * w[2] + bias[class] end
        end
    end
    local expected = filled(pool, "logits", "scalar", function(writer)
        return pool:score_logits({1, 2}, logits, labels, {nnll = writer})
    end)
    local found = filled(pool, "hidden", "scalar", function(writer)
        return pool:score_hidden({1, 2}, hidden, output, labels, {nnll = writer, bias = bias})
    end)
    local unbiased = filled(pool, "unbiased", "scalar", function(writer)
        return pool:score_hidden({1, 2}, hidden, alcore.matrix(output), labels, {nnll = writer})
    end)
    for i = 1, 2 do near(found[i], expected[i], "row " .. i) end
    equal(math.abs(unbiased[1] - expected[1]) > 0.01, true)
end)

case("what logits are refused", function()
    local pool = assert(alcore.pool{"a b", "c d e", "f"})
    local writer = assert(pool:column("scores"))
    local logits, labels = nested()
    local function score(...)
        return pool:score_logits(...)
    end
    raises("expected", score, {1, 2, 3}, logits, labels)
    raises('pool:score_logits: there is no option "bias"', score, {1, 2, 3}, logits, labels, {nnll = writer, bias = {1}})
    raises('there is no option "perplexity"', score, {1, 2, 3}, logits, labels, {perplexity = writer})
    raises("lengths: 3 for 2 rows", score, {1, 2}, logits, labels, {nnll = writer})
    raises("labels: row 1 of the list has 1 labels", score, {1, 2, 3}, logits, {{1}, {1, 1, 1, 1}, {1}}, {nnll = writer})
    raises("labels: number 2 is no integer", score, {1, 2, 3}, logits, {{1, 0.5}, {1, 1, 1}, {1}}, {nnll = writer})
    raises("logits: a list of n numbers for each token", score, {1}, {{1, 2}}, nil, {nnll = writer})
    raises("alcore.column_writer", score, {1, 2, 3}, logits, labels, {nnll = "scores"})
    local other = assert(alcore.pool({"a"}, {context = assert(alcore.context())}))
    raises("nnll: the column belongs to another context", score, {1, 2, 3}, logits, labels, {nnll = assert(other:column("scores"))})
    raises("a column writer expected, such as that of nnll", score, {1, 2, 3}, logits, labels, {})
    fails("ALCORE_E_DATA", "", score({1, 2, 3}, logits, {{1, 2}, {1, 1, 1}, {1}}, {nnll = writer}))
    fails("ALCORE_E_INVALID", "without lengths", score({1, 2}, alcore.matrix{{1, 2}, {3, 4}, {5, 6}}, alcore.matrix{0, 0, 0}, {nnll = writer}))
    fails("ALCORE_E_NOT_FOUND", "x", score({"x"}, {logits[1]}, {labels[1]}, {nnll = writer}))
    assert(score({1, 2, 3}, logits, labels, {nnll = writer})) -- the writer is as it was
    assert(writer:finish())
end)

case("the likeliest tokens of an inference server fill columns", function()
    local pool = assert(alcore.pool{"a b", "c"})
    local names = {"nnll", "logprobs", "margins", "confidences", "entropies"}
    local function writers_of(options)
        for _, name in ipairs(names) do options[name] = assert(pool:column(name, name == "nnll" and "scalar" or "ragged")) end
        return options
    end
    local writers = writers_of{ids = {{4, 9}, {2}}, top_ids = {{{4, 7, 0}, {5, 3, 0}}, {{2, 1, 0}}}, classes = 20, rest = "uniform"}
    local logprobs = {{log(0.5), log(0.125)}, {log(0.75)}}
    local none = -math.huge
    local top = {{{log(0.5), log(0.25), none}, {none, log(0.5), log(0.25)}}, {{log(0.75), log(0.125), none}}}
    equal(assert(pool:score_topk({1, 2}, logprobs, top, writers)), pool)
    for _, name in ipairs(names) do assert(writers[name]:finish()) end
    near(pool:get_column("nnll")[1], (log(2) + log(8)) / 2, "nnll")
    near(pool:get_column("logprobs")[1][2], log(0.125), "logprobs")
    near(pool:get_column("margins")[1][2], 0.25, "margins")
    near(pool:get_column("confidences")[2][1], 0.75, "confidences")
    near(pool:get_column("entropies")[1][1], 0.5 * log(2) + 0.25 * log(4) + 0.25 * log(18 / 0.25), "entropies")
    near(pool:get_column("entropies")[1][2], 0.5 * log(2) + 0.25 * log(4) + 0.125 * log(8) + 0.125 * log(17 / 0.125), "entropies")
    logprobs[1][2] = log(0.5) + 0.1
    fails("ALCORE_E_DATA", "token 1: it is none of the likeliest classes", pool:score_topk({1, 2}, logprobs, top, writers_of{classes = 20}))
    raises("log-probabilities or top expected", pool.score_topk, pool, {1, 2}, nil, nil, writers_of{})
    raises("ids: number 1 is no integer", pool.score_topk, pool, {1, 2}, logprobs, top, writers_of{ids = {{0.5, 1}, {2}}})
    raises("rest", pool.score_topk, pool, {1, 2}, logprobs, top, writers_of{rest = "even"})
end)

case("the answers of an inference server fill columns", function()
    local pool = assert(alcore.pool{"a b", "c"})
    local path = os.tmpname()
    local answer = '{"choices":[{"logprobs":{"content":[{"token":"a","logprob":%s,"top_logprobs":[{"logprob":-0.5},{"logprob":-1.5}]}]}}]}\n'
    local file = assert(io.open(path, "w"))
    file:write(answer:format("-0.5"), answer:format("-1.5"))
    file:close()
    local function column(name, shape) return assert(pool:column(name, shape or "ragged")) end
    local writers = {nnll = column("nnll", "scalar"), margins = column("margins"), entropies = column("entropies"), rows = {2, 1}, classes = 10,
                     rest = "uniform"}
    equal(assert(pool:read_served(path, writers)), pool)
    for _, name in ipairs{"nnll", "margins", "entropies"} do assert(writers[name]:finish()) end
    near(pool:get_column("nnll")[2], 0.5, "nnll")
    near(pool:get_column("nnll")[1], 1.5, "nnll")
    near(pool:get_column("margins")[1][1], math.exp(-0.5) - math.exp(-1.5), "margins")
    local rest = 1 - math.exp(-0.5) - math.exp(-1.5)
    near(pool:get_column("entropies")[1][1], 0.5 * math.exp(-0.5) + 1.5 * math.exp(-1.5) - rest * log(rest / 8), "entropies")
    fails("ALCORE_E_SHAPE", ":2: expected 1 answers", pool:read_served(path, {nnll = column("nnll", "scalar"), rows = {2}}))
    fails("ALCORE_E_IO", "", pool:read_served(path .. "-not", {nnll = column("nnll", "scalar")}))
    raises("a column writer expected", pool.read_served, pool, path, {})
    raises('there is no option "ids"', pool.read_served, pool, path, {nnll = column("nnll", "scalar"), ids = {}})
    os.remove(path)
end)
