-- Transactions on the input topic.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

describe("transactions on the input", function()
  after_each(proc.end_all)

  local function mixed()
    local topic = rille.topic { partitions = 2 }
    for round = 0, 4 do
      rille.fill(topic, 20, { partitions = 2, from = round * 40, txn = topic, ["end"] = "commit" })
      rille.fill(topic, 20, { partitions = 2, from = round * 40 + 20, txn = topic, ["end"] = "abort" })
    end
    return topic
  end

  it("read_committed, the default, sees no aborted message and leaves lag 0", function()
    local topic, group = mixed(), rille.name "group"
    local run = rille.finish { topic = topic, group = group, args = { "-e" } }
    assert.equal(100, rille.count(run, "message"))
    for _, m in ipairs(rille.said(run, "message")) do
      assert.is_true(tonumber(m[5]:match "%d+") % 40 < 20, m.line)
    end
    assert.equal(0, rille.lag(group, topic))
  end)

  it("read_uncommitted sees all and leaves lag 0", function()
    local topic, group = mixed(), rille.name "group"
    local run = rille.finish { topic = topic, group = group, args = { "-e", "-X", "isolation.level=read_uncommitted" } }
    assert.equal(200, rille.count(run, "message"))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("messages of an open transaction come when it is committed, in a run that goes on", function()
    local topic, group, txn = rille.topic(), rille.name "group", rille.name "txn"
    rille.fill(topic, 5)
    rille.fill(topic, 5, { from = 5, txn = txn })
    local run = rille.run { topic = topic, group = group, args = { "--batch-timeout", "0.1" } }
    rille.await(run, 5)
    assert.is_true(proc.till(10, function() return rille.committed(group, topic)["0"] == 5 end))
    assert.equal(5, rille.count(run, "message"))
    tool.ask("end_txn", { txn = txn, ["end"] = "commit" })
    rille.await(run, 10)
    assert.is_true(proc.till(10, function() return rille.lag(group, topic) == 0 end), "the marker leaves a lag")
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
  end)

  it("D 5 1.8 million consecutive aborted messages are passed, not waited at", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 3)
    rille.fill(topic, 1800000, { from = 3, txn = topic, ["end"] = "abort" })
    rille.fill(topic, 2, { from = 1800003 })
    local run = rille.finish { topic = topic, group = group, args = { "-e" }, limit = 60 }
    assert.equal(5, rille.count(run, "message"))
    assert.equal(0, rille.lag(group, topic))
  end)
end)
