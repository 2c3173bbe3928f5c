-- SPDX-License-Identifier: Apache-2.0
-- Files of annotators' tools: the list of tools, items out and answers back, also of annotations.
local alcore = require("alcore")
local fixture = require("fixture")
local tap = require("tap")
local case, equal, raises, fails = tap.case, tap.equal, tap.raises, tap.fails

local TEXTS = {"the patient has severe headache", "the patient was treated", "fever \240\159\152\128 & <chills>"}

local function put_file(name, text)
    local path = fixture.scratch .. "/" .. name
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    return path
end

local function read_file(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
end

case("the tools", function()
    local known = {}
    for _, tool in ipairs(alcore.tools()) do known[tool.name] = tool end
    equal(known.csv.suffix, ".csv")
    equal(known.csv.span_unit, nil)
    equal(known["label-studio"].span_unit, "code_points")
    equal(known["label-studio"].tasks, "translation classes spans tags")
end)

case("items go out to a tool and answers come back", function()
    local path = fixture.scratch .. "/batch.csv"
    assert(alcore.write_tool("csv", path, {"a", "b"}, {TEXTS[1], TEXTS[2]}, {drafts = {"Entwurf", false}, contexts = {false, "around"},
        scores = {0.5, 0.25}, costs = {5, 4}, target_language = "de"}))
    equal(read_file(path):find("\na,the patient has severe headache,Entwurf,draft,,Entwurf,", 1, true) ~= nil, true)
    local answers = assert(alcore.read_tool("csv", put_file("back.csv", "id,translation,status,comment\na,eins,,\nb,,skip,too long\nx\n")))
    equal(#answers, 2)
    equal(answers.unusable, 1)
    equal(answers.batch, nil)
    equal(answers.messages:find("back.csv:4: ", 1, true) ~= nil, true)
    local first, second = answers:get(1), answers:get(2)
    equal(first.id .. " " .. first.status .. " " .. first.value .. " " .. first.line, "a ok eins 2")
    equal(second.status .. " " .. second.comment .. " " .. tostring(second.value), "skip too long nil")
    fails("ALCORE_E_NOT_FOUND", "no answer 2 of 2", answers:get(3))
end)

case("spans count code points from 1", function()
    local path = fixture.scratch .. "/tasks.jsonl"
    assert(alcore.write_tool("prodigy", path, {"7"}, {TEXTS[3]}, {task = "spans", labels = {"FACE"}, drafts = {'[[6,7,"FACE"]]'}}))
    local task = read_file(path):gsub("}%s*$", ',"answer":"accept"}\n')
    local answers = assert(alcore.read_tool("prodigy", put_file("done.jsonl", task), {task = "spans"}))
    local span = answers:get(1).spans[1]
    equal(span.first .. " " .. span.last .. " " .. span.label, "7 7 FACE")
    equal(answers:get(1).value, '[[6,7,"FACE"]]')
end)

case("requests and answers of annotations", function()
    local items = assert(alcore.annotations(assert(alcore.pool(TEXTS, {ids = {"a", "b", "c"}}))))
    assert(items:add({TEXTS[1], TEXTS[2], "severe headache"}, {ids = {"a", "b", "1"}, rows = {1, 2, 0}, kinds = {"sent", "sent", "phrase"}}))
    local path = fixture.scratch .. "/batch.csv"
    assert(items:write_tool("csv", path, {drafts = put_file("drafts.txt", "eins\nzwei\ndrei\n"), target_language = "de"}))
    equal(read_file(path):find("\nphrase:severe headache,severe headache,", 1, true) ~= nil, true)
    assert(items:read_tool("csv", put_file("back.csv", "id,translation\nb,zwei\nphrase:severe headache,Kopfweh\n")))
    equal(items:answer_report().answered, 2)
    equal(items:get(1).status .. " " .. items:get(2).status .. " " .. items:get(3).translation, "open ok Kopfweh")
end)

case("what cannot be", function()
    fails("ALCORE_E_NOT_FOUND", "did you mean csv?", alcore.write_tool("cvs", "x", {"a"}, {"b"}))
    raises("ids: 1 were given for 2 texts", function() alcore.write_tool("csv", "x", {"a"}, {"b", "c"}) end)
    raises("scores: 2 were given for 1 texts", function() alcore.write_tool("csv", "x", {"a"}, {"b"}, {scores = {1, 2}}) end)
    raises("translate", function() alcore.read_tool("csv", "x", {task = "translate"}) end)
    raises("tasks", function() alcore.read_tool("csv", "x", {tasks = "classes"}) end)
end)
