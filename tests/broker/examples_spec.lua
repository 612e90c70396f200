-- Each script of examples/ does what its head says.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

-- Alerts of the generator in a topic, and how many pass bright.lua's cut.
local function alerts(topic, n)
  local dir = proc.folder()
  assert(os.execute(("%s/tests/data/alerts %d >%s/alerts 2>%s/made"):format(rille.root, n, dir, dir)))
  local send = rille.start { "send", "-b", rille.brokers, "-t", topic, "-K", "\\t", dir .. "/alerts" }
  assert.equal(0, send:wait(30), send:err())
  return tonumber(proc.read(dir .. "/made"):match "bright=(%d+)")
end

local function example(name, ...)
  local run = rille.start { "run", rille.root .. "/examples/" .. name, "-b", rille.brokers, ... }
  assert.equal(0, run:wait(30), run:err())
  return run
end

describe("examples", function()
  after_each(proc.end_all)

  it("bright.lua forwards what passes, byte for byte", function()
    local topic, group = rille.topic { partitions = 4 }, rille.name "group"
    rille.topic { name = "bright" }
    local passed = alerts(topic, 1000)
    local run = example("bright.lua", "-t", topic, "-G", group, "-e")
    local handled, kept = 0, 0
    for n, k in run:out():gmatch "(%d+) alerts %(%w+%), (%d+) bright" do handled, kept = handled + n, kept + k end
    assert.same({ 1000, passed }, { handled, kept })
    local all = {}
    for _, r in ipairs(rille.read(topic)) do all[r.v] = r.k end
    local bright = rille.read "bright"
    assert.equal(passed, #bright)
    for _, r in ipairs(bright) do assert.equal(all[r.v], r.k) end
    assert.equal(0, rille.lag(group, topic))
  end)

  it("print.lua prints every message", function()
    local topic = rille.topic()
    rille.send(topic, { { p = 0, k = "a", v = "12345", h = { { "origin", "here" } } }, { p = 0, v = tool.null } })
    assert.equal(
      ("%s[0]@0\ta\t5 bytes\n\torigin:\there\n%s[0]@1\t(no key)\t(null)\n"):format(topic, topic),
      example("print.lua", "-t", topic, "-e"):out())
  end)

  it("cjson.lua decodes with lua-cjson", function()
    local topic = rille.topic { partitions = 2 }
    alerts(topic, 100)
    local run = example("cjson.lua", "-t", topic, "-e")
    local lines = rille.ndjson(run:out())
    assert.equal(100, #lines)
    assert.is_truthy(lines[1].id:match "^ZTF%d%d%l+$")
    assert.equal("number", type(lines[1].mag))
  end)

  it("count.lua counts by key", function()
    local topic = rille.topic { partitions = 2 }
    local records = {}
    for i = 1, 60 do records[i] = { k = i % 3 == 0 and "a" or i % 2 == 0 and "b" or "c", v = "x" } end
    rille.send(topic, records)
    assert.equal("60 messages, 3 keys\n20\ta\n20\tb\n", example("count.lua", "-t", topic, "-e", "--", "2"):out())
  end)

  it("dead_letter.lua sends what cannot be used to its topic, one by one", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.topic { name = "alerts-dead" }
    rille.topic { name = "checked" }
    rille.send(topic, {
      '{"objectId":"one","candidate":{"magpsf":17}}', "no json", '{"candidate":{"magpsf":18}}', '{"objectId":"bare"}',
      '{"objectId":"two","candidate":{"magpsf":18.5}}',
    })
    example("dead_letter.lua", "-t", topic, "-G", group, "-e")
    assert.same({ '{"id":"one","mag":17}', '{"id":"two","mag":18.5}' }, rille.values "checked")
    local why = {}
    for _, r in ipairs(rille.read "alerts-dead") do why[r.v] = rille.headers(r)["rille.error"] end
    assert.is_truthy(why["no json"])
    assert.equal("no objectId", why['{"candidate":{"magpsf":18}}'])
    assert.is_truthy(why['{"objectId":"bare"}']:find("candidate", 1, true))
    assert.equal(3, #rille.read "alerts-dead")
    assert.equal(0, rille.lag(group, topic))
  end)

  it("library.lua runs in a plain lua5.4", function()
    local topic = rille.topic { partitions = 2 }
    alerts(topic, 200)
    local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")
    local run = proc.start({ os.getenv "LUA" or "lua5.4", rille.root .. "/examples/library.lua", rille.brokers, topic }, {
      env = { LUA_CPATH_5_4 = module .. ";;", LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "" },
    })
    assert.equal(0, run:wait(30), run:err())
    assert.is_truthy(run:out():find("the faintest alert: magnitude %d+%.%d%d\n$"), run:out())
    assert.equal(0, rille.lag("library", topic))
  end)
end)
