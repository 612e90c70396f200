-- Promise 6: every exit closes the consumer and leaves the group, at once, under both assignors.
local assignors = require "support.assignors"
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local BUSY = [[return function(batch) say("busy", #batch); os.execute "sleep 1"; say("done") end]]

-- How a run ends: what it runs, its options, what makes it end, the status it gives. The session time-out stays
-- librdkafka's 45 s: a member that lingers holds the next one up for that long.
local EXITS = {
  ["at the end (-e)"] = { args = { "-e" } },
  ["after --count"] = { args = { "--count", "3" } },
  ["after --idle"] = { args = { "--idle", "1" } },
  ["when nothing comes within --wait"] = { empty = true, args = { "--wait", "3" }, status = 5 },
  ["when the handler raises"] = { text = 'return function() error "no" end', status = 4 },
  ["when a rille function is misused"] = { text = "return function(_, out) out:send(5) end", status = 4 },
  ["when open raises"] = { text = 'return { open = function() error "no" end, handle = function() end }', status = { 2, 4 } },
  ["when a hook raises"] = { text = 'return { assigned = function() error "no" end, handle = function() end }', status = 4 },
  ["when close raises"] = {
    text = 'return { close = function() error "no" end, handle = function() end }', args = { "-e" }, status = 4,
  },
  ["when an output topic is unknown"] = {
    text = 'return function(batch, out) out:forward("nosuch-topic", batch) end', status = 3, limit = 45,
  },
  ["by SIGTERM, idle"] = { signal = "TERM" },
  ["by SIGINT, idle"] = { signal = "INT" },
  ["by SIGTERM in a handler"] = { text = BUSY, line = "busy", signal = "TERM" },
  ["by a second signal"] = {
    text = [[return function() say("busy"); os.execute "sleep 3" end]], line = "busy", signal = "TERM", again = true,
    status = { 0, 1, 130, 143 },
  },
  ["when limits.time ends a handler"] = {
    text = "return function() while true do end end", args = { "--limits-time", "1" }, status = 4,
  },
  ["when standard output is a closed pipe"] = {
    pipe = true, text = 'return function() while true do print(("x"):rep(1000)) end end',
  },
  ["at a value that does not decode"] = {
    values = { '{"a":1}', "not json" }, text = 'return { fields = { a = "a" }, handle = function() end }', status = 4,
  },
  ["when --outage is over"] = {
    text = [[local rille = require "rille"; return function() error(rille.transient "the model is away") end]],
    args = { "--outage", "1", "--backoff", "0.1" }, status = { 3, 4 },
  },
  ["when a handler never returns"] = {
    text = 'return function() return (("a"):rep(3000)):find((".-"):rep(20) .. "b") end',
    args = { "--limits-time", "1", "--drain", "1" }, status = 4,
  },
  ["when dead_letter_max is reached"] = {
    text = 'return function() error "no" end', args = { "--dead-letter", "file:/dev/null", "--batch-size", "1" }, status = 4,
  },
  ["with a batch kept in a global"] = {
    text = [[return function(batch) kept = kept or {}; kept[#kept + 1] = batch; first = batch[1] end]], args = { "-e" },
  },
}

-- Whoever comes next does not wait for the session of a member that is gone.
local function assigned_soon(topic, group, assignor)
  local joined = tool.ask("join", { group = group, topics = { topic }, strategy = assignor.strategy, want = 2, limit = 6000 })
  assert.is_true(joined.ms >= 0 and joined.ms < 2000, "assigned after " .. joined.ms .. " ms")
end

-- A file to write to whose reader goes away after a line.
local function closing_pipe()
  local path = proc.folder() .. "/pipe"
  assert(os.execute("mkfifo " .. proc.quote(path)))
  proc.start({ "head", "-n", "1" }, { input = path })
  return path
end

local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")

-- Loops over a stream in plain Lua; ends in the second batch as `how` says.
local function library(topic, group, assignor, how)
  local text = ([[
    local rille = require "rille"
    local stream = rille.stream {
      brokers = arg[1], topics = arg[2], group = arg[3], batch = { size = 5 }, kafka = { ["%s"] = "%s" },
    }
    for batch in stream do
      if batch.number == 2 then %s end
    end
  ]]):format(assignor.args[2]:match "^([^=]*)=", assignor.args[2]:match "=(.*)$", how)
  local path = proc.write(proc.folder() .. "/program.lua", text)
  return proc.start({ os.getenv "LUA" or "lua5.4", path, rille.brokers, topic, group }, {
    env = {
      LUA_CPATH_5_4 = module .. ";;", LUA_PATH_5_4 = rille.root .. "/scripts/?.lua;;",
      LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "",
    },
  })
end

local function allowed(want, status)
  if type(want) ~= "table" then return status == (want or 0) end
  for _, one in ipairs(want) do
    if one == status then return true end
  end
  return false
end

for _, assignor in ipairs(assignors) do
  describe("exits under " .. assignor.name, function()
    after_each(proc.end_all)

    for name, exit in pairs(EXITS) do
      it("promise 6 " .. name .. ": a new member is assigned within 2 s", function()
        local topic, group = rille.topic { partitions = 2 }, rille.name "group"
        if exit.values then
          rille.send(topic, exit.values)
        elseif not exit.empty then
          rille.fill(topic, 20, { partitions = 2 })
        end
        local words = assignors.with(assignor.args, table.unpack(exit.args or {}))
        local run = rille.run {
          topic = topic, group = group, args = words, text = exit.text, stdout = exit.pipe and closing_pipe() or nil,
        }
        if exit.signal then
          rille.await(run, 1, exit.line or "message")
          run:kill(exit.signal)
          if exit.again then
            require("system").sleep(0.3)
            run:kill(exit.signal)
          end
        end
        local status = run:wait(exit.limit or 20)
        assert.is_true(allowed(exit.status, status), ("status %s\n%s"):format(status, run:err()))
        assigned_soon(topic, group, assignor)
      end)
    end

    for how, status in pairs { ["break"] = 0, ['error "mine"'] = 1 } do
      it("promise 6 a library's loop that ends by " .. how .. ": a new member is assigned within 2 s", function()
        local topic, group = rille.topic { partitions = 2 }, rille.name "group"
        rille.fill(topic, 20, { partitions = 2 })
        local run = library(topic, group, assignor, how)
        assert.equal(status, run:wait(20), run:err())
        assigned_soon(topic, group, assignor)
      end)
    end

    -- Under KIP-848 no join has to wait for another member.
    if assignor.strategy ~= "consumer" then
      it("S6.3 a member that must go before its join is answered says what the group waits for", function()
        local topic, group = rille.topic { partitions = 2 }, rille.name "group"
        local first = rille.run { topic = topic, group = group, args = assignor.args }
        assert.is_true(first:says("assigned " .. topic, 15), first:err())
        first:kill "STOP" -- whoever joins waits for it
        local second = rille.run {
          topic = topic, group = group, args = assignors.with(assignor.args, "--drain", "1", "--explain", "1"),
        }
        local waits = second:says("assigned no partitions", 15)
        second:kill "TERM"
        local status = second:wait(15)
        first:kill "KILL"
        assert.is_true(waits, second:err())
        assert.equal(0, status, second:err())
        local words = "left before the group answered: it waits for session.timeout.ms"
        assert.is_truthy(second:err():find(words, 1, true), second:err())
      end)
    end

    it("promise 6 a member that holds no partition leaves too", function()
      local topic, group = rille.topic(), rille.name "group"
      tool.ask("join", { group = group, topics = { topic }, strategy = assignor.strategy, keep = group })
      local run = rille.run { topic = topic, group = group, args = assignor.quick }
      local function members() return #tool.ask("group", { group = group }).members end
      local joined = proc.till(10, function() return members() == 2 end)
      require("system").sleep(0.5)
      run:kill "TERM"
      local status = run:wait(15)
      local left = proc.till(2, function() return members() == 1 end)
      tool.ask("leave", { member = group })
      assert.is_true(joined, "it joined")
      assert.equal(0, status, run:err())
      assert.is_true(left, "it is still in the group 2 s after its end")
    end)

    it("promise 6 by a signal while its join is still pending", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      -- A member that answers no rebalance for 3 s: whoever joins waits for it.
      local first = rille.run {
        topic = topic, group = group,
        args = assignors.with(assignor.quick, "--drain", "3"),
        text = [[return function() say("busy"); os.execute "sleep 4" end]],
      }
      rille.fill(topic, 2, { partitions = 2 })
      rille.await(first, 1, "busy")
      local second = rille.run { topic = topic, group = group, args = assignor.args }
      require("system").sleep(0.7)
      second:kill "TERM"
      assert.equal(0, second:wait(12), second:err())
      first:kill "TERM"
      assert.is_not_nil(first:wait(15), first:err())
      assigned_soon(topic, group, assignor)
    end)

    it("D 18 an error in the handler, then a rerun in the same group: assigned at once, reads all again", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      rille.fill(topic, 20, { partitions = 2 })
      local words = assignors.with(assignor.args, "-e")
      rille.finish({ topic = topic, group = group, args = words, text = 'return function() error "no" end' }, 4)
      local again = rille.finish { topic = topic, group = group, args = words, limit = 6 }
      assert.equal(20, rille.count(again, "message"))
    end)
  end)
end
