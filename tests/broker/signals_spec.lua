-- Signals, and limits that end a run.
local system = require "system"

local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

describe("signals", function()
  after_each(proc.end_all)

  it("an idle handler's run is over in under a second or so", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 5)
    local run = rille.run { topic = topic, group = group }
    rille.await(run, 5)
    assert.is_true(proc.till(5, function() return rille.lag(group, topic) == 0 end))
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.is_true(run.seconds < 3, "took " .. run.seconds .. " s")
  end)

  it("D 17 SIGTERM with a long deadline hands the partial batch over at once (cause stop) and commits it", function()
    local topic, group = rille.topic { partitions = 2 }, rille.name "group"
    rille.fill(topic, 10, { partitions = 2 })
    local run = rille.run { topic = topic, group = group, args = { "--batch-timeout", "100", "--batch-size", "10000" } }
    system.sleep(2.5)
    assert.equal(0, rille.count(run, "batch"))
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.is_true(run.seconds < 4, "took " .. run.seconds .. " s")
    assert.equal("batch 1 stop 10", rille.said(run)[1].line)
    assert.equal(0, rille.lag(group, topic))
  end)

  it("finishes the batch in hand and the one that is filled, and commits both", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 25)
    local run = rille.run {
      topic = topic, group = group, args = { "--batch-size", "10", "--batch-timeout", "50" },
      text = [[return function(batch)
        say("batch", batch.cause)
        os.execute "sleep 0.7"
        for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset) end
      end]],
    }
    rille.await(run, 1, "batch")
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    local handled = rille.count(run, "message")
    assert.equal(handled, rille.committed(group, topic)["0"])
    assert.is_true(handled >= 20, handled .. " handled")
    assert.equal(handled, rille.distinct(run))
  end)

  it("what could not be finished within `drain` is not committed", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 10)
    local run = rille.run {
      topic = topic, group = group, args = { "--drain", "1" },
      text = [[return function() say("batch"); local t = os.time() + 30; while os.time() < t do end; say("done") end]],
    }
    rille.await(run, 1, "batch")
    run:kill "TERM"
    assert.equal(0, run:wait(12), run:err()) -- the handler unwound: that is a clean stop
    assert.is_true(run.seconds < 6, "took " .. run.seconds .. " s")
    assert.equal(0, rille.count(run, "done"))
    assert.same({}, rille.committed(group, topic))
    assert.is_truthy(run:err():find("batch 1 is left unfinished: 10 of its 10 messages", 1, true), run:err())
  end)

  it("S10.3 a handler stuck in C is left after `drain`, with status 4, and nothing of its batch is committed", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 10)
    local run = rille.run {
      topic = topic, group = group, args = { "--drain", "1" },
      text = 'return function() say("batch"); return (("a"):rep(3000)):find((".-"):rep(20) .. "b") end',
    }
    rille.await(run, 1, "batch")
    run:kill "TERM"
    assert.equal(4, run:wait(20), run:err())
    assert.is_truthy(run:err():find("handler.lua: a handler call was still running after --drain 1 s", 1, true), run:err())
    assert.same({}, rille.committed(group, topic))
    assert.equal(0, #tool.ask("group", { group = group }).members)
  end)

  it("a second signal leaves at once", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 10)
    local run = rille.run {
      topic = topic, group = group, args = { "--drain", "20" },
      text = [[return function() say("batch"); os.execute "sleep 8" end]],
    }
    rille.await(run, 1, "batch")
    run:kill "TERM"
    system.sleep(0.5)
    assert.is_true(run:running())
    run:kill "TERM"
    assert.is_not_nil(run:wait(7), run:err())
    assert.is_true(run.seconds < 4, "took " .. run.seconds .. " s")
    assert.same({}, rille.committed(group, topic))
  end)
end)

