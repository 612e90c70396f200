-- Handlers run over a file of messages, without a broker.
local assert = require "luassert"

local proc = require "support.proc"
local rille = require "support.rille"
local wire = require "support.wire"

local input = {}

-- Runs the handler's text over values (wire.file), or over the file of that path, with more words for the command
-- line: status, standard output, standard error.
function input.run(text, values, ...)
  local path = type(values) == "string" and values or wire.file(values)
  local process = rille.start { "run", proc.write(proc.folder() .. "/handler.lua", text), "--input", path, ... }
  return process:wait(30), process:out(), process:err()
end

-- As run, for one that must end with status 0: standard output, standard error.
function input.passes(text, values, ...)
  local status, out, err = input.run(text, values, ...)
  assert.equal(0, status, err)
  return out, err
end

function input.has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

return input
