-- Busted's output as TAP for tests/run: a name and a reason for each test that was left out, and tracebacks.
local pretty = require "pl.pretty"

local function text_of(value)
  if value == nil then return "nil was raised" end
  return type(value) == "string" and value or pretty.write(value)
end

local function commented(text) return "# " .. text:gsub("\n", "\n# ") end

return function()
  local busted = require "busted"
  local handler = require "busted.outputHandlers.base"()
  local n = 0

  local function say(...) io.stdout:write(table.concat({ ... }), "\n"):flush() end

  local function tell_failure(t)
    local trace = t.trace or {}
    say("not ok ", n, " - ", t.name)
    say(commented(("%s:%s: %s"):format(trace.short_src or "?", trace.currentline or "?", text_of(t.message))))
    if trace.traceback then say(commented((trace.traceback:gsub("^\n", "")))) end
  end

  local tell = {
    success = function() say("ok ", n, " - ", handler.successes[#handler.successes].name) end,
    pending = function()
      local t = handler.pendings[#handler.pendings]
      local reason = t.message and (": " .. text_of(t.message):gsub("\n", " ")) or ""
      say("ok ", n, " - # SKIP ", t.name, reason)
    end,
    failure = function() tell_failure(handler.failures[#handler.failures]) end,
    error = function() tell_failure(handler.errors[#handler.errors]) end,
  }

  busted.subscribe({ "test", "end" }, function(_, _, status)
    n = n + 1
    tell[status]()
    return nil, true
  end)
  -- A file that does not load, or a set-up that raises, is a failure too.
  busted.subscribe({ "error" }, function(element)
    if element.descriptor ~= "it" then
      n = n + 1
      tell_failure(handler.errors[#handler.errors])
    end
    return nil, true
  end)
  busted.subscribe({ "suite", "end" }, function()
    say("1..", n)
    return nil, true
  end)
  return handler
end
