-- SPDX-License-Identifier: Apache-2.0
-- Metrics and phrases through Lua, by the vectors of the specification. A part of test_alcore.lua.
local tap = require("tap")
local alcore = require("alcore")
local vectors = require("vectors")
local fixture = require("fixture")
local case, equal, list, metrics = tap.case, tap.equal, tap.list, alcore.metrics

local function near(found, expected, what)
    expected = tonumber(expected) or 0 / 0
    if found ~= found and expected ~= expected then return end
    if not (math.abs(found - expected) <= 1e-9) then error(("%s: %.17g, expected %.17g"):format(what, found, expected), 2) end
end

local function all_near(found, expected, what)
    equal(#found, #expected, what)
    for i, wanted in ipairs(expected) do near(found[i], wanted, what .. "[" .. i .. "]") end
end

-- The vectors have the references of each hypothesis, the library sets of them.
local function reference_sets(references)
    local sets = {}
    for set = 1, #references[1] do
        sets[set] = {}
        for i, texts in ipairs(references) do sets[set][i] = texts[set] end
    end
    return sets
end

case("metrics of files are those of their lines", function()
    local lists = {{"a b c d e", "x y"}, {"a b c d f", "x y z"}, {"b", "y"}}
    local paths = {}
    for i, list in ipairs(lists) do
        paths[i] = fixture.scratch .. "/metric" .. i .. ".txt"
        local file = assert(io.open(paths[i], "wb"))
        file:write(table.concat(list, "\n"), "\n")
        file:close()
    end
    for _, name in ipairs({"bleu", "chrf", "ter"}) do
        local whole = assert(metrics[name](lists[1], {lists[2], lists[3]}, {resamples = 5}))
        local files = assert(metrics[name](paths[1], {paths[2], paths[3]}, {resamples = 5}))
        equal(files[name], whole[name], name)
        equal(files.bootstrap_high, whole.bootstrap_high, name)
        equal(files.signature, whole.signature, name)
        equal(assert(metrics[name](paths[1], paths[2]))[name], assert(metrics[name](lists[1], lists[2]))[name], name)
    end
    tap.fails("ALCORE_E_IO", "nowhere", metrics.bleu(paths[1], "nowhere.txt"))
    tap.raises("sentences: only of lists", metrics.bleu, paths[1], paths[2], {sentences = true})
end)

case("the other metrics of files are those of their lines", function()
    local function files(...)
        local paths = {}
        for i, list in ipairs({...}) do
            paths[i] = fixture.scratch .. "/measured" .. i .. ".txt"
            local file = assert(io.open(paths[i], "wb"))
            file:write(table.concat(list, "\n"), "\n")
            file:close()
        end
        return paths
    end
    local function same(files_score, whole)
        local seen = 0
        for name, value in pairs(assert(whole)) do
            local found = assert(files_score)[name]
            if type(value) == "table" then
                found, value = table.concat(found, " "), table.concat(value, " ")
            end
            if value == value then -- NaN equals nothing
                equal(found, value, name)
            end
            seen = seen + 1
        end
        assert(seen > 1)
    end
    local gold, found = {"B-A O B-B", "O O"}, {"B-A O O", "I-A O"}
    local paths = files(gold, found)
    for _, scheme in ipairs({"default", "iob2"}) do
        same(metrics.spans(paths[1], paths[2], {scheme = scheme}), metrics.spans(gold, found, {scheme = scheme}))
    end
    for _, words in ipairs({false, true}) do
        same(metrics.labels(paths[1], paths[2], {words = words}), metrics.labels(gold, found, {words = words}))
    end
    local hypotheses, baseline, references = {"a b c", "x y"}, {"a", "y"}, {"a b d", "x y z"}
    paths = files(hypotheses, references, baseline)
    for _, name in ipairs({"bleu", "chrf", "ter"}) do
        local score = assert(metrics[name](hypotheses, references, {baseline = baseline, test = "randomization", samples = 50}))
        same(metrics[name](paths[1], paths[2], {baseline = paths[3], test = "randomization", samples = 50}), score)
        equal(score.baseline, assert(metrics[name](baseline, references))[name], name)
        equal(assert(metrics[name](hypotheses, references, {baseline = hypotheses})).p, 1)
        -- A reference that is missing is as if it were not given.
        local varied = assert(metrics[name](hypotheses, {references, {false, false}}))
        equal(varied[name], assert(metrics[name](hypotheses, references))[name], name)
        assert(varied.signature:find("nrefs:var", 1, true))
        tap.raises("need a baseline", metrics[name], hypotheses, references, {samples = 3})
    end
    paths = files({"x", "y", "x"}, {"x", "y", "y"})
    same(metrics.kappa(paths[1], paths[2]), metrics.kappa({1, 2, 1}, {1, 2, 2}))
    paths = files({"a cat\tthe dog", "\tnone"}, {"Dog!", "none at all"})
    same(metrics.answers(paths[2], paths[1]), metrics.answers({"Dog!", "none at all"}, {{"a cat", "the dog"}, {"", "none"}}))
    local lists = {{"a b", "c"}, {"x y", "z u"}, {"x u", "u z"}}
    paths = files(lists[1], lists[2], lists[3], {"0-0 1-1", "0-1"})
    same(metrics.length_ratio(paths[1], paths[2]), metrics.length_ratio(lists[1], lists[2]))
    local links = assert(alcore.links{{{1, 1}, {2, 2}}, {{1, 2}}})
    same(metrics.word_accuracy(paths[1], paths[2], paths[3], paths[4]), metrics.word_accuracy(lists[1], lists[2], lists[3], links))
    tap.raises("bad argument #4", metrics.word_accuracy, paths[1], paths[2], paths[3])
    tap.fails("ALCORE_E_IO", "nowhere", metrics.labels(paths[1], "nowhere.txt"))
end)

case("TV-BLEU, TV-BLEU2: every case", function()
    local seen = 0
    for _, name in ipairs{"TV-BLEU", "TV-BLEU2"} do
        for _, one in ipairs(vectors.cases(vectors.find("analyses", name))) do
            local input, expected = one.input, one.expected
            local score = assert(metrics.bleu(input.hypotheses, reference_sets(input.references), {
                tokenizer = input.tokenizer, smoothing = input.smoothing and input.smoothing:gsub("-", "_") or nil,
                effective_order = input.effective_order, sentences = true}))
            if expected.sentence_bleu then
                all_near(score.sentences, expected.sentence_bleu, one.name)
            else
                list(score.matches, expected.matches, one.name)
                list(score.totals, expected.totals, one.name)
                all_near(score.precisions, expected.precisions, one.name)
                near(score.bleu, expected.bleu, one.name)
                near(score.brevity_penalty, expected.bp, one.name)
                equal(score.hypothesis_tokens, expected.hyp_len)
                equal(score.reference_tokens, expected.ref_len)
            end
            seen = seen + 1
        end
    end
    equal(seen > 10, true)
end)

case("TV-METRICS: every case", function()
    local seen = 0
    for _, one in ipairs(vectors.cases(vectors.find("analyses", "TV-METRICS"))) do
        local input, expected = one.input, one.expected
        if expected.chrf then
            local sets = reference_sets(input.references)
            local score = assert(metrics.chrf(input.hypotheses, sets))
            near(score.chrf, expected.chrf, one.name)
            equal(score.sentences, nil)
            near(assert(metrics.chrf(input.hypotheses, sets, {word_order = 2})).chrf, expected["chrf++"], one.name)
            near(assert(metrics.ter(input.hypotheses, sets)).ter, expected.ter, one.name)
            if expected["chrf whitespace"] then
                near(assert(metrics.chrf(input.hypotheses, sets, {whitespace = true})).chrf, expected["chrf whitespace"], one.name)
            end
        elseif expected.edits then
            local found = assert(metrics.ter(input.hypotheses, reference_sets(input.references), {sentences = true}))
            equal(found.edits, expected.edits, one.name)
            near(found.ter, expected.ter, one.name)
            near(found.sentences[1], expected.ter, one.name)
        elseif one.name:find("^QA") then
            for _, gold in ipairs{input.gold, {input.gold}} do
                local found = assert(metrics.answers({input.predicted}, {gold}))
                near(found.exact_match, 100 * expected.exact, one.name)
                near(found.f1, 100 * expected.f1, one.name)
            end
        elseif one.name:find("^spans") then
            local lines = {gold = {}, predicted = {}}
            for side, texts in pairs(lines) do
                for i, tags in ipairs(input[side]) do texts[i] = table.concat(tags, " ") end
            end
            local score = assert(metrics.spans(lines.gold, lines.predicted, {scheme = input.strict and "iob2" or "default"}))
            for name, wanted in pairs(expected) do near(score[name], wanted, name) end
        elseif one.name == "labels" then
            local score = assert(metrics.labels(input.gold, input.predicted))
            for name, wanted in pairs(expected) do near(score[name], wanted, name) end
            equal(score.correct, 2)
            equal(score.labels, 3)
            score = assert(metrics.labels({table.concat(input.gold, " ")}, {table.concat(input.predicted, " ")}, {words = true}))
            equal(score.compared, 4)
            near(score.macro_f1, expected.macro_f1, "words")
        else
            error(one.name)
        end
        seen = seen + 1
    end
    equal(seen, 12)
end)

case("TV-OVL, TV-OVL2, TV-IDW: every case", function()
    local vector = vectors.find("analyses", "TV-OVL")
    for _, one in ipairs(vectors.cases(vector)) do
        local input = one.input
        local counts = assert(alcore.overlap{kept = {"test", "selected", "outside"}})
        for _, role in ipairs{"selected", "outside", "test"} do assert(counts:add(role, input[role])) end
        local member = input.unit and "token_coverage" or input.mode or "coverage"
        for n = 1, 4 do near(assert(counts:score(n, input.data))[member], one.expected.coverage[n], one.name) end
    end
    local one = vectors.cases(vectors.find("analyses", "TV-OVL2"))[1]
    local counts = assert(alcore.overlap{max_order = 1, tagged = true})
    for _, role in ipairs{"test", "selected"} do
        for _, side in ipairs{"source", "target"} do assert(counts:add(role, one.input[role .. "_" .. side], side)) end
    end
    near(assert(counts:score(1)).coverage, one.expected.tagged, "tagged")
    for _, each in ipairs(vectors.cases(vectors.find("analyses", "TV-IDW"))) do
        local words = assert(alcore.overlap{max_order = 1, kept = {"selected"}})
        for _, role in ipairs{"selected", "test", "outside"} do assert(words:add(role, each.input[role])) end
        local found = assert(words:in_domain(each.name:match("=(.*)")))
        equal(found.in_domain_types, each.expected.idwt)
        equal(found.types, each.expected.wt)
        equal(found.in_domain_words, each.expected.idwc)
        equal(found.words, each.expected.wc)
    end
    local path = fixture.scratch .. "/overlap.tsv"
    local file = assert(io.open(path, "w"))
    file:write("text\ttarget\na b\tx\n")
    file:close()
    counts = assert(alcore.overlap())
    equal(counts:add("test", {"a x"}), counts)
    equal(counts:read("selected", path), counts)
    equal(assert(counts:score(1)).shared_types, 1)
    assert(counts:read("outside", path, {text_column = "target", side = "target"}))
    equal(assert(counts:score(1, "both")).shared_types, 2)
    tap.fails("ALCORE_E_INVALID", "come before", counts:add("test", {"a"}))
    tap.fails("ALCORE_E_INVALID", "order", counts:score(5))
    tap.fails("ALCORE_E_INVALID", "does not keep", counts:in_domain())
    tap.raises("role: one of selected outside test", counts.add, counts, "all", {"a"})
    tap.raises("overlap", alcore.overlap, {orders = 3})
end)

case("TV-WACC", function()
    local one = vectors.cases(vectors.find("analyses", "TV-WACC"))[1]
    local input, pairs_of = one.input, {}
    for i, line in ipairs(input.links) do
        pairs_of[i] = {}
        for source, target in line:gmatch("(%d+)-(%d+)") do table.insert(pairs_of[i], {source + 1, target + 1}) end
    end
    local links = assert(alcore.links(pairs_of))
    local domain = assert(alcore.overlap{max_order = 1})
    assert(domain:add("test", input.sources))
    assert(domain:add("outside", {"wurden gemeldet und"}))
    local found = assert(metrics.word_accuracy(input.sources, input.references, input.hypotheses, links, {domain = domain}))
    near(found.accuracy, one.expected.accuracy, "accuracy")
    equal(found.matched, one.expected.matched)
    equal(found.total, one.expected.total)
    equal(found.unlinked, one.expected.unlinked)
    equal(assert(metrics.word_accuracy(input.sources, input.references, input.hypotheses, links)).total, 7)
    local pairs_of = {}
    for i = 1, #input.sources do pairs_of[i] = {input.sources[i], input.references[i]} end
    local own = assert(metrics.word_accuracy(input.sources, input.references, input.hypotheses))
    local made = assert(metrics.word_accuracy(input.sources, input.references, input.hypotheses, assert(alcore.align(pairs_of))))
    equal(own.total, made.total)
    equal(own.matched, made.matched)
    assert(own.total > 0, "the aligner links words")
    near(assert(metrics.length_ratio(input.hypotheses, input.references)).ratio, one.expected.length_ratio, "ratio")
    tap.fails("ALCORE_E_DATA", "line 1: the link 0-1", metrics.word_accuracy({"a"}, {"b"}, {"c"}, assert(alcore.links{{{1, 2}}})))
    tap.fails("ALCORE_E_SHAPE", "links of 2", metrics.word_accuracy({"a"}, {"b"}, {"c"}, links))
    tap.raises("references: a list of 1 strings expected", metrics.word_accuracy, {"a"}, {}, {"c"}, links)
end)

case("TV-SE, TV-WILCOXON, Pearson", function()
    for _, one in ipairs(vectors.cases(vectors.find("analyses", "TV-SE"))) do
        local found = assert(metrics.mean(one.input.values))
        near(found.mean, one.expected.mean, one.name)
        near(found.standard_deviation, one.expected.sd, one.name)
        near(found.standard_error, one.expected.se, one.name)
    end
    for _, one in ipairs(vectors.cases(vectors.find("analyses", "TV-WILCOXON"))) do
        if one.input.exact == nil then
            local found = assert(metrics.wilcoxon(one.input.differences))
            for name, wanted in pairs(one.expected) do near(found[name], wanted, one.name) end
            equal(found.exact, true)
        end
    end
    equal(assert(metrics.wilcoxon({3, 5, 9}, {1, 1, 1})).w_plus, 6)
    local found = assert(metrics.pearson({1, 2, 3}, {2, 4, 7}))
    near(found.rho, 0.99339926779878285, "rho") -- 5 / sqrt(2 * 38 / 3)
    equal(found.p > 0 and found.p < 0.1, true)
end)

case("a metric says how it was computed, and resamples", function()
    local score = assert(metrics.bleu({"a b c d e", "x"}, {"a b c d e", "y"}, {resamples = 50, seed = 3}))
    tap.contains(score.signature, "nrefs:1|bs:50|seed:3|case:mixed|eff:no|tok:13a|smooth:exp")
    equal(score.bootstrap_low <= score.bootstrap_mean and score.bootstrap_mean <= score.bootstrap_high, true)
    tap.contains(assert(metrics.chrf({"a"}, {{"a"}, {"b"}}, {word_order = 2})).signature, "nrefs:2|case:mixed|eff:yes|nc:6|nw:2")
    local ter = assert(metrics.ter({"A b"}, {"a b"}, {resamples = 9, seed = 1, case_sensitive = true}))
    equal(ter.ter, 50)
    tap.contains(ter.signature, "nrefs:1|bs:9|seed:1|case:mixed|tok:tercom|norm:no|punct:yes|asian:no")
    equal(assert(metrics.answers({"Dog!", "none"}, {{"a cat", "the dog"}, ""})).f1, 50)
    local context = assert(alcore.context{threads = 2})
    equal(assert(metrics.bleu({"a b c d"}, {"a b c d"}, {context = context})).bleu > 99, true)
end)

case("metrics refuse what cannot be", function()
    tap.fails("ALCORE_E_SHAPE", "1", metrics.bleu({"a", "b"}, {"a"}))
    tap.fails("ALCORE_E_INVALID", "word", metrics.chrf({"a"}, {"a"}, {word_order = 9}))
    tap.fails("ALCORE_E_SHAPE", "", metrics.labels({"a", "b"}, {"a"}))
    tap.fails("ALCORE_E_DATA", "X", metrics.spans({"O X"}, {"O O"}))
    tap.fails("ALCORE_E_SHAPE", "question 1", metrics.answers({"a"}, {{}}))
    tap.raises("gold: a list of 2 questions", metrics.answers, {"a", "b"}, {"a"})
    tap.fails("ALCORE_E_SHAPE", "", metrics.pearson({1, 2}, {1}))
    tap.fails("ALCORE_E_DATA", "", metrics.wilcoxon({0 / 0}))
    tap.raises("tokenizer: one of 13a intl char zh none expected", metrics.bleu, {"a"}, {"a"}, {tokenizer = "14a"})
    tap.raises("effective_order: a boolean expected, got number", metrics.bleu, {"a"}, {"a"}, {effective_order = 1})
    tap.raises("references[2]: a list of 1 strings expected", metrics.bleu, {"a"}, {{"a"}, {}})
    tap.raises("hypotheses: a list of strings expected", metrics.chrf, 1, {"a"})
    tap.raises("values[2]: a number expected", metrics.mean, {1, "2"})
    tap.raises("scheme: one of default iob2 iob1 ioe2 iobes bilou", metrics.spans, {"O"}, {"O"}, {scheme = "loose"})
    equal(assert(metrics.mean({})).mean ~= 0, true)
end)

local TEXTS = {"the patient has severe headache", "the patient has severe nausea", "severe headache was reported",
    "the patient was treated", "headache was reported", "the patient has fever"}
local LABELED = {"the patient was late", "it was reported today"}

case("TV-KAPPA", function()
    for _, one in ipairs(vectors.cases(vectors.find("loop", "TV-KAPPA"))) do
        local found = assert(metrics.kappa(one.input.x, one.input.y))
        for _, key in ipairs{"kappa", "observed", "expected", "classes"} do near(found[key], one.expected[key], one.name) end
    end
    tap.fails("ALCORE_E_SHAPE", "x has 2 classes", metrics.kappa({1, 2}, {1}))
    tap.raises("y[1]: an integer expected", metrics.kappa, {1}, {1.5})
end)

case("TV-PLATEAU, TV-LOWU, TV-AGREE: stopping criteria", function()
    local stop = alcore.stop
    for _, one in ipairs(vectors.cases(vectors.find("loop", "TV-PLATEAU"))) do
        local input, expected = one.input, one.expected
        local found = assert(stop.plateau(input.metric, {patience = input.patience, least_gain = input.least_gain,
            lower_is_better = input.lower_is_better}))
        list({found.criterion, tostring(found.stop), found.best_round}, {"plateau", tostring(expected.stop == 1), expected.best_round})
        near(found.value, expected.value, one.name)
    end
    for _, one in ipairs(vectors.cases(vectors.find("loop", "TV-LOWU"))) do
        local input, expected, given = one.input, one.expected, {}
        for i, value in ipairs(input.values) do given[i] = tonumber(value) or 0 / 0 end
        local found = assert(stop.uncertainty(given, input.threshold, input.statistic))
        list({found.criterion, tostring(found.stop), found.numbers, found.left_out},
            {input.statistic .. "_uncertainty", tostring(expected.stop == 1), expected.numbers, expected.left_out})
        near(found.value, expected.value, one.name)
    end
    for _, one in ipairs(vectors.cases(vectors.find("loop", "TV-AGREE"))) do
        local input, expected, given = one.input, one.expected, {}
        for i, value in ipairs(input.kappas) do given[i] = tonumber(value) or 0 / 0 end
        local found = assert(stop.agreement(given, {window = input.window, threshold = input.threshold}))
        list({found.criterion, tostring(found.stop), found.window}, {"agreement", tostring(expected.stop == 1), input.window})
        near(found.value, expected.value, one.name)
    end
    equal(assert(stop.agreement({1, 1, 1})).text, "stop: mean 1 of the last 3 kappas is at least 0.99")
    tap.fails("ALCORE_E_DATA", "round 2", stop.plateau({1, 0 / 0}))
    tap.fails("ALCORE_E_INVALID", "patience", stop.plateau({1}, {patience = -1}))
    tap.raises("median", stop.uncertainty, {1}, 1, "median")
end)

case("phrases are a pool", function()
    local found = assert(alcore.phrases(TEXTS, {labeled = LABELED}))
    equal(#found, 35)
    equal(found:text(1), "the patient")
    equal(found.source:text(1), TEXTS[1])
    local occurrences = assert(found:get_column("occurrences"))
    list({occurrences[1], occurrences[2], occurrences[4]}, {4, 4, 3})
    equal(#assert(alcore.phrases(TEXTS, {min_count = 2})), 17)
    local pool = assert(alcore.pool(TEXTS))
    local best = assert(alcore.phrases(pool, {labeled = assert(alcore.pool(LABELED)), semi_maximal = true, unknown = true}))
    list({best:text(1), best:text(2), best:text(3)}, {"the patient has severe", "headache was reported", "severe headache"})
    equal(#assert(alcore.phrases(pool, {labeled = LABELED, semi_maximal = true, unknown = true, beyond_limit = true})), 6)
    equal(#assert(alcore.phrases({"a b c d e f"}, {max_words = -1, semi_maximal = true})), 1)
end)

case("phrases are selected", function()
    local pool = assert(alcore.pool(TEXTS))
    local picked = assert(pool:select {budget = "7w", strategy = "ngf-smp", labeled = assert(alcore.pool(LABELED))})
    list(picked.texts, {"the patient has severe", "headache was reported"})
    list(picked.ids, {"1:0+4", "3:1+3"})
    list(picked.records.first_row, {0, 2})
    list(picked.records.occ, {2, 2})
    equal(picked.pool.source:text(1), TEXTS[1])
    equal(picked.reasons[2], "occurs 2 times, in 33 % of the pool; 1 of 6 longer phrases contains it")
    local best = assert(pool:select {budget = 1, strategy = "ngf", max_n = 1})
    list(best.texts, {"the"})
    tap.raises("those of its own pool", pool.mark, pool, "labeled", picked)
end)

case("phrases and sentences of an earlier selection are excluded", function()
    local parts = {sentences = "random", phrases = "ngf-smp", ratio = 0.5}
    for _, strategy in ipairs {"ngf", "hybrid"} do
        local params = strategy == "hybrid" and parts or nil
        for _, source in ipairs {"texts", "pool"} do
            local call = {budget = "10w", strategy = strategy, params = params}
            call[source] = source == "texts" and TEXTS or assert(alcore.pool(TEXTS))
            local first = assert(alcore.select(call))
            local bought = {}
            for _, text in ipairs(first.texts) do bought[text] = true end
            call.exclude = first
            for _, text in ipairs(assert(alcore.select(call)).texts) do equal(bought[text], nil, text) end
            local left = {budget = 6, strategy = "random", exclude = first}
            left[source] = call[source]
            for _, text in ipairs(assert(alcore.select(left)).texts) do equal(bought[text], nil, text) end
            left.exclude, left.eligible = nil, first
            tap.raises("those of its own pool", alcore.select, left)
        end
    end
end)

case("sentences and phrases are selected together", function()
    local picked = assert(alcore.select {texts = TEXTS, budget = "10w", strategy = "hybrid", labeled = LABELED,
        scores = {0.1, 0.2, 0.9, 0.3, 0.8, 0.4}, params = {sentences = "nnll", phrases = "ngf-smp"}})
    list({picked.texts[1], picked.texts[2]}, {"severe headache was reported", "headache was reported"})
    list({picked.records.kind[1], picked.records.kind[2], picked.records.kind[3]}, {0, 0, 1})
    equal(picked.pool.source:text(1), TEXTS[1])
end)

case("phrases are written as a table", function()
    local path = fixture.scratch .. "/phrases.tsv"
    local found = assert(alcore.phrases({"a b", "a"}, {max_words = 1, with_letters = true}))
    equal(found:write_phrases(path), found)
    local file = assert(io.open(path))
    equal(file:read("*a"):match("\n(.*)"), "a\t2\t1\t0\t0\t0\t1\nb\t1\t1\t0\t1\t0\t1\n")
    file:close()
    tap.fails("ALCORE_E_NOT_FOUND", "", assert(alcore.pool({"a"})):write_phrases(path))
end)

case("phrases refuse what cannot be", function()
    tap.fails("ALCORE_E_INVALID", "max_words is 65", alcore.phrases(TEXTS, {max_words = 65}))
    tap.fails("ALCORE_E_INVALID", "", alcore.phrases(TEXTS, {max_words = -1}))
    tap.raises("a pool or a list of strings expected, got number", alcore.phrases, 5)
    local elsewhere = assert(alcore.pool({"a"}, {context = assert(alcore.context())}))
    tap.raises("another context", alcore.phrases, TEXTS, {labeled = elsewhere})
end)
