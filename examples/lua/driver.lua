-- SPDX-License-Identifier: Apache-2.0
-- Compares strategies: runs every strategy with every seed and budget for some rounds, with a trainer of your own between
-- the rounds. A finished run is one line per round in the results; runs that are there already are skipped.
--
-- usage: lua driver.lua POOL.txt HELDOUT.tsv RESULTS.tsv [EXPERIMENT.lua]
local alcore = require("alcore")
local here = arg[0]:match("^(.*)/[^/]*$") or "."

-- The whole experiment. EXPERIMENT.lua returns a table with other values for any of these.
local experiment = {
    strategies = {
        {name = "random"},
        {name = "idds"},
        {name = "huds", lambda = 0.5},
    },
    seeds = {1, 2, 3},
    budgets = {"100w", "200w"}, -- of one round
    rounds = 3,
    -- Prints the quality on its last line. {labeled}: file of the texts labeled so far, {heldout}: as given.
    trainer = (arg[-1] or "lua") .. " " .. here .. "/toy_trainer.lua {labeled} {heldout}",
}

local pool_path, heldout, results = arg[1], arg[2], arg[3]
if not results then
    io.stderr:write("usage: lua driver.lua POOL.txt HELDOUT.tsv RESULTS.tsv [EXPERIMENT.lua]\n")
    os.exit(2)
end
if arg[4] then
    for name, value in pairs(dofile(arg[4])) do experiment[name] = value end
end

-- The text of a strategy of the table above: its name and its parameters, sorted.
local function label_of(strategy)
    local parameters = {}
    for name, value in pairs(strategy) do
        if name ~= "name" then parameters[#parameters + 1] = name .. "=" .. tostring(value) end
    end
    table.sort(parameters)
    table.insert(parameters, 1, strategy.name)
    return table.concat(parameters, " ")
end

local function quoted(path)
    return "'" .. path:gsub("'", "'\\''") .. "'"
end

-- ---- results ----

-- Reads the results file, whose lines are strategy, budget, seed, round, words, quality; a line that was cut off is ignored.
-- Returns the runs, "strategy budget seed" -> round -> {words, quality}, and what to write before the next line.
local function read_results()
    local runs, file = {}, io.open(results)
    if not file then return runs, "" end
    local text = file:read("*a")
    file:close()
    for line in text:gmatch("([^\n]*)\n") do
        local run, round, words, quality = line:match("^([^\t]*\t[^\t]*\t[^\t]*)\t(%d+)\t(%S+)\t(%S+)$")
        if run and tonumber(quality) then
            runs[run] = runs[run] or {}
            runs[run][tonumber(round)] = {words = tonumber(words), quality = tonumber(quality)}
        end
    end
    return runs, text:match("[^\n]$") and "\n" or ""
end

local done, ending = read_results()

-- Appends the lines of a run with one write, so that the file has all of them or none.
local function append(run, curve)
    local lines = {ending}
    for round, point in ipairs(curve) do
        lines[round + 1] = string.format("%s\t%d\t%.0f\t%.6g\n", run, round, point.words, point.quality)
    end
    local file = assert(io.open(results, "a"))
    assert(file:write(table.concat(lines)))
    assert(file:close())
    ending = ""
end

-- ---- one run ----

-- Runs the trainer on the texts labeled so far; returns the quality that it prints.
local function train(texts)
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    for _, text in ipairs(texts) do file:write(text, "\n") end
    file:close()
    local values = {labeled = quoted(path), heldout = quoted(heldout)}
    local command = experiment.trainer:gsub("{(%w+)}", values)
    local pipe, last = assert(io.popen(command)), nil
    for line in pipe:lines() do last = line end
    pipe:close()
    os.remove(path)
    return assert(tonumber(last), "no number on the last line of: " .. command)
end

-- Selects, labels and trains for all rounds; returns the learning curve, round -> {words, quality}.
local function run(strategy, budget, seed)
    local pool = assert(assert(alcore.pool()):read(pool_path))
    local labeled, curve, words = {}, {}, 0
    for round = 1, experiment.rounds do
        local what = {budget = budget, seed = seed, round = round, params = {}}
        for name, value in pairs(strategy) do what.params[name] = value end
        what.strategy, what.params.name = strategy.name, nil
        local picked = assert(pool:select(what))
        for _, pick in picked:each() do labeled[#labeled + 1] = pick.text end
        assert(pool:mark_labeled(picked))
        words = words + picked.spent
        curve[round] = {words = words, quality = train(labeled)}
    end
    pool:close()
    return curve
end

-- ---- all runs ----

for _, strategy in ipairs(experiment.strategies) do
    for _, budget in ipairs(experiment.budgets) do
        for _, seed in ipairs(experiment.seeds) do
            local name = table.concat({label_of(strategy), tostring(budget), tostring(seed)}, "\t")
            if done[name] and #done[name] >= experiment.rounds then
                io.stderr:write("done before: ", (name:gsub("\t", ", ")), "\n")
            else
                io.stderr:write("running: ", (name:gsub("\t", ", ")), "\n")
                done[name] = run(strategy, budget, seed)
                append(name, done[name])
            end
        end
    end
end

-- The mean of the values and its standard error.
local function mean_and_error(values)
    local sum, squares = 0, 0
    for _, value in ipairs(values) do sum = sum + value end
    local mean = sum / #values
    for _, value in ipairs(values) do squares = squares + (value - mean) ^ 2 end
    return mean, #values > 1 and math.sqrt(squares / (#values - 1) / #values) or 0
end

-- The learning curve: quality after each round, mean and standard error over the seeds.
local head = {string.format("%-28s %-8s", "strategy", "budget")}
for round = 1, experiment.rounds do head[round + 1] = string.format("%17s", "round " .. round) end
print(table.concat(head))
for _, budget in ipairs(experiment.budgets) do
    for _, strategy in ipairs(experiment.strategies) do
        local line = {string.format("%-28s %-8s", label_of(strategy), budget)}
        for round = 1, experiment.rounds do
            local values = {}
            for i, seed in ipairs(experiment.seeds) do
                local name = table.concat({label_of(strategy), tostring(budget), tostring(seed)}, "\t")
                values[i] = done[name][round].quality
            end
            line[round + 1] = string.format("%9.3f +- %.3f", mean_and_error(values))
        end
        print(table.concat(line))
    end
end
