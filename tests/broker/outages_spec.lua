-- S7: what cannot be reached: loud at the start, waited for later.
local system = require "system"

local kafka = require "support.kafka"
local proc = require "support.proc"
local rille = require "support.rille"

describe("outages", function()
  local own

  setup(function() own = kafka.start() end)
  teardown(function()
    proc.end_all()
    own:signal "CONT"
    own:stop()
  end)
  after_each(proc.end_all)

  it("S7.1 D 8 an unreachable broker is status 3 within the time to connect", function()
    local run = rille.run { topic = "any", group = "any", brokers = "127.0.0.1:1", args = { "--connect", "3" } }
    assert.equal(3, run:wait(15), run:err())
    assert.is_true(run.seconds < 9, "took " .. run.seconds .. " s")
    assert.is_truthy(run:err():find("127.0.0.1:1", 1, true), run:err())
  end)

  it("S7.1 D 8 a host that does not exist is status 3", function()
    local run = rille.run { topic = "any", brokers = "nosuch.invalid:9092", args = { "--connect", "3", "-e" } }
    assert.equal(3, run:wait(20), run:err())
    assert.is_truthy(run:err():find("nosuch.invalid", 1, true), run:err())
  end)

  it("D 8 a wrong SASL password is status 3 and says so, without the password", function()
    local run = rille.run {
      topic = "any", group = "any", brokers = rille.sasl,
      args = { "--connect", "8", "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN",
        "-X", "sasl.username=reader", "-X", "sasl.password=quite-wrong-one" },
    }
    assert.equal(3, run:wait(20), run:err())
    assert.is_truthy(run:err():lower():find("authentication", 1, true), run:err())
    assert.is_nil(run:err():find("quite-wrong-one", 1, true))
  end)

  it("a right SASL password runs", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 10)
    local run = rille.finish {
      topic = topic, group = group, brokers = rille.sasl,
      args = { "-e", "-v", "-X", "security.protocol=SASL_PLAINTEXT", "-X", "sasl.mechanism=PLAIN",
        "-X", "sasl.username=reader", "-X", "sasl.password=reader-secret" },
    }
    assert.equal(10, rille.count(run, "message"))
    assert.is_nil(run:err():find("reader-secret", 1, true))
  end)

  it("S7.1 a broker that goes and comes back is waited for; nothing is lost", function()
    local topic = rille.topic { partitions = 2, brokers = own.address }
    local sink = rille.topic { brokers = own.address }
    local group = rille.name "group"
    rille.fill(topic, 400, { partitions = 2, brokers = own.address })
    local run = rille.run {
      topic = topic, group = group, brokers = own.address, after = { sink },
      args = { "--batch-size", "20", "--explain", "2", "-X", "session.timeout.ms=10000" },
      text = [[return function(batch, out)
        for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
        out:forward(arg[2], batch)
        os.execute "sleep 0.1"
      end]],
    }
    rille.await(run, 60)
    own:kill()
    system.sleep(9)
    assert.is_true(run:running(), run:err())
    assert.is_truthy(run:err():find("127.0.0.1", 1, true), run:err())
    local last = 0
    for seconds in run:err():gmatch "were not acknowledged for (%d+) s; waiting" do
      assert.is_true(tonumber(seconds) > last, run:err())
      last = tonumber(seconds)
    end
    assert.is_true(last >= 4, run:err())
    own:resume()
    rille.fill(topic, 100, { partitions = 2, from = 400, brokers = own.address })
    assert.is_true(proc.till(60, function() return rille.lag(group, topic, own.address) == 0 end), run:err())
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.is_truthy(run:err():find("outputs are acknowledged again", 1, true), run:err())
    assert.equal(500, rille.distinct(run))
    local seen = {}
    for _, v in ipairs(rille.values(sink, { brokers = own.address })) do seen[v] = true end
    local n = 0
    for _ in pairs(seen) do n = n + 1 end
    assert.equal(500, n)
  end)

  it("S3.1 a commit that cannot be made at the exit is status 3, with the offsets that will come again", function()
    local topic, group = rille.topic { brokers = own.address }, rille.name "group"
    rille.fill(topic, 20, { brokers = own.address })
    local go = proc.folder() .. "/go"
    local run = rille.run {
      topic = topic, group = group, brokers = own.address, after = { go }, args = { "--drain", "3" },
      text = [[return function(batch)
        say("batch")
        while not io.open(arg[2]) do os.execute "sleep 0.05" end
        say("done")
      end]],
    }
    rille.await(run, 1, "batch")
    own:signal "STOP"
    proc.write(go, "")
    rille.await(run, 1, "done")
    run:kill "TERM"
    local status = run:wait(20)
    own:signal "CONT"
    assert.equal(3, status, run:err())
    local words = ("not committed within --drain 3 s: %s[0] up to 20; these messages will come again"):format(topic)
    assert.is_truthy(run:err():find(words, 1, true), run:err())
  end)

  it("S3.1 in_flight = 1 hands no batch over before the last one is committed", function()
    local topic, group = rille.topic { brokers = own.address }, rille.name "group"
    rille.fill(topic, 40, { brokers = own.address })
    local go = proc.folder() .. "/go"
    local run = rille.run {
      topic = topic, group = group, brokers = own.address, after = { go }, args = { "--batch-size", "10", "--in-flight", "1" },
      text = [[return function(batch)
        say("batch", batch.number)
        while not io.open(arg[2] .. batch.number) do os.execute "sleep 0.05" end
        say("done", batch.number)
      end]],
    }
    rille.await(run, 1, "batch") -- the next ones are fetched already
    own:signal "STOP"
    proc.write(go .. 1, "")
    rille.await(run, 1, "done")
    system.sleep(2)
    local early = rille.count(run, "batch")
    own:signal "CONT"
    assert.equal(1, early)
    rille.await(run, 2, "batch")
    assert.equal(10, rille.committed(group, topic, own.address)["0"])
    for n = 2, 4 do proc.write(go .. n, "") end
    assert.is_true(proc.till(20, function() return rille.lag(group, topic, own.address) == 0 end), run:err())
    run:kill "TERM"
    assert.equal(0, run:wait(10), run:err())
  end)

  it("S5.1 a topic that takes small requests only: outputs in order, with a request behind one that is refused", function()
    local topic, group = rille.topic { brokers = own.address }, rille.name "group"
    local sink = rille.topic { brokers = own.address, configs = { ["max.message.bytes"] = "2000" } }
    local values, want = {}, {}
    for i = 1, 40 do
      values[i] = ("%02d"):format(i):rep(300)
      if i % 8 == 1 or (i - 1) % 8 >= 4 then want[#want + 1] = values[i] end
    end
    rille.send(topic, values, { brokers = own.address })
    rille.finish { -- thawed, the broker finds requests of one, four and one outputs; four are over its limit
      topic = topic, group = group, brokers = own.address, after = { sink, tostring(own:pid()) },
      args = { "-e", "--batch-size", "4", "--batch-timeout", "5", "-X", "linger.ms=50" },
      text = [[return function(batch, out)
        local n = batch.number
        if n < 4 then os.execute "sleep 0.3" end
        if n == 2 then os.execute(("kill -STOP %s; (sleep 2; kill -CONT %s) >/dev/null 2>&1 &"):format(arg[3], arg[3])) end
        if n == 4 then os.execute "sleep 3" end
        for i = 1, n % 2 == 0 and #batch or 1 do out:forward(arg[2], batch[i]) end
      end]],
    }
    assert.same(want, rille.sequence(sink, { brokers = own.address }))
    assert.equal(0, rille.lag(group, topic, own.address))
  end)

  it("S7.1 an outage is told by a line in each interval; a signal during one ends the run within `drain`", function()
    local topic, group = rille.topic { brokers = own.address }, rille.name "group"
    rille.fill(topic, 20, { brokers = own.address })
    local run = rille.run {
      topic = topic, group = group, brokers = own.address,
      args = { "--drain", "2", "--batch-timeout", "0.1", "--explain", "1" },
    }
    rille.await(run, 20)
    assert.is_true(proc.till(10, function() return rille.lag(group, topic, own.address) == 0 end))
    own:kill()
    local said = run:says("all brokers down for", 20) -- the line that comes every 15 s (--explain)
    run:kill "TERM"
    local status = run:wait(15)
    own:resume()
    assert.is_true(said, run:err())
    assert.is_truthy(run:err():find("no message for %d+ s: servers " .. own.address:gsub("%p", "%%%0") .. ", group " ..
      group:gsub("%p", "%%%0") .. ".*; all brokers down for %d+ s"), run:err())
    assert.is_not_nil(status, run:err())
    assert.is_true(run.seconds < 8, "took " .. run.seconds .. " s")
  end)
end)
