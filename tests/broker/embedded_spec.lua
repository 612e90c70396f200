-- S12, and the main job on the embedded broker. It makes any topic that is asked for, and lets nobody join for a
-- while after a member left: such things are tested against Apache Kafka.
local embedded = require "support.embedded"
local proc = require "support.proc"
local rille = require "support.rille"

setup(embedded.start)
teardown(embedded.stop)

describe("embedded broker", function()
  local broker, address

  setup(function()
    broker = rille.start { "broker", "--topics", "alerts:4,out:2,dead:1,full:1" }
    assert.is_true(proc.till(10, function() return broker:out():match "127%.0%.0%.1:%d+" end) and true, broker:err())
    address = broker:out():match "127%.0%.0%.1:%d+"
  end)
  teardown(function()
    broker:kill "TERM"
    assert.equal(0, broker:wait(10), broker:err())
  end)

  local function send(topic, n, text)
    local lines = {}
    for i = 1, n do lines[i] = text and text or ('{"n":%d}'):format(i - 1) end
    local run = rille.start({ "send", "-b", address, "-t", topic }, { stdin = table.concat(lines, "\n") .. "\n" })
    return run:wait(30), run:err()
  end

  it("prints its address, one line", function()
    assert.is_truthy(broker:out():match "^127%.0%.0%.1:%d+\n$", broker:out())
  end)

  it("a group reads all and commits it", function()
    assert.equal(0, send("alerts", 2000))
    local run = rille.finish { topic = "alerts", group = "all", brokers = address, args = { "-e" } }
    assert.equal(2000, rille.count(run, "message"))
    local lag = rille.start { "lag", "-b", address, "-G", "all", "--json" }
    assert.equal(0, lag:wait(15), lag:err())
    local rows = rille.ndjson(lag:out())
    assert.equal(4, #rows)
    for _, row in ipairs(rows) do assert.equal(0, row.lag) end
  end)

  local function rows(group)
    local lag = rille.start { "lag", "-b", address, "-G", group, "--json" }
    assert.equal(0, lag:wait(15), lag:err())
    return rille.ndjson(lag:out())
  end

  it("several lanes read all once, commit it and end with -e; one goes on from there", function()
    for _, lanes in ipairs { "3", "6" } do
      local group = "lanes" .. lanes
      local run = rille.finish { topic = "alerts", group = group, brokers = address, args = { "-e", "--lanes", lanes } }
      local times, all = rille.times(run)
      assert.equal(2000, all, run:err())
      for at, n in pairs(times) do assert.equal(1, n, at) end
      for _, row in ipairs(rows(group)) do assert.equal(0, row.lag) end
      local again = rille.finish { topic = "alerts", group = group, brokers = address, args = { "-e" } }
      assert.equal(0, rille.count(again, "message"))
    end
  end)

  it("several lanes for a group that had a member are refused with what to do, status 3", function()
    rille.finish { topic = "alerts", group = "had one", brokers = address, args = { "-e", "-c", "20" } }
    local run = rille.finish({
      topic = "alerts", group = "had one", brokers = address, args = { "-e", "--lanes", "2" },
    }, 3)
    assert.is_truthy(run:err():find("take another group (-G), or --lanes 1", 1, true), run:err())
  end)

  it("a failing message goes to the dead letter, outputs to their topic", function()
    local run = rille.finish {
      topic = "alerts", group = "failing", brokers = address, args = { "-e", "--dead-letter", "dead" },
      text = [[return { fields = { n = "n" }, handle = function(batch, out)
        for i = 1, #batch do
          if batch.n[i] == 1234 then error "this one" end
          say "row"
        end
        out:forward("out", batch:where("n % 100 == 0"))
      end }]],
    }
    local function tap(topic)
      local t = rille.start { "tap", "-b", address, "-t", topic, "-e" }
      assert.equal(0, t:wait(15), t:err())
      return rille.ndjson(t:out())
    end
    local dead = tap "dead"
    assert.equal(1, #dead, run:err())
    assert.equal(1234, dead[1].value.n)
    assert.equal(20, #tap "out")
  end)

  it("S12 send refuses to overfill it, instead of losing the oldest in silence", function()
    local status, err = send("full", 6000, ("x"):rep(1000))
    assert.is_true(status ~= nil and status ~= 0, err)
    assert.is_truthy(err:find("full", 1, true), err)
  end)

  it("ends on a signal", function()
    local other = rille.start { "broker" }
    assert.is_true(other:says("127.0.0.1:", 10, "out"))
    other:kill "INT"
    assert.equal(0, other:wait(10), other:err())
  end)
end)

-- The cases of these files that need no more of a broker than it has; the others say why they are left out.
describe("on the embedded broker:", function()
  setup(function()
    embedded.enter(function(why) pending(why) end)
  end)
  teardown(embedded.leave)

  for _, name in ipairs {
    "bisect", "failures", "batcher", "outputs", "files", "commits", "positions", "rows", "hyrax",
  } do
    assert(loadfile(("%s/tests/broker/%s_spec.lua"):format(rille.root, name), "t", _ENV))()
  end
end)
