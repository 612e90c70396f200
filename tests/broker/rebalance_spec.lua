-- S2: what a rebalance takes away, and what it must not, under both kinds of assignor.
local assignors = require "support.assignors"
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

-- Offsets that more than one run handled.
local function twice(...)
  local n = 0
  for _, times in pairs((rille.times(...))) do
    if times > 1 then n = n + 1 end
  end
  return n
end

-- What the runs said, for the report of a test that fails.
local function words(...)
  local all = {}
  for i, run in ipairs { ... } do all[i] = ("run %d:\n%s"):format(i, run:err()) end
  return table.concat(all, "\n")
end

local function stop(...)
  for _, run in ipairs { ... } do run:kill "TERM" end
  for _, run in ipairs { ... } do assert.equal(0, run:wait(15), run:err()) end
end

for _, assignor in ipairs(assignors) do
  local function with(...) return assignors.with(assignor.quick, ...) end

  describe("rebalance under " .. assignor.name, function()
    after_each(proc.end_all)

    local function members(group, n)
      local function settled()
        local g = tool.ask("group", { group = group })
        if g.state ~= "Stable" or #g.members ~= n then return false end
        for _, m in ipairs(g.members) do
          if #m.parts == 0 then return false end
        end
        return true
      end
      assert.is_true(proc.till(20, settled), n .. " members with partitions")
    end

    it("S2.1 D 1 only messages of revoked partitions leave the filling batch", function()
      local topic, group = rille.topic { partitions = 4 }, rille.name "group"
      rille.fill(topic, 20, { partitions = 4 })
      local args = with("--batch-timeout", "7", "--batch-size", "1000")
      local a = rille.run { topic = topic, group = group, args = args }
      members(group, 1)
      require("system").sleep(1) -- the 20 are in the filling batch of a
      local b = rille.run {
        topic = topic, group = group,
        args = with("--batch-timeout", "0.2"),
      }
      members(group, 2)
      rille.await(b, 10)
      assert.equal(0, rille.count(a, "message"))
      rille.await(a, 10, "message", 12)
      assert.equal(20, rille.distinct(a, b))
      assert.equal(0, twice(a, b))
      assert.is_true(proc.till(5, function() return rille.lag(group, topic) == 0 end))
      stop(a, b)
      assert.equal(0, rille.lag(group, topic))
      assert.equal(20, rille.count(a, "message") + rille.count(b, "message"))
    end)

    it("S2.2 with nothing in flight a new member waits for no deadline", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      rille.fill(topic, 10, { partitions = 2 })
      local a = rille.run {
        topic = topic, group = group,
        args = with("--batch-timeout", "100", "--drain", "20"),
      }
      members(group, 1)
      require("system").sleep(0.5)
      local joined = tool.ask("join", { group = group, topics = { topic }, strategy = assignor.strategy })
      assert.is_true(joined.ms >= 0 and joined.ms < 4000, "assigned after " .. joined.ms .. " ms")
      a:kill "TERM"
      assert.equal(0, a:wait(10), a:err())
    end)

    it("S2.2 a busy handler holds the group up for `drain` at most", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      rille.fill(topic, 10, { partitions = 2 })
      local a = rille.run {
        topic = topic, group = group, args = with("--drain", "2"),
        text = [[return function() say("busy"); os.execute "sleep 14"; say("done") end]],
      }
      rille.await(a, 1, "busy")
      local joined = tool.ask("join", { group = group, topics = { topic }, strategy = assignor.strategy, limit = 13000 })
      assert.is_true(joined.ms > 1000 and joined.ms < 8000, "assigned after " .. joined.ms .. " ms")
      assert.equal(0, rille.count(a, "done"))
      a:kill "KILL"
    end)

    it("S2.2 what is handled within `drain` is committed before the partition goes", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      rille.fill(topic, 10, { partitions = 2 })
      local a = rille.run {
        topic = topic, group = group, args = with("--drain", "10"),
        text = [[return function(batch)
          say("busy")
          os.execute "sleep 3"
          for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
        end]],
      }
      rille.await(a, 1, "busy")
      local b = rille.run { topic = topic, group = group, args = with() }
      members(group, 2)
      rille.fill(topic, 10, { partitions = 2, from = 10 })
      rille.await(b, 5)
      rille.await(a, 10, "message")
      assert.is_true(proc.till(15, function() return rille.distinct(a, b) == 20 end), "20 messages")
      assert.equal(0, twice(a, b))
      assert.is_true(proc.till(5, function() return rille.lag(group, topic) == 0 end), "lag 0")
      stop(a, b)
    end)

    -- The brokers set the session's length for KIP-848.
    if assignor.strategy ~= "consumer" then
      it("S2.2 a member whose session is over gives its partitions up at once, however busy its handler is", function()
        local topic, group = rille.topic { partitions = 2 }, rille.name "group"
        rille.fill(topic, 10, { partitions = 2 })
        local go = proc.folder() .. "/go"
        local run = rille.run {
          topic = topic, group = group, args = with("--drain", "100", "-X", "session.timeout.ms=2000"), after = { go },
          text = [[return function(batch)
            say("batch", batch.number)
            while not io.open(arg[2]) do os.execute "sleep 0.05" end
            for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
          end]],
        }
        rille.await(run, 1, "batch")
        run:kill "STOP"
        local out = proc.till(20, function() return #tool.ask("group", { group = group }).members == 0 end)
        run:kill "CONT"
        assert.is_true(out, "its session ended")
        assert.is_true(run:says("lost " .. topic, 20), run:err())
        members(group, 1) -- again, while the handler still has the batch of before in hand
        assert.equal(1, rille.count(run, "batch"))
        assert.same({}, rille.committed(group, topic))
        proc.write(go, "")
        assert.is_true(proc.till(20, function() return rille.lag(group, topic) == 0 end), run:err())
        stop(run)
        local times, all = rille.times(run)
        assert.equal(10, rille.distinct(run))
        assert.is_true(all > 10, "what it had in hand when it was lost came again")
        for at, n in pairs(times) do assert.is_true(n <= 2, at) end
      end)
    end

    it("S2.3 D 4 a member that is late commits nothing of what it lost", function()
      local topic, group = rille.topic { partitions = 2 }, rille.name "group"
      rille.fill(topic, 10, { partitions = 2 })
      local go = proc.folder() .. "/go"
      local a = rille.run {
        topic = topic, group = group, args = with("--drain", "1"), after = { go },
        text = [[return function(batch)
          for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
          while not io.open(arg[2]) do os.execute "sleep 0.05" end
          say("done")
        end]],
      }
      rille.await(a, 10)
      local b = rille.run { topic = topic, group = group, args = with("--batch-timeout", "0.1") }
      members(group, 2)
      rille.await(b, 5)
      rille.fill(topic, 10, { partitions = 2, from = 10 })
      rille.await(b, 10)
      local mine = rille.said(b, "message")[1][3]
      assert.is_true(proc.till(10, function() return rille.committed(group, topic)[mine] == 10 end))
      proc.write(go, "")
      rille.await(a, 1, "done")
      rille.await(a, 15)
      assert.is_true(proc.till(10, function() return rille.lag(group, topic) == 0 end), "lag 0")
      assert.equal(10, rille.committed(group, topic)[mine])
      stop(a, b)
      assert.same({ ["0"] = 10, ["1"] = 10 }, rille.committed(group, topic))
      assert.equal(20, rille.distinct(a, b))
    end)

    it("S2.5 hooks see whole, named lists, between batches", function()
      local topic, group = rille.topic { partitions = 4 }, rille.name "group"
      rille.fill(topic, 8, { partitions = 4 })
      local text = [[
        local inside = false
        local function parts(list)
          local out = {}
          for i, p in ipairs(list) do out[i] = p.topic .. "/" .. p.partition .. "@" .. tostring(p.offset) end
          table.sort(out)
          return table.concat(out, ",")
        end
        return {
          handle = function(batch) inside = true; os.execute "sleep 0.3"; inside = false
            for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset) end end,
          assigned = function(list) say("assigned", #list, inside, parts(list)) end,
          revoked = function(list) say("revoked", #list, inside, parts(list)) end,
          close = function(_, reason) say("close", reason) end,
        }]]
      local a = rille.run { topic = topic, group = group, text = text, args = with() }
      rille.await(a, 8)
      local b = rille.run { topic = topic, group = group, text = text, args = with() }
      members(group, 2)
      stop(b)
      members(group, 1)
      stop(a)
      local held, hooks = 0, 0
      for _, line in ipairs(rille.said(a)) do
        if line[1] == "assigned" or line[1] == "revoked" then
          hooks = hooks + 1
          assert.is_true(tonumber(line[2]) > 0, line.line)
          assert.equal("false", line[3], line.line)
          assert.is_truthy(line[4]:find(topic .. "/", 1, true), line.line)
          held = held + (line[1] == "assigned" and 1 or -1) * tonumber(line[2])
        end
      end
      assert.is_true(hooks >= 3)
      assert.equal(0, held, "all that was assigned was revoked, the last at the end")
      assert.equal("close", rille.said(a)[#rille.said(a)][1])
    end)

    it("S2 members come and go while batches are in flight: nothing is lost", function()
      local topic, group, n = rille.topic { partitions = 6 }, rille.name "group", 12000
      rille.fill(topic, n, { partitions = 6 })
      local text = [[return function(batch)
        for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset) end
        os.execute "sleep 0.02"
      end]]
      local runs = {}
      local function join()
        runs[#runs + 1] = rille.run {
          topic = topic, group = group, text = text, args = with("--batch-size", "50"),
        }
        return runs[#runs]
      end
      local first = rille.await(join(), 100)
      local second = rille.await(join(), 50, "message", 20)
      join()
      rille.await(runs[3], 50, "message", 20)
      stop(first)
      join()
      stop(second)
      assert.is_true(proc.till(60, function() return rille.lag(group, topic) == 0 end), "lag 0")
      stop(runs[3], runs[4])
      assert.equal(n, rille.distinct(table.unpack(runs)))
      assert.equal(0, rille.lag(group, topic))
    end)

    it("S2.1 S2.2 members come and go while outputs are on their way: nothing is handled twice", function()
      local topic, out, group, n = rille.topic { partitions = 6 }, rille.topic(), rille.name "group", 12000
      rille.fill(topic, n, { partitions = 6 })
      local text = [[return function(batch, out)
        for _, m in batch:messages() do
          say("message", m.topic, m.partition, m.offset)
          out:send(arg[2], m.value)
        end
        os.execute "sleep 0.05"
      end]]
      local runs = {}
      local function join()
        runs[#runs + 1] = rille.run {
          topic = topic, group = group, text = text, after = { out },
          args = with("--batch-size", "50", "-X", "linger.ms=30"),
        }
        return runs[#runs]
      end
      local first = rille.await(join(), 100)
      local second = rille.await(join(), 50, "message", 20)
      rille.await(join(), 50, "message", 20)
      stop(first)
      join()
      stop(second)
      assert.is_true(proc.till(60, function() return rille.lag(group, topic) == 0 end), "lag 0")
      stop(runs[3], runs[4])
      assert.equal(n, rille.distinct(table.unpack(runs)))
      assert.equal(0, twice(table.unpack(runs)), words(table.unpack(runs)))
    end)
  end)
end

if not assignors[3] then
  pending "rebalance under group.protocol=consumer: this librdkafka is older than 2.10"
end
