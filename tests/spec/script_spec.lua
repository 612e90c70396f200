-- Scripts as a user writes them: what loads, what does not and how it is said, `arg`, require, print, the hooks.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local function file(text, name)
  return proc.write(proc.folder() .. "/" .. (name or "bright.lua"), text)
end

-- Runs the script over these lines.
local function run(text, lines, options, after)
  local words = { "run", type(text) == "table" and text.path or file(text), "--input", "-", "--input-format", "lines" }
  for _, word in ipairs(options or {}) do words[#words + 1] = word end
  if after then words[#words + 1] = "--" end
  for _, word in ipairs(after or {}) do words[#words + 1] = word end
  local process = rille.start(words, { stdin = lines or "one\ntwo\n" })
  return process:wait(20), process:out(), process:err()
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

describe("a script", function()
  after_each(proc.end_all)

  it("is a table with handle, or a function", function()
    local status, out, err = run "return function(batch) print(#batch) end"
    assert.equal(0, status, err)
    assert.equal("2\n", out)
    status, out = run "return { handle = function(batch) print(#batch) end, batch = { size = 1 } }"
    assert.equal(0, status)
    assert.equal("1\n1\n", out)
  end)

  it("D 15 that does not load is status 2, with file and line", function()
    for text, part in pairs {
      ["return {\n  handle = = 5 }"] = "bright.lua:2:",
      ["error 'on the way'"] = "bright.lua:1: on the way",
      ["return 5"] = "returns number",
      ["return {}"] = "no function 'handle'",
      ["return { handle = print, bathc = { size = 5 } }"] = "bright.lua: unknown setting 'bathc' (did you mean 'batch'?)",
      ["return { handle = print, batch = { sise = 5 } }"] = "unknown setting 'batch.sise' (did you mean 'batch.size'?)",
      ["local rille = require 'rille'\nrille.where 'mag <'\nreturn print"] = "bright.lua:2:",
    } do
      local status, _, err = run(text)
      assert.equal(2, status, err)
      has(err, part)
    end
    local status, _, err = run { path = "/nonexistent/bright.lua" }
    assert.equal(2, status)
    has(err, "/nonexistent/bright.lua")
  end)

  it("S4.6 a misspelt member of rille is the script's fault, with the line and the nearest name", function()
    for body, part in pairs {
      ["rille.tensr{1}"] = "rille has no 'tensr' (did you mean 'tensor'?)",
      ["rille.json.encod{}"] = "rille.json has no 'encod' (did you mean 'encode'?)",
      ["rille.tensor.zeroes{1}"] = "rille.tensor has no 'zeroes' (did you mean 'zeros'?)",
      ["rille.avro.shema('x')"] = "rille.avro has no 'shema' (did you mean 'schema'?)",
      ["rille.csv.encde{}"] = "rille.csv has no 'encde' (did you mean 'encode'?)",
      ["rille.log.warning('x')"] = "rille.log has no 'warning'",
      ["print(rille[1])"] = "rille has no '1'",
    } do
      local path = file("return { dead_letter = 'file:/dev/null', handle = function()\n" .. body .. "\nend }")
      local status, _, err = run { path = path }
      assert.equal(4, status, err)
      has(err, "bright.lua:2: " .. part)
    end
  end)

  it("shows null as such", function()
    local status, out, err = run "return function() print(rille.null, tostring(require 'cjson'.null)) end"
    assert.equal(0, status, err)
    assert.equal("null\tnull\n", out)
  end)

  it("rawget asks for a member that rille may not have", function()
    local status, out, err = run "return function() print(rawget(rille, 'later'), #rille.tensor{1, 2}) end"
    assert.equal(0, status, err)
    assert.equal("nil\t2\n", out)
  end)

  it("promise 8 is text: bytecode is refused", function()
    local path = file(string.dump(function() return print end))
    local status, _, err = run { path = path }
    assert.equal(2, status)
    has(err, "binary chunk")
  end)

  it("requires modules from its own folder, and cjson", function()
    local path = file [[
      local help, cjson = require "help", require "cjson"
      return function(batch) print(help.double(cjson.decode(batch[1].value))) end
    ]]
    proc.write(path:gsub("bright%.lua$", "help.lua"), "return { double = function(x) return 2 * x end }")
    local status, out, err = run({ path = path }, "21\n")
    assert.equal(0, status, err)
    assert.equal(42, tonumber(out))
  end)

  it("gets its arguments in arg and ...", function()
    local status, out, err = run([[
      local first, second = ...
      assert(first == arg[1] and second == arg[2] and #arg == 2 and arg[0]:find "bright.lua$")
      return function() print(first, second) end
    ]], nil, nil, { "a b", "-c" })
    assert.equal(0, status, err)
    assert.equal("a b\t-c\n", out)
  end)

  it("runs its hooks, in order, and close may send", function()
    local status, out, err = run [[
      return {
        open = function() print "open" end,
        handle = function(batch) print("handle", #batch) end,
        close = function(out, reason) print("close", reason); out:send("-", { last = true }) end,
      }
    ]]
    assert.equal(0, status, err)
    assert.equal('open\nhandle\t2\nclose\tend\n{"last":true}\n', out)
  end)

  it("ends with a hook that fails", function()
    local status, _, err = run "return { open = function() return nil, 'no model' end, handle = print }"
    assert.equal(4, status, err)
    has(err, "no model")
  end)

  it("D 15 fails by raising, with message, line and traceback", function()
    local status, _, err = run "local function inner() error 'bad mag' end\nreturn function() inner() end"
    assert.equal(4, status)
    has(err, "bright.lua:1: bad mag")
    has(err, "stack traceback:")
    has(err, "offset 0")
  end)

  it("promise 6 cannot leave by os.exit", function()
    local status, _, err = run "return function() os.exit(0) end"
    assert.equal(4, status)
    has(err, "os.exit")
  end)

  it("logs to stderr and prints to stdout", function()
    local status, out, err = run [[
      return function()
        local log = require "rille".log
        log.info("a", 1, nil)
        log.warn "b"
        log.error "c"
        log.debug "d"
        io.write("x", 1, "\n")
        print("y", nil, true)
      end
    ]]
    assert.equal(0, status, err)
    assert.equal("x1\ny\tnil\ttrue\n", out)
    has(err, "rille: a")
    has(err, "rille: warning: b")
    has(err, "rille: error: c")
    assert.is_nil(err:find("rille: d", 1, true))
  end)

  it("warns of a field with a method's name", function()
    local status, out, err = run([[
      return { fields = { rows = "a" }, handle = function(batch) print(batch.columns.rows[1]) end }
    ]], '{"a":5}\n')
    assert.equal(0, status, err)
    assert.equal("5\n", out)
    has(err, "the field 'rows' is read as batch.columns.rows")
  end)
end)
