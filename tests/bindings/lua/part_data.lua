-- SPDX-License-Identifier: Apache-2.0
-- Pools, arrays and columns. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local fixture = require("fixture")
local case, equal, list, raises, fails = tap.case, tap.equal, tap.list, tap.raises, tap.fails
local TEXTS, U, E, request, scratch = fixture.TEXTS, fixture.U, fixture.E, fixture.request, fixture.scratch

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
    assert(pool:write({4, "x"}, scratch .. "/rows.tsv", "jsonl"))
    local back = assert(alcore.pool({}))
    assert(back:read(scratch .. "/rows.tsv", {format = "jsonl"}))
    list({back:text(1), back:text(2), back:reference(2), back:cost(2)}, {"more words here", "ein Text", "a text", 2.5})
    fails("ALCORE_E_UNSUPPORTED", "a pool is written as", pool:write({4}, scratch .. "/rows.xlsx"))
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

case("references are read from a second file or from a column", function()
    local function write(name, text)
        local file = assert(io.open(scratch .. "/" .. name, "w"))
        file:write(text)
        file:close()
        return scratch .. "/" .. name
    end
    local english, german = write("train.en", "a house\ntwo\n"), write("train.de", "ein Haus\nzwei\n")
    local pool = assert(alcore.pool())
    assert(pool:read(english, {references = german}))
    list({pool:reference(1), pool:reference(2)}, {"ein Haus", "zwei"})
    fails("ALCORE_E_DATA", "has 2 records and", pool:read(english, {references = write("short.de", "x\n")}))
    local table_of_others = write("others.tsv", "id\ttext\n1\t\\theta\n")
    equal(alcore.pool():read(table_of_others):text(1), "\\theta")
    equal(alcore.pool():read(table_of_others, {escapes = "on"}):text(1), "\theta")
    equal(alcore.pool():read(write("a.csv", 'id;text\n1;"a;\n""b"""\n')):text(1), 'a;\n"b"')
    assert(pool:read(write("pairs.jsonl", '{"translation": {"en": "a", "de": "b"}}\n'), {text_column = "de", reference_column = "en"}))
    list({pool:text(3), pool:reference(3)}, {"b", "a"})
    local conll = write("pos.conll", "the\tDT\tDET\ncat\tNN\tNOUN\n\nsat\tVB\tVERB\n")
    assert(pool:read(conll, {reference_column = "2", language = "en"}))
    equal(pool:language(4), "en")
    list({pool:text(4), pool:reference(4), pool:reference(5)}, {"the cat", "DT NN", "VB"})
    fails("ALCORE_E_PARAM", "columns 1 to 3", pool:read(conll, {text_column = "word"}))
    local set = write("set.xml", "<doc id='d' domain='news'><src lang='en'><seg id='1'>a</seg></src><ref translator='A'><seg id='1'>b</seg></ref>" ..
        "<ref translator='B'><seg id='1'>c</seg></ref><hyp system='S'><seg id='1'>e</seg></hyp></doc>\n")
    pool = assert(alcore.pool(nil, {repeated_ids = "per_call"}))
    fails("ALCORE_E_PARAM", "several sides", pool:read(set))
    fails("ALCORE_E_PARAM", 'no document of domain "law"', pool:read(set, {side = "src", domain = "law"}))
    assert(pool:read(set, {side = "src", references = set, translator = "B"}))
    list({pool:text(1), pool:reference(1), pool:id(1), pool:language(1)}, {"a", "c", "d:1", "en"})
    assert(pool:read(set, {system = "S", domain = "news"}))
    equal(pool:text(2), "e")
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
    assert(pool:write_column("embeddings", scratch .. "/out", "npy"))
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

case("what probs are is said in the call", function()
    local texts, p, both = {"a", "b c", "d e f", "g"}, {0.9, 0.5, 0.3, 0.05}, {}
    for row = 1, 4 do both[row] = {1 - p[row], p[row]} end
    local wanted = assert(alcore.select{texts = texts, budget = 4, strategy = "margin", probs = both})
    local picked = assert(alcore.select{texts = texts, budget = 4, strategy = "margin", probs = p, probs_are = "sigmoid"})
    list(picked.indices, wanted.indices)
    local labels = {{0.9, 0.5}, {0.8, 0.7}, {0.1, 0.1}, {0.2, 0.45}}
    list(assert(alcore.select{texts = texts, budget = 1, strategy = "margin", probs = labels, probs_are = "multilabel",
                              labels = "max"}).indices, {1})
    fails("ALCORE_E_DATA", 'add up to 1.4, not to 1; probs_are = "logits|logprobs|multilabel"',
          alcore.select{texts = texts, budget = 1, strategy = "margin", probs = labels})
    fails("ALCORE_E_SHAPE", 'probs_are = "sigmoid"', alcore.select{texts = texts, budget = 1, strategy = "margin", probs = p})
    raises("'probs_are' says what a column holds that is not given", alcore.select,
           {texts = texts, budget = 1, strategy = "margin", probs_are = "sigmoid"})
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
    assert(pool:set_column("sample_probs", {{{0.5, 0.5}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}},
        {{0.5, 0.5}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}}}))
    equal(assert(pool:get_column("sample_probs"))[2][2][2], 1) -- row 2 by sample 2
    raises("sample 2 has 2 rows, the first one has 1", pool.set_column, pool, "sample_probs", {{{0.5, 0.5}}, {{0.5, 0.5}, {1, 0}}})
    list(assert(alcore.select({pool = pool, budget = 1, strategy = "bald"})).indices, {2})
    local known = assert(alcore.pool({"known"}))
    assert(known:set_column("embeddings", {{1, 0}}))
    assert(known:set_column("probs", {{0.25, 0.75}}))
    local rest = {{0.25, 0.75}, {0.5, 0.5}, {0.9, 0.1}, {0.25, 0.75}, {0.25, 0.75}, {0.25, 0.75}, {0.25, 0.75}, {0.25, 0.75}}
    local ones = {}
    for row = 1, #rest do ones[row] = {1, row} end
    list(assert(alcore.select({texts = TEXTS, budget = 2, strategy = "contrastive", embeddings = ones, probs = rest, labeled = known})).indices, {3, 2})
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

case("references and costs come back, and texts of another pool mark rows", function()
    local pool = assert(alcore.pool({"one", "two", "three"}, {references = {"eins"}, ids = {"x", "y", "z"}}))
    equal(pool:set_references({1, "z"}, {false, "drei"}), pool)
    equal(pool:reference(1), nil)
    equal(pool:reference(3), "drei")
    raises("references: 1 entries for 2 rows", pool.set_references, pool, {1, 2}, {"a"})
    equal(pool:set_costs({2, 3}, {1.5, 0}), pool)
    equal(pool:cost(1), nil)
    equal(pool:cost(2), 1.5)
    raises("costs: 2 entries for 1 rows", pool.set_costs, pool, {1}, {1, 2})
    fails("ALCORE_E_NOT_FOUND", "w", pool:set_costs({"w"}, {1}))
    equal(pool:mark_texts("excluded", assert(alcore.pool({"two", "four"}))), pool)
    equal(pool:count_state("excluded"), 1)
    equal(pool:state(2, "excluded"), true)
    raises("state: one of", pool.mark_texts, pool, "gone", pool)
    list(alcore.scorer_needs("nnll"), {"logprobs"})
end)

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
