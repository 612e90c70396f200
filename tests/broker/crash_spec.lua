-- A member that is killed at any moment, twenty times: every message handled, none skipped, offsets right.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local N, KILLS, AT_ONCE = 20000, 20, 4
local DRAWS = 3 * KILLS -- at most: a run may be over before it is killed

-- Forwards everything; once it has seen the batch named by its third argument, it has itself killed the fourth
-- argument's seconds later, wherever the program then is.
local HANDLER = [[
local pid = io.open "/proc/self/stat":read "a":match "^%d+"
local function doom() os.execute("( sleep " .. arg[4] .. "; kill -KILL " .. pid .. " ) &") end
if arg[3] == "0" then doom() end
return function(batch, out)
  out:forward(arg[2], batch)
  if tostring(batch.number) == arg[3] then doom() end
end]]

describe("SIGKILL", function()
  after_each(proc.end_all)

  it(("at random points of %d messages, %d times, and resumed"):format(N, KILLS), function()
    local topic = rille.topic { partitions = 4 }
    rille.fill(topic, N, { partitions = 4, size = 200 })
    math.randomseed(20201105)

    local function start(round, after, delay)
      return rille.run {
        topic = topic, group = round.group, text = HANDLER, after = { round.sink, tostring(after), tostring(delay) },
        args = { "-e", "--batch-size", "100", "-X", "session.timeout.ms=1000", "-X", "heartbeat.interval.ms=300" },
      }
    end

    local killed, drawn = 0, 0
    while killed < KILLS and drawn < DRAWS do
      local rounds = {}
      for i = 1, math.min(AT_ONCE, KILLS - killed) do
        local round = { group = rille.name "group", sink = rille.topic { partitions = 4 } }
        round.after = drawn == 0 and 0 or math.random(1, 190)
        drawn = drawn + 1
        round.run = start(round, round.after, ("%.3f"):format(math.random() * (round.after == 0 and 1 or 0.05)))
        rounds[i] = round
      end
      for _, round in ipairs(rounds) do
        local status = round.run:wait(60)
        assert.is_true(status == 137 or status == 0, round.run:err())
        if status == 137 then killed = killed + 1 end
        round.run = start(round, "none", "0")
      end
      for _, round in ipairs(rounds) do
        assert.equal(0, round.run:wait(60), round.run:err())
        local c = tool.ask("coverage", { topic = round.sink, n = N })
        assert.equal(N, c.distinct, ("killed after batch %d; missing %s"):format(round.after, tostring(c.missing[1])))
        assert.equal(0, rille.lag(round.group, topic))
        assert.same({ ["0"] = N / 4, ["1"] = N / 4, ["2"] = N / 4, ["3"] = N / 4 }, rille.committed(round.group, topic))
        tool.ask("delete", { topic = round.sink })
      end
    end
    assert.equal(KILLS, killed, "of " .. drawn .. " runs that were to be killed")
  end)
end)
