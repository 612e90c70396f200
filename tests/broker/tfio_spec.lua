-- What TensorFlow-IO's group data sets are tested for, and what their users missed.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

describe("TensorFlow-IO's group tests", function()
  after_each(proc.end_all)

  local function rows(topics, group, ...)
    return rille.count(rille.finish { topics = topics, group = group, args = { "-e", ... } }, "message")
  end

  it("a new group reads all, a rerun reads none, resuming reads only what is new, over two topics", function()
    local one, two = rille.topic(), rille.topic { partitions = 2 }
    local group = rille.name "group"
    rille.fill(one, 10)
    rille.fill(two, 20, { partitions = 2 })
    assert.equal(30, rows({ one, two }, group))
    assert.equal(0, rows({ one, two }, group))
    rille.fill(one, 3, { from = 10 })
    rille.fill(two, 4, { partitions = 2, from = 20 })
    assert.equal(7, rows({ one, two }, group))
    assert.equal(37, rows({ one, two }, rille.name "group"), "a second group reads all")
    assert.equal(0, rille.lag(group, one) + rille.lag(group, two))
  end)

  it("auto.offset.reset is honoured", function()
    local topic = rille.topic()
    rille.fill(topic, 10)
    assert.equal(0, rows({ topic }, rille.name "group", "-X", "auto.offset.reset=latest"))
    assert.equal(10, rows({ topic }, rille.name "group", "-X", "auto.offset.reset=earliest"))
  end)

  it("late rows inside the time-out are caught; the run ends when nothing came for that long", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 5)
    local run = rille.run { topic = topic, group = group, args = { "--idle", "3", "--batch-timeout", "0.1" } }
    rille.await(run, 5)
    require("system").sleep(1.5)
    rille.fill(topic, 5, { from = 5 })
    rille.await(run, 10)
    assert.equal(0, run:wait(10), run:err())
    assert.equal(10, rille.count(run, "message"))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("a maximum number of records is kept to exactly, and the rest is left for the next run", function()
    local topic, group = rille.topic { partitions = 3 }, rille.name "group"
    rille.fill(topic, 300, { partitions = 3 })
    local first = rille.finish { topic = topic, group = group, args = { "--count", "120" } }
    assert.equal(120, rille.count(first, "message"))
    assert.equal(180, rille.lag(group, topic))
    local second = rille.finish { topic = topic, group = group, args = { "-e" } }
    assert.equal(180, rille.count(second, "message"))
    assert.equal(300, rille.distinct(first, second))
  end)

  it("rows keep their order within a partition, their keys, and every key in one partition", function()
    local topic = rille.topic { partitions = 4 }
    local records = {}
    for i = 1, 100 do records[i] = { k = tostring(i % 2), v = "row" .. i } end
    rille.send(topic, records)
    local run = rille.finish {
      topic = topic, group = rille.name "group", args = { "-e" },
      text = [[return function(batch)
        for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.key, m.value) end
      end]],
    }
    local last, place = {}, {}
    for _, m in ipairs(rille.said(run, "message")) do
      local partition, offset, key, row = m[3], tonumber(m[4]), m[5], tonumber(m[6]:match "%d+")
      assert.equal(place[key] or partition, partition)
      assert.is_true(row > (last[key] or 0))
      assert.is_true(offset >= 0)
      place[key], last[key] = partition, row
    end
    assert.equal(100, rille.count(run, "message"))
  end)

  it("two members share the partitions and each row is read once", function()
    local topic, group = rille.topic { partitions = 4 }, rille.name "group"
    rille.fill(topic, 4000, { partitions = 4 })
    local args = { "--idle", "4", "--batch-timeout", "0.1", "-X", "heartbeat.interval.ms=300" }
    local a = rille.run { topic = topic, group = group, args = args }
    rille.await(a, 1)
    local b = rille.run { topic = topic, group = group, args = args }
    assert.is_true(proc.till(15, function()
      local members = tool.ask("group", { group = group }).members
      return #members == 2 and #members[1].parts == 2 and #members[2].parts == 2
    end), "two members with two partitions each")
    rille.fill(topic, 400, { partitions = 4, from = 4000 })
    assert.equal(0, a:wait(30), a:err())
    assert.equal(0, b:wait(30), b:err())
    assert.equal(4400, rille.distinct(a, b))
    assert.is_true(rille.count(b, "message") >= 200)
    assert.equal(0, rille.lag(group, topic))
  end)
end)
