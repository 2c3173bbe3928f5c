-- SPDX-License-Identifier: Apache-2.0
-- Tests in TAP for every Lua: tap.case(name, function), tap.done() at the end.
local tap = {count = 0, failed = 0}

local function show(value)
    return type(value) == "string" and string.format("%q", value) or tostring(value)
end

function tap.equal(found, expected, what)
    if found ~= expected then
        error((what or "value") .. ": expected " .. show(expected) .. ", found " .. show(found), 2)
    end
end

function tap.list(found, expected, what)
    tap.equal(table.concat(found, " "), table.concat(expected, " "), what)
end

function tap.contains(text, part)
    if not tostring(text):find(part, 1, true) then
        error("expected " .. show(part) .. " in " .. show(text), 2)
    end
end

-- The function raises an error that contains the part.
function tap.raises(part, f, ...)
    local ok, message = pcall(f, ...)
    if ok then error("no error; expected " .. show(part), 2) end
    if not tostring(message):find(part, 1, true) then
        error("expected the error " .. show(part) .. ", found " .. show(message), 2)
    end
end

-- The results are nil, a message that contains the part, and the code.
function tap.fails(code, part, first, message, found)
    if first ~= nil then error("no failure; expected " .. code, 2) end
    if found ~= code then error("expected " .. code .. ", found " .. show(found) .. ": " .. show(message), 2) end
    if not message:find(part, 1, true) then
        error("expected " .. show(part) .. " in " .. show(message), 2)
    end
end

function tap.case(name, f)
    local ok, message = pcall(f)
    collectgarbage()
    tap.count = tap.count + 1
    if not ok then
        tap.failed = tap.failed + 1
        io.write("# ", (tostring(message):gsub("\n", "\n# ")), "\n")
    end
    io.write(ok and "ok " or "not ok ", tap.count, " - ", name, "\n")
    io.flush()
end

function tap.skip(name, why)
    tap.count = tap.count + 1
    io.write("ok ", tap.count, " - ", name, " # SKIP ", why, "\n")
end

-- No os.exit(): the state is to be closed, so that leaks show.
function tap.done()
    io.write("1..", tap.count, "\n")
    if tap.failed > 0 then error(tap.failed .. " failed", 0) end
end

return tap
