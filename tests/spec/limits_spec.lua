-- D 14, S10.3: scripts that do not end, also inside of coroutines and pcall, and those that take all memory.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local function run(code, limit)
  local process = rille.start({ "run", "--code", code, "--input", "-", "--input-format", "lines", "--limits-time",
    limit or "0.2", "--drain", "0.5" }, { stdin = "x\n" })
  return process:wait(30), process:out(), process:err()
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

describe("limits", function()
  after_each(proc.end_all)

  it("D 14 S10.3 time ends a loop, with line and traceback", function()
    local status, _, err = run "local function spin()\n while true do end end\nreturn function() spin() end"
    assert.equal(4, status, err)
    has(err, "--code:2: the call took longer than limits.time (0.2 s)")
    has(err, "stack traceback:")
  end)

  it("D 14 S10.3 time ends one that catches, and one inside of a coroutine", function()
    for _, body in ipairs {
      "while true do pcall(function() while true do end end) end",
      "coroutine.wrap(function() while true do end end)()",
      "local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do pcall(co) end",
    } do
      local status, _, err = run("return function() " .. body .. " end")
      assert.equal(4, status, err)
      has(err, "limits.time")
    end
  end)

  it("D 14 S10.3 a pattern that backtracks for ever ends the process, and says where", function()
    local status, _, err = run "return function()\n  local s = ('a'):rep(3000)\n  s:find(('.-'):rep(20) .. 'b')\nend"
    assert.equal(4, status, err)
    -- ThreadSanitizer holds back the signal that finds the line.
    has(err, (os.getenv "BUILD" or ""):find "tsan" and "--code" or "--code:3")
  end)

  it("D 14 memory ends one that takes all, and the next batch goes on", function()
    local status, out, err = run([[
      return { limits = { memory = "8MiB" }, batch = { size = 1 }, dead_letter = "file:/dev/null", handle = function(batch)
        print(pcall(string.rep, "a", 1e9))
        local t = {}
        for i = 1, 1e9 do t[i] = { i } end
      end }
    ]], "60")
    assert.equal(0, status, err)
    has(out, "not enough memory")
    has(err, "--code:4: not enough memory: limits.memory is 8388608 bytes")
  end)

  it("S10.3 a script that does not finish loading is status 2", function()
    local status, _, err = run "while true do end"
    assert.equal(2, status, err)
    has(err, "limits.time")
  end)
end)
