-- S4: a failure has a class, and what follows from it.
local proc = require "support.proc"
local rille = require "support.rille"

-- Handles messages one by one, says them, and fails as the second argument tells at the value "bad".
local function handler(fail)
  return ([[
return function(batch)
  say("batch", #batch, batch.attempt, batch.part or "whole")
  for _, m in batch:messages() do
    if m.value == "bad" then
      %s
    end
  end
  for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
end]]):format(fail)
end

local FAILURES = {
  ["raises a string"] = 'error "cannot read it"',
  ["raises a table"] = 'error { why = "cannot read it" }',
  ["raises nil"] = "error(nil)",
  ["yields"] = "coroutine.yield()",
  ["returns nil, err"] = 'do return nil, "cannot read it" end',
  ["returns false, err"] = 'do return false, "cannot read it" end',
  ["indexes nil"] = "local none; none.x = 1",
}

describe("failures", function()
  after_each(proc.end_all)

  local function ten_with_one_bad()
    local topic = rille.topic()
    rille.send(topic, { "m0", "m1", "m2", "m3", "m4", "m5", "m6", "bad", "m8", "m9" })
    return topic, rille.name "group"
  end

  for name, fail in pairs(FAILURES) do
    it("S4.2 D 15 a handler that " .. name .. ": the run stops, the finished prefix is committed", function()
      local topic, group = ten_with_one_bad()
      local run = rille.finish({ topic = topic, group = group, args = { "-e" }, text = handler(fail) }, 4)
      local err = run:err()
      assert.same({ ["0"] = 7 }, rille.committed(group, topic), err)
      assert.is_truthy(err:find("handler.lua", 1, true), err)
      assert.is_truthy(err:find(topic, 1, true), err)
      assert.is_truthy(err:find("7", 1, true), err)
      if fail:find "error" or fail:find "none" then assert.is_truthy(err:find("traceback", 1, true), err) end
    end)

    it("S4.2 D 15 a handler that " .. name .. ": with a dead-letter topic one message goes there, the rest on", function()
      local topic, group = ten_with_one_bad()
      local dead = rille.topic()
      local run = rille.finish {
        topic = topic, group = group, args = { "-e", "--dead-letter", dead }, text = handler(fail),
      }
      assert.equal(9, rille.distinct(run))
      assert.equal(0, rille.lag(group, topic))
      local letters = rille.read(dead)
      assert.equal(1, #letters)
      assert.equal("bad", letters[1].v)
      local headers = rille.headers(letters[1])
      assert.equal(topic, headers["rille.topic"])
      assert.equal("0", headers["rille.partition"])
      assert.equal("7", headers["rille.offset"])
      assert.is_truthy(headers["rille.timestamp"]:match "%d+")
      assert.is_truthy(headers["rille.error"])
      assert.is_truthy(headers["rille.script"]:find("handler.lua", 1, true))
      assert.is_truthy(tonumber(headers["rille.attempts"]) >= 1)
    end)
  end

  it("S4.1 a transient failure is waited for, never bisected, never dead-lettered", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.fill(topic, 8)
    local run = rille.finish {
      topic = topic, group = group, args = { "-e", "--dead-letter", dead, "--backoff", "0.1" },
      text = [[
        local rille = require "rille"
        local tries = 0
        return function(batch)
          tries = tries + 1
          say("batch", #batch, batch.part or "whole")
          if tries < 4 then error(rille.transient "the model is away") end
        end]],
    }
    local batches = rille.said(run, "batch")
    assert.equal(4, #batches)
    for _, b in ipairs(batches) do assert.equal("batch 8 whole", b.line) end
    assert.same({}, rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.1 a wait for the weather says what it waits for, and ends at once on a signal", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.fill(topic, 8)
    local run = rille.run {
      topic = topic, group = group,
      args = { "--dead-letter", dead, "--backoff", "30", "--backoff-max", "60", "--explain", "1" },
      text = [[local rille = require "rille"
        return function() say("batch"); error(rille.transient "the model is away") end]],
    }
    rille.await(run, 1, "batch")
    assert.is_true(run:says("the model is away", 10), run:err())
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.is_true(run.seconds < 4, "took " .. run.seconds .. " s")
    assert.same({}, rille.committed(group, topic))
    assert.same({}, rille.read(dead))
  end)

  it("S4.1 --outage bounds the wait; the run then fails and commits nothing of it", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.fill(topic, 8)
    local run = rille.run {
      topic = topic, group = group,
      args = { "--dead-letter", dead, "--backoff", "0.2", "--backoff-max", "0.5", "--outage", "2" },
      text = [[local rille = require "rille"
        return function() say("batch"); error(rille.transient "the model is away") end]],
    }
    local status = run:wait(20)
    assert.is_true(status ~= nil and status ~= 0, run:err())
    assert.is_truthy(run:err():find("the model is away", 1, true), run:err())
    assert.is_true(rille.count(run, "batch") > 2)
    assert.same({}, rille.committed(group, topic))
    assert.same({}, rille.read(dead))
  end)

  it("S4.2 a value that does not decode is dead-lettered by itself, without a retry; the rest is handled once", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.send(topic, { '{"a":1}', "not json", '{"a":3}' })
    local run = rille.finish {
      topic = topic, group = group, args = { "-e", "--dead-letter", dead, "--retries", "5" },
      text = [[return { fields = { a = "a" }, handle = function(batch)
        say("batch", #batch, batch.attempt, batch.a[1], batch.a[2])
      end }]],
    }
    assert.equal("batch 2 1 1 3", rille.said(run)[1].line)
    assert.equal(1, #rille.said(run))
    local letters = rille.read(dead)
    assert.equal("not json", letters[1].v)
    assert.equal("1", rille.headers(letters[1])["rille.offset"])
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.2 without a dead-letter topic a value that does not decode stops the run at it", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.send(topic, { '{"a":1}', "not json", '{"a":3}' })
    local run = rille.finish({
      topic = topic, group = group, args = { "-e" },
      text = [[return { fields = { a = "a" }, handle = function(batch) say("batch", #batch) end }]],
    }, 4)
    assert.same({ ["0"] = 1 }, rille.committed(group, topic))
    assert.equal("batch 1", rille.said(run)[1].line)
    assert.equal(1, #rille.said(run))
    assert.is_truthy(run:err():find(topic .. "[0] offset 1", 1, true), run:err())
  end)

  it("S4.2 a batch that decoding leaves empty calls no handler and is done", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.send(topic, { "not json", "nor this" })
    local run = rille.finish {
      topic = topic, group = group, args = { "-e", "--dead-letter", dead },
      text = [[return { fields = { a = "a" }, handle = function(batch) say("batch", #batch) end }]],
    }
    assert.equal(0, #rille.said(run))
    assert.equal(2, #rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.2 retries come before bisect, with the attempt's number", function()
    local topic, group = ten_with_one_bad()
    local dead = rille.topic()
    local run = rille.finish {
      topic = topic, group = group, text = handler 'error "no"',
      args = { "-e", "--dead-letter", dead, "--retries", "2", "--backoff", "0.05" },
    }
    local batches = rille.said(run, "batch")
    for i = 1, 3 do assert.equal("batch 10 " .. i .. " whole", batches[i].line) end
    assert.is_true(tonumber(batches[4][2]) == 5, batches[4].line)
  end)
end)
