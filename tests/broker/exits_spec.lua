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
  ["with a batch kept in a global"] = {
    text = [[return function(batch) kept = kept or {}; kept[#kept + 1] = batch; first = batch[1] end]], args = { "-e" },
  },
}

-- Whoever comes next does not wait for the session of a member that is gone.
local function assigned_soon(topic, group, assignor)
  local joined = tool.ask("join", { group = group, topics = { topic }, strategy = assignor.strategy, want = 2, limit = 6000 })
  assert.is_true(joined.ms >= 0 and joined.ms < 2000, "assigned after " .. joined.ms .. " ms")
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
        if not exit.empty then rille.fill(topic, 20, { partitions = 2 }) end
        local words = assignors.with(assignor.args, table.unpack(exit.args or {}))
        local run = rille.run { topic = topic, group = group, args = words, text = exit.text }
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