-- The masks of blocked signals of a process's threads, the first one's left out.
local function blocked(pid)
  local masks = {}
  local pipe = io.popen(("cat /proc/%d/task/*/status 2>/dev/null"):format(pid))
  local tid
  for line in pipe:lines() do
    tid = tonumber(line:match "^Pid:%s+(%d+)") or tid
    local mask = line:match "^SigBlk:%s+(%x+)"
    if mask and tid ~= pid then masks[#masks + 1] = tonumber(mask, 16) end
  end
  pipe:close()
  return masks
end

describe("threads", function()
  after_each(proc.end_all)

  -- Bit N - 1 is signal N. The handler's thread lets one through: the realtime signal of limits.time, while it is in a call.
  local ORDINARY = 0
  for signal = 1, 31 do
    if signal ~= 9 and signal ~= 19 then ORDINARY = ORDINARY | 1 << signal - 1 end
  end

  it("S10.1 block all signals: the program's first thread gets them", function()
    local topic = rille.topic()
    rille.fill(topic, 5)
    local run = rille.run {
      topic = topic, group = rille.name "group", after = { rille.topic() }, args = { "--lanes", "2" },
      text = 'return function(batch, out) out:forward(arg[2], batch); say("batch"); os.execute "sleep 3" end',
    }
    rille.await(run, 1, "batch")
    local masks = blocked(run.pid)
    assert.is_true(#masks >= 6, #masks .. " threads") -- two lanes' two, and librdkafka's
    for _, mask in ipairs(masks) do
      assert.equal(ORDINARY, mask & ORDINARY, ("%x"):format(mask))
    end
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
  end)
end)

describe("limits", function()
  after_each(proc.end_all)

  local function limited(text, ...)
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 3)
    local run = rille.finish({ topic = topic, group = group, text = text, args = { "-e", ... }, limit = 25 }, 4)
    assert.same({}, rille.committed(group, topic))
    return run:err()
  end

  for name, code in pairs {
    ["a loop"] = "while true do end",
    ["a loop in a coroutine"] = "coroutine.wrap(function() while true do end end)()",
    ["a loop in a resumed coroutine"] = "coroutine.resume(coroutine.create(function() while true do end end))\nwhile true do end",
    ["a loop under pcall"] = "while true do pcall(function() while true do end end) end",
  } do
    it("S10.3 D 14 " .. name .. " ends at limits.time, with a traceback", function()
      local err = limited("return function()\n" .. code .. "\nend", "--limits-time", "1")
      assert.is_truthy(err:find("traceback", 1, true), err)
      assert.is_truthy(err:find "handler%.lua:[23]: the call took longer than limits%.time", err)
    end)
  end

  it("S10.3 D 14 a pattern that backtracks for ever is left after `drain`, saying where", function()
    local err = limited('return function()\nreturn (("a"):rep(40)):find(("a*"):rep(30) .. "b")\nend', "--limits-time", "1",
      "--drain", "1")
    assert.is_truthy(err:find("handler.lua", 1, true), err)
  end)

  -- Two lanes, a partition each; one never comes back from its second batch, the other is in the middle of its own.
  it("S10.3 a handler that never returns: what is done is committed, the group left, other lanes finish first", function()
    local topic, group = rille.topic { partitions = 2 }, rille.name "group"
    local run = rille.run {
      topic = topic, group = group,
      args = { "--lanes", "2", "--batch-size", "10", "--limits-time", "3", "--drain", "4", "-X", "heartbeat.interval.ms=300" },
      text = [[return function(batch)
        local partition, offset = batch[1].partition, batch[1].offset
        say("batch", partition, offset)
        if offset == 10 and partition == 0 then return (("a"):rep(3000)):find((".-"):rep(20) .. "b") end
        local t = os.time() + (offset == 10 and 1 or 0)
        while os.time() < t do end
        say("done", partition, offset)
      end]],
    }
    assert.is_true(proc.till(20, function()
      local members = tool.ask("group", { group = group }).members
      return #members == 2 and #members[1].parts == 1 and #members[2].parts == 1
    end), run:err())
    rille.fill(topic, 40, { partitions = 2 })
    assert.equal(4, run:wait(40), run:err())
    assert.same({ ["0"] = 10, ["1"] = 20 }, rille.committed(group, topic), run:err())
    assert.is_truthy(run:err():find("handler.lua", 1, true), run:err())
    assert.is_truthy(run:err():find("limits.time 3 s", 1, true), run:err())
    assert.equal(0, #tool.ask("group", { group = group }).members)
  end)

  it('D 14 ("a"):rep(1e9) meets limits.memory, with a traceback', function()
    local err = limited('return function()\nreturn #("a"):rep(1000000000)\nend', "--limits-memory", "100M")
    assert.is_truthy(err:find("handler.lua:2: not enough memory: limits.memory is 104857600 bytes", 1, true), err)
    assert.is_truthy(err:find "stack traceback:\n%s+%[C%]: in method 'rep'\n%s+%S*handler%.lua:2: in ", err)
  end)

  it("D 14 a loop that fills a table meets limits.memory, with a traceback", function()
    local err = limited("return function()\nlocal t = {}\nfor i = 1, 1e9 do t[i] = { i } end\nend", "--limits-memory", "8M")
    assert.is_truthy(err:find "handler%.lua:3: not enough memory: limits%.memory is ", err)
    assert.is_truthy(err:find "stack traceback:\n%s+%S*handler%.lua:3: in ", err)
  end)

  it("outputs past limits.output are the handler's failure", function()
    local err = limited([[return function(_, out)
      for _ = 1, 1000 do out:send("-", ("x"):rep(10000)) end
    end]], "--limits-output", "1M")
    assert.is_truthy(err:find("handler.lua", 1, true), err)
  end)
end)
