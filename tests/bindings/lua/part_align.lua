-- SPDX-License-Identifier: Apache-2.0
-- Word alignment: the vectors of the specification, links, files, what cannot be.
local alcore = require("alcore")
local fixture = require("fixture")
local vectors = require("vectors")
local tap = require("tap")
local case, equal, raises, fails = tap.case, tap.equal, tap.raises, tap.fails

local PAIRS = {{"das Haus", "the house"}, {"das Buch", "the book"}, {"ein Buch", "a book"},
               {"ein Haus ist klein", "a house is small"}, {"das Buch ist klein", "the book is small"}}

-- A pair's links as Pharaoh's notation has them, from 0.
local function text_of(links, pair)
    local words = {}
    for _, link in ipairs(assert(links:get(pair))) do words[#words + 1] = (link[1] - 1) .. "-" .. (link[2] - 1) end
    return table.concat(words, " ")
end

local function lines_of(links)
    local lines = {}
    for pair = 1, #links do lines[pair] = text_of(links, pair) end
    return table.concat(lines, "\n")
end

case("TV-ALIGN: links, log-likelihoods and probabilities", function()
    local seen = 0
    for _, known in ipairs(vectors.cases(vectors.find("aligner", "TV-ALIGN"))) do
        if known.expected.links then
            local given, pairs_of = known.input, {}
            for i, source in ipairs(given.sources) do pairs_of[i] = {source, given.targets[i]} end
            local aligner = assert(alcore.aligner(pairs_of, {model = given.diagonal == false and "ibm1" or "diagonal",
                estimate = given.variational_bayes == false and "counts" or nil, tension = given.tension, p0 = given.p0,
                lambda = given.lambda}))
            equal(lines_of(assert(aligner:links())), table.concat(known.expected.links, "\n"), known.name)
            equal(lines_of(assert(aligner:apply(pairs_of))), table.concat(known.expected.links, "\n"), known.name)
            for i, wanted in ipairs(known.expected.log_likelihoods) do
                assert(math.abs(aligner.log_likelihoods[i] - wanted) < 1e-8, known.name)
            end
            local first = known.expected.table
            local source = first.source[1] ~= "<null>" and first.source[1] or nil
            assert(math.abs(aligner:probability(source, first.target[1]) - first.t[1]) < 1e-9)
            assert(aligner.lambda > 0)
            seen = seen + 1
        end
    end
    equal(seen, 6)
end)

case("TV-SYM: links from lists, symmetrized", function()
    local function links_of(text)
        local links = {}
        for i, j in text:gmatch("(%d+)%-(%d+)") do links[#links + 1] = {i + 1, j + 1} end
        return assert(alcore.links({links}))
    end
    for _, known in ipairs(vectors.cases(vectors.find("aligner", "TV-SYM"))) do
        local forward, reverse = links_of(known.input.forward), links_of(known.input.reverse)
        for name, expected in pairs(known.expected) do
            equal(text_of(assert(forward:symmetrize(reverse, name)), 1), expected, name)
        end
        equal(text_of(assert(forward:symmetrize(reverse)), 1), known.expected["grow-diag-final-and"])
    end
end)

case("both directions in one call, and a file", function()
    local links = assert(alcore.align(PAIRS))
    equal(#links, 5)
    equal(links.count, 5)
    equal(text_of(links, 4), "0-0 1-1 2-2 3-3")
    local forward = assert(assert(alcore.aligner(PAIRS)):links())
    local reverse = assert(assert(alcore.aligner(PAIRS, {direction = "reverse"})):links())
    equal(#alcore.symmetrizations(), 7)
    for _, name in ipairs(alcore.symmetrizations()) do
        equal(lines_of(assert(alcore.align(PAIRS, {symmetrization = name}))),
              lines_of(assert(forward:symmetrize(reverse, name))), name)
    end
    local path = fixture.scratch .. "/links.txt"
    equal(assert(links:write(path)), links)
    equal(lines_of(assert(alcore.read_links(path, {pairs = 5}))), lines_of(links))
    fails("ALCORE_E_DATA", "there are only 4 sentence pairs", alcore.read_links(path, {pairs = 4}))
    fails("ALCORE_E_IO", "nowhere", alcore.read_links(fixture.scratch .. "/nowhere"))
end)

case("an aligner in a file", function()
    local path = fixture.scratch .. "/aligner"
    for _, direction in ipairs({"forward", "reverse"}) do
        local aligner = assert(alcore.aligner(PAIRS, {direction = direction}))
        equal(assert(aligner:write(path)), aligner)
        local read = assert(alcore.read_aligner(path))
        equal(read.direction, direction)
        equal(read.lambda, aligner.lambda)
        equal(lines_of(assert(read:apply(PAIRS))), lines_of(assert(aligner:links())))
        fails("ALCORE_E_INVALID", "no training pairs", read:links())
    end
    fails("ALCORE_E_CORRUPT", "no file of an aligner", alcore.read_aligner(fixture.scratch .. "/links.txt"))
    fails("ALCORE_E_IO", "nowhere", alcore.read_aligner(fixture.scratch .. "/nowhere"))
end)

case("what is no pair, no link, no option", function()
    raises("pairs[2]: a pair {source, target} expected, got string", alcore.align, {{"a", "b"}, "c"})
    raises("pairs[1]: the target is to be a string, got nil", alcore.align, {{"a"}})
    raises("pairs[1]: the source is to be a string, got number", alcore.align, {{1, "b"}})
    raises("model", alcore.align, PAIRS, {model = "ibm2"})
    raises("iteration", alcore.align, PAIRS, {iteration = 2})
    raises("words from 1", alcore.links, {{{0, 1}}})
    raises("a list of links", alcore.links, {5})
    raises("there are 1 pairs", function() return alcore.links({{}}):get(2) end)
    fails("ALCORE_E_PARAM", "did you mean 'grow-diag'", alcore.align(PAIRS, {symmetrization = "grow-dag"}))
    fails("ALCORE_E_DATA", "before 0-0", alcore.links({{{2, 1}, {1, 1}}}))
    fails("ALCORE_E_INVALID", "target is NULL", alcore.aligner(PAIRS):probability("das"))
end)
