-- Topics that are missing, dead, deleted, or matched by a pattern.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

describe("subscription", function()
  after_each(proc.end_all)

  it("S7.2 when all named topics are unknown the status is 3 and the line names them", function()
    local one, two = rille.name "none", rille.name "none"
    local run = rille.finish({ topics = { one, two }, group = rille.name "group" }, 3)
    assert.is_truthy(run:err():find(one, 1, true), run:err())
    assert.is_truthy(run:err():find(two, 1, true), run:err())
    assert.equal(3, rille.finish({ topics = { one }, args = { "-e" } }, 3):wait())
  end)

  it("S7.2 D 7 one missing topic among several is loud, and the others flow", function()
    local there, missing, group = rille.topic(), rille.name "none", rille.name "group"
    rille.fill(there, 10)
    local run = rille.run { topics = { missing, there }, group = group }
    rille.await(run, 10)
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    local _, lines = run:err():gsub("error: [^\n]*" .. missing:gsub("%-", "%%-"), "")
    assert.equal(1, lines, run:err())
    assert.equal(0, rille.lag(group, there))
  end)

  it("S7.2 a pattern that matches nothing waits, and takes the topic when it comes", function()
    local name, group = rille.name "later", rille.name "group"
    local run = rille.run {
      topics = { "^" .. name .. "$" }, group = group, args = { "-X", "topic.metadata.refresh.interval.ms=500" },
    }
    require("system").sleep(2)
    assert.is_true(run:running(), run:err())
    rille.topic { name = name }
    rille.fill(name, 10)
    rille.await(run, 10, "message", 30)
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.equal(0, rille.lag(group, name))
  end)

  it("S7.2 without a group it waits too, and takes the topic from its beginning when it comes", function()
    local name = rille.name "later"
    local run = rille.run {
      topics = { "^" .. name .. "$" }, args = { "--lanes", "2", "-X", "topic.metadata.refresh.interval.ms=300" },
    }
    require("system").sleep(1.5)
    assert.is_true(run:running(), run:err())
    rille.topic { name = name, partitions = 3 }
    rille.fill(name, 12, { partitions = 3 })
    rille.await(run, 12, "message", 30)
    rille.fill(name, 12, { partitions = 3, from = 100 })
    rille.await(run, 24, "message", 30)
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.equal(24, rille.distinct(run))
  end)

  for where, group in pairs { ["in a group"] = true, ["without one"] = false } do
    local function over(status, ...)
      return rille.finish({
        topics = { "^" .. rille.name "none" .. "$" }, group = group and rille.name "group" or nil,
        args = { "--drain", "30", ... }, limit = 20,
      }, status)
    end

    it("S7.2 a pattern that matches nothing ends " .. where .. " by -e, --idle and --wait, and waits for no join", function()
      over(0, "-e")
      over(0, "--idle", "1")
      assert.is_truthy(over(5, "--wait", "1"):err():find("no message within --wait 1 s", 1, true))
    end)

    it("S7.2 a pattern that matches nothing ends " .. where .. " by a signal, long before `drain`", function()
      local run = rille.run {
        topics = { "^" .. rille.name "none" .. "$" }, group = group and rille.name "group" or nil,
        args = { "--drain", "30", "--explain", "1" },
      }
      assert.is_true(run:says("no topic is there that the pattern matches", 15), run:err())
      run:kill "TERM"
      assert.equal(0, run:wait(15), run:err())
    end)
  end

  it("D 19 a pattern that matches dead topics does not starve the live one", function()
    local stem, group = rille.name "stem", rille.name "group"
    for i = 1, 12 do rille.topic { name = stem .. "-dead" .. i } end
    local live = rille.topic { name = stem .. "-live", partitions = 2 }
    for i = 1, 6 do tool.ask("delete", { topic = stem .. "-dead" .. i }) end
    rille.fill(live, 100, { partitions = 2 })
    local run = rille.run {
      topics = { "^" .. stem .. "-.*" }, group = group,
      args = { "-X", "topic.metadata.refresh.interval.ms=500", "-X", "heartbeat.interval.ms=300" },
    }
    rille.await(run, 100, "message", 20)
    for i = 7, 12 do tool.ask("delete", { topic = stem .. "-dead" .. i }) end
    rille.fill(live, 100, { partitions = 2, from = 100 })
    assert.is_true(proc.till(30, function() return rille.distinct(run) == 200 end), "200 messages of the live topic")
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.equal(0, rille.lag(group, live))
  end)

  it("S7.2 D 6 a topic that is deleted and made again under a live consumer flows again", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 30)
    local run = rille.run {
      topic = topic, group = group, args = { "-X", "topic.metadata.refresh.interval.ms=500" },
      text = [[return function(batch) for _, m in batch:messages() do say("message", m.value) end end]],
    }
    rille.await(run, 30)
    tool.ask("delete", { topic = topic })
    require("system").sleep(2)
    assert.is_true(run:running(), run:err())
    rille.topic { name = topic }
    rille.fill(topic, 10, { from = 1000 })
    assert.is_true(proc.till(45, function()
      local seen = {}
      for _, m in ipairs(rille.said(run, "message")) do seen[m[2]] = true end
      return seen['{"n":1000}'] and seen['{"n":1009}']
    end), run:err())
    assert.is_true(proc.till(20, function() return rille.committed(group, topic)["0"] == 10 end), run:err())
    assert.equal(0, rille.lag(group, topic))
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
  end)

  it("D 6 a committed offset that is out of range begins again, with a word about it", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 20)
    rille.finish { topic = topic, group = group, args = { "--count", "5" } }
    assert.same({ ["0"] = 5 }, rille.committed(group, topic))
    tool.ask("delete_records", { topic = topic, before = 12 })
    local run = rille.finish { topic = topic, group = group, args = { "-e" } }
    assert.equal(8, rille.count(run, "message"))
    assert.equal("12", rille.said(run, "message")[1][4])
    assert.is_truthy(run:err():find(topic, 1, true), run:err())
    assert.equal(0, rille.lag(group, topic))
  end)

  it("partitions that are added to a topic are read too", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 5)
    local run = rille.run {
      topic = topic, group = group,
      args = { "-X", "topic.metadata.refresh.interval.ms=500", "-X", "heartbeat.interval.ms=300" },
    }
    rille.await(run, 5)
    tool.ask("partitions", { topic = topic, partitions = 3 })
    rille.fill(topic, 30, { partitions = 3, from = 100 })
    assert.is_true(proc.till(30, function() return rille.distinct(run) == 35 end), "35 messages")
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
    assert.equal(0, rille.lag(group, topic))
  end)

  it("never creates a topic by subscribing to it", function()
    local there, missing = rille.topic(), rille.name "none"
    local run = rille.run { topics = { there, missing }, group = rille.name "group" }
    run:says(missing, 10)
    run:kill "TERM"
    run:wait(10)
    assert.has_error(function() tool.ask("ends", { topic = missing }) end)
  end)
end)
