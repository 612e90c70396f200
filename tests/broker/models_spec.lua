-- S4.1 and S4.2 with models: a server that is down is the weather, an answer is the batch's own.
local system = require "system"

local model = require "support.model"
local proc = require "support.proc"
local registry = require "support.registry"
local rille = require "support.rille"
local tool = require "support.tool"

-- Prints the score of 21.5, by the model at the URI with these options.
local ONCE = [[
local rille = require "rille"
local m = rille.model(arg[1], { ca = arg[2] ~= "-" and arg[2] or nil, timeout = 10 })
print(m(rille.tensor { { 21.5 } }):item())
return function() end]]

-- Scores each n and sends "n score".
local SCORE = [[
local rille = require "rille"
local m = rille.model(arg[2], { timeout = 2, retries = 1 })
return {
  fields = { n = "n" },
  assigned = function() say("assigned") end,
  revoked = function() say("revoked") end,
  handle = function(batch, out)
    local scores = m((batch:tensor { "n" })):reshape(#batch)
    for i = 1, #batch do
      out:send(arg[3], ("%d %d"):format(batch.n[i], scores[i] // 1))
      say("message", batch[i].topic, batch[i].partition, batch[i].offset)
    end
  end,
}]]

-- "n 2n" for 0 to n - 1, sorted as rille.values does.
local function wanted(n)
  local values = {}
  for i = 1, n do values[i] = ("%d %d"):format(i - 1, 2 * (i - 1)) end
  table.sort(values)
  return values
end

local function member(group)
  local g = tool.ask("group", { group = group })
  return g.state == "Stable" and #g.members == 1 and g.members[1].id or g.state
end

describe("a model's server", function()
  local own

  setup(function() own = model.start() end)
  teardown(proc.end_all)

  local function score(options)
    options.text = SCORE
    options.args = options.args or {}
    for _, word in ipairs { "--batch-size", "20", "--explain", "1", "--backoff-max", "1" } do
      options.args[#options.args + 1] = word
    end
    return rille.run(options)
  end

  it("S4.1 that is stopped and started again: nothing lost, nothing dead-lettered, nobody evicted", function()
    local topic, sink, dead, group = rille.topic { partitions = 2 }, rille.topic(), rille.topic(), rille.name "group"
    rille.fill(topic, 200, { partitions = 2 })
    local run = score {
      topic = topic, group = group, after = { own.uri, sink },
      args = { "--dead-letter", dead, "-X", "max.poll.interval.ms=6000", "-X", "session.timeout.ms=6000" },
    }
    rille.await(run, 200)
    local before = member(group)
    own:stop()
    rille.fill(topic, 200, { partitions = 2, from = 200 })
    assert.is_true(run:says("s so far: ", 20), run:err())
    system.sleep(9) -- longer than a member may be silent
    assert.is_true(run:running(), run:err())
    assert.equal(before, member(group))
    own:resume()
    rille.await(run, 400, "message", 40)
    assert.is_true(proc.till(20, function() return rille.lag(group, topic) == 0 end), run:err())
    assert.equal(before, member(group))
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.same(wanted(400), rille.values(sink))
    assert.equal(0, #rille.read(dead))
    assert.equal(1, rille.count(run, "assigned"))
  end)

  it("S4.1 that answers 400 until it has loaded the model again is the weather", function()
    local topic, sink, dead, group = rille.topic(), rille.topic(), rille.topic(), rille.name "group"
    rille.fill(topic, 20)
    local run = score {
      topic = topic, group = group, after = { own.uri, sink },
      args = { "--dead-letter", dead, "--retries", "0" },
    }
    rille.await(run, 20)
    own:stop()
    rille.fill(topic, 20, { from = 20 })
    assert.is_true(run:says("s so far: ", 20), run:err())
    own:answers "400"
    own:resume()
    local said = run:says("Model sum is not ready yet", 20)
    own:answers(nil)
    assert.is_true(said, run:err())
    rille.await(run, 40, "message", 40)
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.same(wanted(40), rille.values(sink))
    assert.equal(0, #rille.read(dead))
    assert.equal(40, rille.committed(group, topic)["0"])
  end)

  it("S4.2 that refuses whoever asks (401) stops the run: nothing dead-lettered, nothing committed", function()
    local topic, sink, dead, group = rille.topic(), rille.topic(), rille.topic(), rille.name "group"
    rille.fill(topic, 20)
    local run = score { topic = topic, group = group, after = { own.uri, sink }, args = { "--dead-letter", dead } }
    rille.await(run, 20)
    own:answers "401"
    finally(function() own:answers(nil) end)
    rille.fill(topic, 20, { from = 20 })
    assert.equal(4, run:wait(20), run:err())
    assert.is_truthy(run:err():find("401", 1, true))
    assert.equal(0, #rille.read(dead))
    assert.equal(20, rille.committed(group, topic)["0"])
  end)

  it("S4.1 that is frozen is the weather, too; a signal ends the wait", function()
    local topic, sink, dead, group = rille.topic(), rille.topic(), rille.topic(), rille.name "group"
    rille.fill(topic, 20)
    local run = score { topic = topic, group = group, after = { own.uri, sink }, args = { "--dead-letter", dead } }
    rille.await(run, 20)
    own:signal "STOP"
    finally(function() own:signal "CONT" end)
    rille.fill(topic, 20, { from = 20 })
    assert.is_true(run:says("s so far: ", 20), run:err())
    run:kill "TERM"
    assert.equal(0, run:wait(20), run:err())
    assert.equal(0, #rille.read(dead))
    assert.equal(20, rille.committed(group, topic)["0"])
  end)

  it("S4.2 that refuses a row (400): that message is dead-lettered, the others pass", function()
    local topic, sink, dead, group = rille.topic(), rille.topic(), rille.topic(), rille.name "group"
    rille.send(topic, { '{"n":0}', '{"n":1}', '{"n":-5}', '{"n":2}', '{"n":3}' })
    local run = score {
      topic = topic, group = group, after = { own.uri, sink },
      args = { "-e", "--dead-letter", dead, "--retries", "0" },
    }
    assert.equal(0, run:wait(30), run:err())
    assert.same(wanted(4), rille.values(sink))
    local letters = rille.read(dead)
    assert.equal(1, #letters)
    assert.equal('{"n":-5}', letters[1].v)
    assert.is_truthy(rille.headers(letters[1])["rille.error"]:find("400 Bad Request", 1, true))
  end)

  it("over TLS, behind a log-in: certificate and token open it, and no secret is told", function()
    local server, other = registry.certificate "server", registry.certificate "other"
    local place = registry.door({ url = own.uri:gsub("^kserve", "http"):match "^http://[^/]*" },
      "Bearer token-78-secret", server .. ".p12"):gsub("^https", "kserves")
    local function once(status, ca, token)
      local run = rille.start({ "run", "--code", ONCE, "--input", "/dev/null", "--", place .. "/sum", ca },
        { env = { RILLE_MODEL_TOKEN = token } })
      assert.equal(status, run:wait(30), run:err())
      assert.is_nil(run:err():find("secret", 1, true), run:err())
      return run
    end
    assert.equal("43.0\n", once(0, server .. ".pem", "token-78-secret"):out())
    assert.is_truthy(once(2, server .. ".pem", "token-79-secret"):err():find("401", 1, true))
    assert.is_truthy(once(2, other .. ".pem", "token-78-secret"):err():find("certificate", 1, true))
    assert.is_truthy(once(2, "-", "token-78-secret"):err():find("certificate", 1, true))
  end)
end)
