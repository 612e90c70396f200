-- S11: the same engine in a plain lua5.4.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")

local function start(text, ...)
  local path = proc.write(proc.folder() .. "/program.lua", text)
  return proc.start({ os.getenv "LUA" or "lua5.4", path, rille.brokers, ... }, {
    env = {
      LUA_CPATH_5_4 = module .. ";;", LUA_PATH_5_4 = rille.root .. "/scripts/?.lua;;",
      LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "",
    },
  })
end

local function finish(text, ...)
  local run = start(text, ...)
  assert.equal(0, run:wait(30), run:err())
  return run
end

describe("library", function()
  after_each(proc.end_all)

  local function filled(n, partitions)
    local topic = rille.topic { partitions = partitions or 1 }
    rille.fill(topic, n, { partitions = partitions or 1 })
    return topic, rille.name "group"
  end

  local OPEN = [[
local rille = require "rille"
local brokers, topic, group = arg[1], arg[2], arg[3]
local function stream(more)
  local s = { brokers = brokers, topics = topic, group = group, exit_at_end = true }
  for k, v in pairs(more or {}) do s[k] = v end
  return rille.stream(s)
end
]]

  it("S11.2 asking for the next batch acknowledges the last; the end commits all", function()
    local topic, group = filled(100, 2)
    local run = finish(OPEN .. [[
      local n = 0
      for batch in stream { batch = { size = 30 } } do n = n + #batch end
      print(n)
    ]], topic, group)
    assert.equal("100\n", run:out())
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S11.2 a batch left by break is not acknowledged; one after batch:done() is", function()
    local topic, group = filled(30)
    finish(OPEN .. [[for _ in stream { batch = { size = 10 } } do break end]], topic, group)
    assert.same({}, rille.committed(group, topic))
    finish(OPEN .. [[for batch in stream { batch = { size = 10 } } do batch:done(); break end]], topic, group)
    assert.same({ ["0"] = 10 }, rille.committed(group, topic))
  end)

  it("S11.2 D 18 an error in the loop closes the consumer; a new one is assigned at once", function()
    local topic, group = filled(30)
    local run = finish(OPEN .. [[
      print(pcall(function()
        local n = 0
        for _ in stream { batch = { size = 10 } } do n = n + 1; if n == 2 then error "mine" end end
      end))
      local n, first = 0
      for batch in stream() do first = first or batch[1].offset; n = n + #batch end
      print(first, n)
    ]], topic, group)
    assert.is_truthy(run:out():find("mine", 1, true))
    assert.is_truthy(run:out():find("10\t20\n", 1, true), run:out())
    assert.is_true(run.seconds < 12, "took " .. run.seconds .. " s")
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S11.2 outputs of a batch go out when it is acknowledged", function()
    local topic, group = filled(20)
    local sink = rille.topic()
    finish(OPEN .. [[
      for batch, out in stream { batch = { size = 10 } } do
        out:forward(arg[4], batch)
        if batch.number == 2 then break end
      end
    ]], topic, group, sink)
    assert.equal(10, #rille.read(sink))
    assert.same({ ["0"] = 10 }, rille.committed(group, topic))
  end)

  it("S11.2 stream:stop() flushes the remainder; stream:close() twice is a no-op", function()
    local topic, group = filled(15)
    -- The first fetch brings all 15: those that the first batch left fill the next one while the loop sleeps.
    local run = finish(OPEN .. [[
      local s = stream { batch = { size = 10, timeout = 100 }, exit_at_end = false }
      local n = 0
      for batch in s do
        print(#batch, batch.cause)
        n = n + 1
        if n == 1 then
          os.execute "sleep 1"
          s:stop()
        end
      end
      s:close()
      s:close()
    ]], topic, group)
    assert.equal("10\tsize\n5\tstop\n", run:out())
    assert.same({ ["0"] = 15 }, rille.committed(group, topic))
  end)

  it("S11.1 what the host does for handlers only is refused as a setting", function()
    local run = finish([[
      local rille = require "rille"
      for _, setting in ipairs { "retries", "limits" } do
        local s = { brokers = arg[1], topics = "t", [setting] = setting == "limits" and { time = 1 } or 1 }
        local ok, why = pcall(rille.stream, s)
        print(ok, tostring(why):find(setting, 1, true) ~= nil)
      end
    ]])
    assert.equal("false\ttrue\nfalse\ttrue\n", run:out())
  end)

  it("S11.1 no signal handler or timer is installed; rille's threads block all signals", function()
    local topic, group = filled(10)
    local run = finish(OPEN .. [[
      local function read(path)
        local file = assert(io.open(path))
        local text = file:read "a"
        file:close()
        return text
      end
      -- 32 and 33 are the C library's own, of its threads.
      local function caught() return tonumber(read("/proc/self/status"):match "SigCgt:%s+(%x+)", 16) & ~(3 << 31) end
      local before = caught()
      local pid = read("/proc/self/stat"):match "^%d+"
      for batch, out in stream() do
        out:send("-", "x") -- a producer's threads too
        assert(caught() == before, ("%x"):format(caught()))
        assert(read("/proc/self/timers") == "", read("/proc/self/timers"))
        local tasks, tid, n = io.popen("cat /proc/" .. pid .. "/task/*/status"), nil, 0
        for line in tasks:lines() do
          tid = line:match "^Pid:%s+(%d+)" or tid
          local mask = line:match "^SigBlk:%s+(%x+)"
          if mask and tid ~= pid then
            n = n + 1
            assert(tonumber(mask, 16) & 0x4007 == 0x4007, mask) -- HUP, INT, QUIT, TERM
          end
        end
        tasks:close()
        assert(n >= 2, n)
      end
      print "ended"
    ]], topic, group)
    assert.is_truthy(run:out():find("ended", 1, true), run:err())
  end)

  it("S11.1 what does not decode goes to the dead letter; the loop sees the rest", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.send(topic, { '{"a":1}', "not json", '{"a":3}' })
    local run = finish(OPEN .. [[
      for batch in stream { fields = { a = "a" }, dead_letter = arg[4] } do print(#batch, batch.a[1], batch.a[2]) end
    ]], topic, group, dead)
    assert.equal("2\t1\t3\n", run:out())
    assert.same({ "not json" }, rille.values(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S11.3 the interpreter's own Ctrl-C ends a wait for messages, and the group is left", function()
    local topic, group = rille.topic(), rille.name "group"
    local run = start(OPEN .. [[
      io.stdout:setvbuf "no"
      print "up"
      for _ in stream { exit_at_end = false } do end
    ]], topic, group)
    assert.is_true(run:says("up", 10, "out"))
    assert.is_true(proc.till(15, function() return #tool.ask("group", { group = group }).members == 1 end))
    run:kill "INT"
    local status = run:wait(10)
    assert.equal(1, status, run:err())
    assert.is_truthy(run:err():find("interrupted", 1, true), run:err())
    local joined = tool.ask("join", { group = group, topics = { topic }, limit = 6000 })
    assert.is_true(joined.ms >= 0 and joined.ms < 2000, "assigned after " .. joined.ms .. " ms")
  end)

  it("S11.4 a stream that is dropped is collected within seconds, and the group is left", function()
    local topic, group = filled(10)
    local run = finish(OPEN .. [[
      do
        local s = stream { exit_at_end = false }
        s()
      end
      local begin = os.time()
      collectgarbage() collectgarbage()
      print(os.time() - begin <= 3)
    ]], topic, group)
    assert.equal("true\n", run:out())
    assert.same({}, rille.committed(group, topic))
  end)

  it("S11.5 rille.so does not link liblua", function()
    local pipe = assert(io.popen("ldd " .. proc.quote((module:gsub("%?", "rille")))))
    local libraries = pipe:read "a"
    pipe:close()
    assert.is_nil(libraries:find("liblua", 1, true))
  end)

  it("misuse is an ordinary Lua error that names what is wrong", function()
    local run = finish([[
      local rille = require "rille"
      print(select(2, pcall(rille.stream, {})))
      print(select(2, pcall(rille.stream, { topics = "t", brokers = arg[1], batch = { sise = 3 } })))
    ]])
    assert.is_truthy(run:out():find("topics", 1, true), run:out())
    assert.is_truthy(run:out():find("size", 1, true), run:out())
  end)

  it("a broker that is not there is an error within the time to connect", function()
    local run = finish [[
      local rille = require "rille"
      local ok, why = pcall(function()
        for _ in rille.stream { topics = "t", group = "g", brokers = "127.0.0.1:1", connect = 2 } do end
      end)
      print(ok, why)
    ]]
    assert.is_truthy(run:out():find("^false"), run:out())
    assert.is_truthy(run:out():find("127.0.0.1:1", 1, true), run:out())
  end)
end)
