-- SPDX-License-Identifier: Apache-2.0
-- Experiments: a run with its events, going on, and what is refused.
local alcore = require("alcore")
local fixture = require("fixture")
local tap = require("tap")
local case, equal, fails = tap.case, tap.equal, tap.fails

local words = {"the", "a", "red", "blue", "old", "cat", "dog", "bird", "house", "runs", "sees"}

local function put_file(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

local function sentences(count, step)
    local lines = {"id\tsource\treference\n"}
    for row = 1, count do
        local text = {}
        for place = 1, 3 + row % 4 do text[place] = words[(row * step + place * place) % #words + 1] end
        lines[row + 1] = ("%d\t%s\t%s\n"):format(row, table.concat(text, " "), table.concat(text, "-"))
    end
    return table.concat(lines)
end

-- A configuration with its files, and a folder that is not there.
local number = 0
local function begin(changed)
    number = number + 1
    local base = ("%s/experiment-%d"):format(fixture.scratch, number)
    put_file(base .. "-pool.tsv", sentences(30, 3))
    put_file(base .. "-test.tsv", sentences(8, 5))
    local config = ([[{"schema": "alcore-experiment-1",
  "domains": [{"name": "pets", "pool": "%s-pool.tsv", "test": "%s-test.tsv"}],
  "strategies": ["random", "nnll"], "seeds": [1], "budgets": [3], "rounds": 2, "train": {"ngram": {"order": 2}}}]]):format(base, base)
    if changed then config = config:gsub(changed[1], changed[2]) end
    return put_file(base .. ".json", config), base .. "-out"
end

case("an experiment tells its events and is done once", function()
    local config, folder = begin()
    local events = {}
    local done = assert(alcore.experiment(config, folder, {event = function(line) events[#events + 1] = line end}))
    equal(done.runs, 2)
    equal(done.rounds, 4)
    equal(done.failed, 0)
    local file = assert(io.open(folder .. "/events.jsonl", "rb"))
    equal(file:read("*a"), table.concat(events, "\n") .. "\n")
    file:close()
    assert(events[1]:find('"step":"select","name":"items","value":3', 1, true), events[1])
    equal(alcore.experiment(config, folder).rounds, 0)
end)

case("an error of the event function comes back, and the experiment goes on", function()
    local config, folder = begin()
    local count = 0
    local ok, message = pcall(alcore.experiment, config, folder, {event = function()
        count = count + 1
        if count == 3 then error("enough") end
    end})
    assert(not ok and tostring(message):find("enough"), tostring(message))
    equal(count, 3)
    equal(assert(alcore.experiment(config, folder)).rounds, 4)
end)

case("paths are relative to base where one is given", function()
    local config, folder = begin({fixture.scratch .. "/", ""})
    local file = assert(io.open(config, "rb"))
    local elsewhere = put_file(os.tmpname(), file:read("*a"))
    file:close()
    fails("ALCORE_E_IO", "pool.tsv", alcore.experiment(elsewhere, folder))
    equal(assert(alcore.experiment(elsewhere, folder, {base = fixture.scratch})).rounds, 4)
    os.remove(elsewhere)
end)

case("bad configurations name the member", function()
    local config, folder = begin({'"rounds": 2', '"rounds": 0'})
    fails("ALCORE_E_DATA", "rounds: 1 to 9999 are needed", alcore.experiment(config, folder))
    tap.raises("keep", function() alcore.experiment(config, folder, {keep = true}) end)
end)

case("after a failure the other runs are done with keep_going", function()
    local config, folder = begin({'"train"', '"evaluate": {"command": "test {strategy} = nnll && echo one 1"}, "train"'})
    fails("ALCORE_E_CALLBACK", "pets/3/seed-1/random", alcore.experiment(config, folder, {keep_going = true}))
    local file = assert(io.open(folder .. "/runs/pets/3/seed-1/nnll/round-02/record.json"))
    file:close()
end)
