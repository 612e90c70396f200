-- os.execute and io.popen in a handler: as in Lua 5.4, but that signals reach the commands.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local CALLS = [[
local function show(...)
  local all = table.pack(...)
  for i = 1, all.n do all[i] = tostring(all[i]) end
  print(table.concat(all, " "))
end
local function output(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "a", pipe:close()
end
show(os.execute())
show(os.execute "true")
show(os.execute "exit 3")
show(os.execute "kill -TERM $$")
show(os.execute "/no/such/command 2>/dev/null")
show(pcall(os.execute, {}))
show(pcall(io.popen, "true", "rw"))
show(pcall(io.popen))
show(output "echo one; exit 2")
show(output "printf %s '-x'; kill -KILL $$")
show(io.popen("cat >/dev/null", "w"):write("x"):close())
for line in io.popen("printf 'a\\nb\\n'"):lines() do show(line) end
local pipe = io.popen("cat", "w")
show(io.type(pipe), pipe:close(), io.type(pipe), tostring(pipe), pcall(pipe.close, pipe))
]]

local function handler(text, options)
  local code = ("return function()\n%s\nend"):format(text)
  local words = { rille.program, "run", "--code", code, "--input", "-", table.unpack(options or {}) }
  return words, { stdin = "1\n" }
end

describe("commands of a handler", function()
  after_each(proc.end_all)

  it("end as they do in Lua 5.4", function()
    local ours = proc.start(handler(CALLS))
    assert.equal(0, ours:wait(20), ours:err())
    local theirs = proc.start { arg[-1] or "lua5.4", "-e", CALLS }
    assert.equal(0, theirs:wait(20), theirs:err())
    assert.equal(theirs:out(), ours:out())
    assert.is_truthy(ours:out():find("nil signal 15", 1, true), ours:out())
  end)

  for call, text in pairs {
    ["os.execute"] = [[os.execute "echo up >&2; sleep 20; true"]],
    ["io.popen"] = [[io.popen "echo up >&2; sleep 20; true":close()]],
  } do
    it(call .. " ends on Ctrl-C, and the run with it", function()
      local fifo = proc.folder() .. "/endless"
      assert(os.execute("mkfifo " .. fifo))
      proc.start { "sh", "-c", "exec >" .. fifo .. "; echo 1; exec sleep 60" }
      local process = proc.start({ "setsid", table.unpack((handler(text))) }, { input = fifo })
      assert.is_truthy(process:says("up", 10), process:err())
      assert(os.execute(("kill -INT -%d"):format(process.pid)))
      assert.equal(0, process:wait(5), process:err())
    end)
  end

  it("have no signal blocked or ignored", function()
    local process = proc.start(handler [[os.execute "grep -E '^Sig(Blk|Ign)' /proc/self/status"]])
    assert.equal(0, process:wait(20), process:err())
    local blocked, ignored = process:out():match "SigBlk:%s*(%x+)\nSigIgn:%s*(%x+)"
    assert.equal(0, tonumber(blocked, 16))
    assert.equal(0, tonumber(ignored, 16) & 0x7FFFFFFF) -- above are the C library's own
  end)
end)
