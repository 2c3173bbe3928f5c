-- SPDX-License-Identifier: Apache-2.0
-- Projects: a round out and back, measures, and what is refused.
local alcore = require("alcore")
local fixture = require("fixture")
local tap = require("tap")
local case, equal, fails = tap.case, tap.equal, tap.fails

local number = 0

-- A path that is not there.
local function fresh(name)
    number = number + 1
    return ("%s/project-%d-%s"):format(fixture.scratch, number, name)
end

local function put_file(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

local function get_file(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

-- A project with ten texts and a budget of three, and its folder.
local function begin()
    local folder, texts = fresh("work"), {}
    for row = 1, 10 do texts[row] = ("text number %d of ten\n"):format(row) end
    local project = assert(alcore.project(folder, {init = true}))
    assert(project:set("strategy", "ngram-cover"))
    assert(project:set("budget", "3"))
    assert(project:add("candidates", put_file(fresh("pool.txt"), table.concat(texts))))
    return project, folder
end

-- The ids of the items that an export has.
local function ids_of(path)
    local ids = {}
    for line in get_file(path):gmatch("[^\r\n]+") do ids[#ids + 1] = line:match("^([^,]+),") end
    table.remove(ids, 1)
    return ids
end

local _, _, code = alcore.project(fresh("first"), {init = true})
if code == "ALCORE_E_UNSUPPORTED" then
    tap.skip("projects", "this build has no SQLite")
    return
end

case("a project is made with settings, or not at all", function()
    local folder = fresh("set")
    tap.raises("settings are given with init", alcore.project, folder, {settings = {budget = 3}})
    tap.raises("a table of settings expected", alcore.project, folder, {init = true, settings = "budget"})
    tap.raises("settings have names", alcore.project, folder, {init = true, settings = {"budget"}})
    fails("ALCORE_E_PARAM", "few", alcore.project(folder, {init = true, settings = {budget = "few"}}))
    equal(os.rename(folder, folder), nil)
    local project = assert(alcore.project(folder, {init = true, settings = {lambda = 0.25, strategy = "huds", budget = 3, wait = true}}))
    equal(project:get("lambda") .. project:get("strategy") .. project:get("budget") .. project:get("wait"), "0.25huds31")
    project:close()
end)

case("a file that is added again brings what is new", function()
    local project = begin()
    local path = put_file(fresh("grown.txt"), "text number 1 of ten\n")
    assert(project:add("labeled", path))
    assert(project:add("labeled", path))
    equal(assert(project:status()).labeled, 1)
    put_file(path, "text number 1 of ten\nmore\n")
    assert(project:add("labeled", path))
    equal(assert(project:status()).labeled, 2)
    project:close()
end)

case("a round has values of its own", function()
    local project = begin()
    local picked = assert(project:next(nil, {strategy = "random", budget = 2, seed = 5}))
    equal(#picked, 2)
    tap.contains(project:document(), '"strategy":"random","seed":"5"')
    equal(project:get("strategy") .. project:get("budget"), "ngram-cover3")
    fails("ALCORE_E_PARAM", "same for all rounds", project:next(nil, {several = "latest"}))
    tap.raises("a table of settings expected", project.next, project, nil, 3)
    equal(#assert(project:next(nil, {})), 3)
    project:close()
end)

case("a round goes out and its answers come back", function()
    local project, folder = begin()
    local picked = assert(project:next())
    equal(#picked, 3)
    local out = fresh("out.csv")
    assert(project:export("csv", out))
    local ids = ids_of(out)
    equal(#ids, 3)
    local back = put_file(fresh("back.csv"), ("id,translation\n%s,eins\n%s,zwei\nstranger,drei\n"):format(ids[1], ids[2]))
    local report = assert(project:import("csv", back, "ann"))
    equal(report.added, 2)
    equal(report.unusable, 1)
    equal(report.messages:match("stranger"), "stranger")
    equal(assert(project:import("csv", back, "ann")).repeated, 2)
    local status = assert(project:status())
    equal(status.rounds, 1)
    equal(status.answered, 2)
    equal(status.open, 1)
    equal(status.unit, "items")
    equal(status.left ~= status.left, true)
    local labeled = fresh("labeled.tsv")
    assert(project:write_labeled(labeled))
    equal(get_file(labeled):match("zwei"), "zwei")
    assert(project:put_metric(1, "chrf", 41.5))
    equal(assert(project:document()):match('"chrf"'), '"chrf"')
    local agreement = assert(project:agreement())
    equal(agreement.items, 0)
    equal(agreement.alpha == agreement.alpha, false)
    equal(assert(project:put_metrics(1, "bleu 20\nter\t50.5\n")), 2)
    equal(assert(project:document()):match('"ter","value":50.5'), '"ter","value":50.5')
    fails("ALCORE_E_DATA", "line 2", project:put_metrics(1, "bleu 20\nloading\n"))
    local page = fresh("report.html")
    assert(project:write_report(page))
    equal(get_file(page):match("chrf"), "chrf")
    assert(project:verify())
    equal(assert(project:gc()), 0)
    project:close()
    equal(assert(assert(alcore.project(folder)):status()).answered, 2)
end)

case("settings of a project", function()
    local project = begin()
    equal(assert(project:get("budget")), "3")
    assert(project:set("budget", nil))
    equal(project:get("budget"), nil)
    fails("ALCORE_E_PARAM", "budget", project:set("budgte", "3"))
end)

case("what a project refuses", function()
    fails("ALCORE_E_NOT_FOUND", "", alcore.project(fresh("nowhere")))
    local project, folder = begin()
    fails("ALCORE_E_IO", "", alcore.project(folder, {init = true}))
    fails("ALCORE_E_NOT_FOUND", "no round", project:export("csv", fresh("out.csv")))
    fails("ALCORE_E_NOT_FOUND", "9", project:put_metric(9, "chrf", 1))
    tap.raises('there is no option "nit"', function() return alcore.project(folder, {nit = true}) end)
end)

-- A project whose three items are answered.
local function answered()
    local project, folder = begin()
    assert(project:next())
    local out = fresh("out.csv")
    assert(project:export("csv", out))
    local rows = {"id,translation"}
    for _, id in ipairs(ids_of(out)) do rows[#rows + 1] = id .. ",T " .. id end
    assert(project:import("csv", put_file(fresh("back.csv"), table.concat(rows, "\n") .. "\n"), "ann"))
    return project, folder
end

case("functions train and measure", function()
    local project, folder = answered()
    local lines
    local model = assert(project:train(function(round, labeled, place)
        equal(round, 1)
        equal(assert(project:status()).training, true) -- the project may be used
        lines = get_file(labeled)
        put_file(place, "weights")
    end))
    equal(model, folder .. "/models/round-1")
    equal(get_file(model), "weights")
    equal(select(2, lines:gsub("\tT ", "")), 3)
    local elsewhere = put_file(fresh("elsewhere"), "other")
    equal(assert(project:train(function() return elsewhere end)), elsewhere)
    equal(assert(project:eval(function(round, path)
        equal(round, 1)
        equal(path, model)
        return {chrf = 41.5}
    end)), '{"chrf":41.5}')
    equal(assert(project:document()):match('"name":"chrf","value":41.5'), '"name":"chrf","value":41.5')
    if os.setlocale("de_DE.UTF-8") then -- run_lua.sh makes it: numbers have a comma
        if not jit then equal(("%.1f"):format(0.5), "0,5") end -- LuaJIT formats numbers itself
        equal(project:eval(function() return {chrf = 41.25} end), '{"chrf":41.25}')
        os.setlocale("C")
    end
    tap.raises("no such thing", function() return project:train(function() error("no such thing") end) end)
    tap.raises("finite number", function() return project:eval(function() return {chrf = 0 / 0} end) end)
    tap.raises("without blanks", function() return project:eval(function() return {["a b"] = 1} end) end)
    local status = assert(project:status())
    equal(status.training, false)
    equal(status.training_failure:match("no such thing$"), "no such thing")
    equal(status.evaluating_failure:match("without blanks"), "without blanks")
end)

case("one import may have offsets of another unit", function()
    local text = "a\240\157\132\158x"
    local project = assert(alcore.project(fresh("spans"), {init = true}))
    for name, value in pairs({task = "spans", labels = "x", strategy = "random", budget = "1"}) do assert(project:set(name, value)) end
    assert(project:add("candidates", put_file(fresh("clef.tsv"), "id\ttext\nc\t" .. text .. "\n")))
    assert(project:next())
    local back = put_file(fresh("in.jsonl"), '{"text":"' .. text .. '","al_id":"c","answer":"accept","spans":[{"start":3,"end":4,"label":"x"}]}\n')
    fails("ALCORE_E_DATA", "no answer can be used", project:import("prodigy", back, "ann"))
    equal(assert(project:import_spans("prodigy", back, "ann", "utf16")).added, 1)
    tap.raises("letters", function() return project:import_spans("prodigy", back, "ann", "letters") end)
end)

case("pairs are mixed in", function()
    local project = answered()
    local known = {"text\treference"}
    for row = 1, 30 do known[#known + 1] = "known " .. row .. "\tK " .. row end
    assert(project:add("labeled", put_file(fresh("known.tsv"), table.concat(known, "\n") .. "\n")))
    local out = fresh("mixed.tsv")
    equal(project:train("true", {labeled = out, mix = {kind = "random", count = 4}}), false)
    equal(select(2, get_file(out):gsub("\trandom\n", "")), 4)
    equal(select(2, get_file(out):gsub("\tsent\n", "")), 3)
    fails("ALCORE_E_PARAM", "did you mean", project:train("true", {mix = {kind = "randm"}}))
    tap.raises('there is no option "kin"', function() return project:train("true", {mix = {kin = "random"}}) end)
    tap.raises("lm", function() return project:train("true", {mix = {kind = "random", lm = 3}}) end)
end)

case("commands train and measure", function()
    local project, folder = answered()
    equal(project:train('cp "$ALCORE_LABELED" "$ALCORE_MODEL"'), folder .. "/models/round-1")
    equal(project:train({"true"}), false)
    equal(assert(project:eval({"sh", "-c", 'echo "pairs $(grep -c "T " "$ALCORE_MODEL")"'}, {round = 1})), '{"pairs":3}')
    fails("ALCORE_E_CALLBACK", "status 3: sorry", project:train("echo sorry; exit 3"))
    fails("ALCORE_E_PARAM", "one of model, command and function", project:train())
    fails("ALCORE_E_NOT_FOUND", "no round 7", project:eval("echo a 1", {round = 7}))
    fails("ALCORE_E_IO", "", project:train(nil, {model = fresh("nothing"), training = {rate = 0.1}}))
    fails("ALCORE_E_IO", "", project:eval(nil, {test = fresh("nothing"), model = folder .. "/models/round-1", reading = {text_column = "a"}}))
    tap.raises('there is no option "rate"', function() return project:train(nil, {rate = 1}) end)
end)
