-- Training on the stream: bounded reads without a group, and online learning in one.
local proc = require "support.proc"
local rille = require "support.rille"
local system = require "system"

-- Rows of three numbers; the first is the label: whether the second is larger than the third.
local function rows(topic, n, partitions)
  local values = {}
  for i = 1, n do
    local a, b = i * 37 % 101, i * 59 % 103
    values[i] = { v = ("%d,%d,%d"):format(a > b and 1 or 0, a, b), p = (i - 1) % (partitions or 1) }
  end
  rille.send(topic, values)
end

local READ = [[
local m = rille.mlp { 2, 16, 1, learning_rate = 0.01 }
local function read(batch)
  return batch:tensor { "a", "b" }:scale(50, 30), batch:tensor "label"
end
local settings = { decode = "csv", csv = { columns = { "label", "a", "b" } }, fields = { "label", "a", "b" } }
]]

describe("training", function()
  after_each(proc.end_all)

  it("reads a range without a group: partitions, start and end; the loss falls", function()
    local topic = rille.topic { partitions = 2 }
    rows(topic, 2000, 2)
    local run = rille.finish {
      topic = topic, args = { "-p", "1", "--start", "100", "--end", "900", "--batch-size", "100", "-q" },
      text = READ .. [[
settings.handle = function(batch)
  local loss
  for _ = 1, 5 do loss = m:train(read(batch)) end
  say("loss", loss)
  for _, message in batch:messages() do say("message", message.topic, message.partition, message.offset) end
end
return settings
]],
    }
    local losses, seen = rille.said(run, "loss"), rille.said(run, "message")
    assert.equal(800, #seen)
    for i, line in ipairs(seen) do assert.same({ "1", tostring(99 + i) }, { line[3], line[4] }) end
    assert.is_true(tonumber(losses[#losses][2]) < 0.7 * tonumber(losses[1][2]), losses[#losses][2])
  end)

  -- How often each message came in each epoch: every one once, and no epoch begins before another is over.
  local function check_epochs(run, epochs, messages)
    local seen, epoch, n = {}, 0, 0
    for _, line in ipairs(rille.said(run, "message")) do
      local of = tonumber(line[2])
      if of ~= epoch then
        assert.equal(epoch + 1, of)
        assert.equal(epoch == 0 and 0 or messages, n)
        seen, epoch, n = {}, of, 0
      end
      assert.is_nil(seen[line[3]], line.line)
      seen[line[3]], n = true, n + 1
    end
    assert.equal(messages, n)
    assert.equal(epochs, epoch)
  end

  local EPOCHS = [[
return { handle = function(batch)
  for _, m in batch:messages() do say("message", batch.epoch, m.partition .. "/" .. m.offset) end
  say("batch", #batch, batch.cause)
end }
]]

  it("reads a range several times: --epochs", function()
    local topic = rille.topic { partitions = 4 } -- one stays empty
    rille.fill(topic, 300, { partitions = 3 })
    local run = rille.finish { topic = topic, args = { "-e", "--epochs", "4", "--batch-size", "70", "-q" }, text = EPOCHS }
    check_epochs(run, 4, 300)
    run = rille.finish {
      topic = topic, args = { "-p", "0,1", "--start", "20", "--end", "50", "--epochs", "2", "--lanes", "1" }, text = EPOCHS,
    }
    check_epochs(run, 2, 60)
    run = rille.finish { topic = topic, args = { "-p", "3", "-e", "--epochs", "3" }, text = EPOCHS }
    assert.equal(0, rille.count(run, "message"))
  end)

  it("reads a range several times in each lane, one of which has none of it", function()
    local topic = rille.topic { partitions = 3 }
    rille.fill(topic, 90, { partitions = 3 })
    local run = rille.finish {
      topic = topic, args = { "-e", "--epochs", "3", "--lanes", "4", "--batch-size", "20", "-q" }, text = EPOCHS,
    }
    local times = {}
    for _, line in ipairs(rille.said(run, "message")) do
      local what = line[2] .. " " .. line[3]
      times[what] = (times[what] or 0) + 1
      assert.equal(1, times[what], what)
    end
    assert.equal(270, rille.count(run, "message"))
  end)

  it("reads the range that there was at the start, whatever comes meanwhile", function()
    local topic, go = rille.topic(), proc.folder() .. "/go"
    rille.fill(topic, 100)
    local run = rille.run {
      topic = topic, args = { "-e", "--epochs", "3", "--batch-size", "40", "-q" }, after = { go },
      text = [[local waited = false
]] .. EPOCHS:gsub('say%("batch"', 'while not waited do waited = io.open(arg[2]) end say("batch"'),
    }
    rille.await(run, 40)
    rille.fill(topic, 5000, { from = 100 })
    proc.write(go, "")
    assert.equal(0, run:wait(30), run:err())
    check_epochs(run, 3, 100)
  end)

  it("begins an epoch when all of the one before is done, retries included", function()
    local topic = rille.topic()
    rille.fill(topic, 60)
    local run = rille.finish {
      topic = topic, args = { "-e", "--epochs", "3", "--batch-size", "20", "-q" },
      text = [[
local failed = {}
return { retries = 1, backoff = 0.05, handle = function(batch)
  if batch[#batch].offset == 59 and not failed[batch.epoch] then
    failed[batch.epoch] = true
    error "once an epoch"
  end
  for _, m in batch:messages() do say("message", batch.epoch, m.offset) end
end }
]],
    }
    check_epochs(run, 3, 60)
  end)

  it("reads a range several times in the library form", function()
    local topic = rille.topic { partitions = 2 }
    rille.fill(topic, 100, { partitions = 2 })
    local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")
    local program = proc.write(proc.folder() .. "/program.lua", [[
local rille = require "rille"
local said = {}
for batch in rille.stream{ brokers = arg[1], topics = arg[2], exit_at_end = true, epochs = 3, batch = { size = 30 } } do
  said[batch.epoch] = (said[batch.epoch] or 0) + #batch
end
print(table.concat(said, " "))
]])
    local run = proc.start({ os.getenv "LUA" or "lua5.4", program, rille.brokers, topic }, {
      env = { LUA_CPATH_5_4 = module .. ";;", LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "" },
    })
    assert.equal(0, run:wait(30), run:err())
    assert.equal("100 100 100\n", run:out())
  end)

  it("reads nothing twice in a group, from a file, or without an end", function()
    for part, args in pairs {
      ["epochs: a group reads each message once (g)"] = { "-t", "x", "-G", "g", "-e" },
      ["epochs: a file is read once"] = { "--input", "/dev/null" },
      ["epochs: the range has no end"] = { "-t", "x" },
    } do
      local words = { "run", "--code", "return function() end", "-b", rille.brokers, "--epochs", "2", table.unpack(args) }
      local run = rille.start(words)
      assert.equal(2, run:wait(20))
      assert.is_truthy(run:err():find(part, 1, true), run:err())
    end
  end)

  it("goes over each batch of a live group several times, and commits after the last", function()
    local topic, group = rille.topic(), rille.name "group"
    local go = proc.folder() .. "/go"
    rows(topic, 100)
    local run = rille.run {
      topic = topic, group = group, args = { "--batch-size", "50", "-q" }, after = { go },
      text = READ .. [[
settings.handle = function(batch)
  local x, y = read(batch)
  for pass = 1, 3 do
    m:train(x, y)
    say("pass", batch.number, pass)
    while batch.number == 1 and pass == 2 and not io.open(arg[2]) do end
  end
end
return settings
]],
    }
    rille.await(run, 2, "pass")
    system.sleep(0.5) -- time in which a commit would be seen
    assert.same({}, rille.committed(group, topic))
    proc.write(go, "")
    rille.await(run, 6, "pass")
    assert.is_true(proc.till(20, function() return rille.committed(group, topic)["0"] == 100 end))
    rows(topic, 10)
    rille.await(run, 9, "pass")
    assert.is_true(proc.till(20, function() return rille.committed(group, topic)["0"] == 110 end))
  end)

  it("tries a batch again from its first pass when one fails", function()
    local topic, group = rille.topic(), rille.name "group"
    rows(topic, 20)
    local run = rille.finish {
      topic = topic, group = group, args = { "-e", "-q" },
      text = READ .. [[
settings.retries, settings.backoff = 1, 0.01
settings.handle = function(batch)
  for pass = 1, 3 do
    m:train(read(batch))
    say("pass", batch.attempt, pass)
    if batch.attempt == 1 and pass == 2 then error "a model that is not quite there" end
  end
end
return settings
]],
    }
    local passes = {}
    for _, line in ipairs(rille.said(run, "pass")) do passes[#passes + 1] = line[2] .. line[3] end
    assert.same({ "11", "12", "21", "22", "23" }, passes)
    assert.equal(0, rille.lag(group, topic))
  end)
end)
