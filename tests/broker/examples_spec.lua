-- Each script of examples/ does what its head says.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"
local wire = require "support.wire"

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

  -- What a topic's messages hold, a line each, sorted; `as` decodes and `where` selects.
  local function held(topic, as, where)
    local text = [[return function(batch)
      for _, m in batch:where(%q):messages() do
        local v = m:decode()
        local mag = string.unpack("f", string.pack("f", v.candidate.magpsf))
        print(m.key, v.objectId, v.candid, math.type(v.candid), v.candidate.ra, mag, as == "avro" and v.candidate.nid)
      end
    end]]
    text = "local as = arg[1] " .. text:format(where)
    local words = { "run", "--code", text, "-b", rille.brokers, "-t", topic, "-e", "--decode", as[1] }
    for i = 2, #as do words[#words + 1] = as[i] end
    for _, word in ipairs { "--fields", "mag=candidate.magpsf,rb=candidate.rb", "--", as[1] } do words[#words + 1] = word end
    local run = rille.start(words)
    assert.equal(0, run:wait(30), run:err())
    local lines = {}
    for line in run:out():gmatch "[^\n]+" do lines[#lines + 1] = line:gsub("\t[^\t]*$", "") end
    table.sort(lines)
    return lines
  end

  it("alerts_to_avro.lua sends what passes as Avro, in the framing it is told", function()
    local topic = rille.topic { partitions = 2 }
    local passed = alerts(topic, 300)
    local want = held(topic, { "json" }, "mag < 18.5 and rb >= 0.65")
    assert.equal(passed, #want)
    rille.topic { name = "alerts-avro" }
    example("alerts_to_avro.lua", "-t", topic, "-e")
    assert.same(want, held("alerts-avro", { "avro" }, "mag ~= nil"))
    tool.ask("delete_records", { topic = "alerts-avro", before = passed })
    local out = example("alerts_to_avro.lua", "-t", topic, "-e", "--", "confluent", "900"):out()
    assert.is_truthy(out:find(" sent as Avro\n", 1, true), out)
    local schema = proc.read(rille.root .. "/examples/alerts_to_avro.lua"):match "%[%[(.-)%]%]"
    local file = proc.write(proc.folder() .. "/bright.avsc", schema)
    assert.same(want, held("alerts-avro", { "avro", "--schema", file, "--framing", "confluent" }, "mag ~= nil"))
  end)

  it("alerts_to_avro.lua dead-letters the alert that does not fit, with its path", function()
    local topic, dead = rille.topic(), rille.topic()
    local alert = '{"objectId":"a","candid":%s,"candidate":{"jd":1,"fid":1,"ra":1,"dec":1,"magpsf":17,"sigmapsf":0.1,"rb":1}}'
    rille.send(topic, { { k = "a", p = 0, v = alert:format "1" }, { k = "b", p = 0, v = alert:format '"2"' } })
    example("alerts_to_avro.lua", "-t", topic, "-G", rille.name "group", "-e", "--dead-letter", dead, "--", "single-object")
    local letters = rille.read(dead)
    assert.equal(1, #letters)
    assert.equal("b", letters[1].k)
    local why = rille.headers(letters[1])["rille.error"]
    assert.is_truthy(why:find("candid: a text where long is wanted", 1, true), why)
  end)

  it("fink.lua reads records whose schema is in the key, and forwards both", function()
    local topic, to = rille.topic(), rille.topic()
    rille.once([=[
      local schema = [[{"type":"record","name":"alert","fields":[{"name":"objectId","type":"string"},
        {"name":"candid","type":"long"},
        {"name":"candidate","type":{"type":"record","name":"c","fields":[{"name":"magpsf","type":"float"}]}},
        {"name":"cdsxmatch","type":["null","string"]},{"name":"snn_snia_vs_nonia","type":["null","double"]},
        {"name":"snn_sn_vs_all","type":["null","double"]}]}]]
      for i, case in ipairs { { "Unknown", 0.9 }, { "RRLyr", 0.9 }, { "Unknown", 0.1 }, { "Unknown" } } do
        out:send(arg[1], rille.avro.encode(schema, { objectId = "ZTF" .. i, candid = 2510000000000000003,
          candidate = { magpsf = 18 }, cdsxmatch = case[1], snn_snia_vs_nonia = case[2] }), { key = schema })
      end]=], topic)
    local out = example("fink.lua", "-t", topic, "-e", "--", to):out()
    assert.is_truthy(out:find("4 alerts, 1 candidates", 1, true), out)
    assert.is_truthy(out:find("ZTF1 2510000000000000003 mag 18.00, SN Ia 0.90", 1, true), out)
    local all, r = rille.read(topic), rille.read(to)
    assert.equal(1, #r)
    assert.same({ all[1].k, all[1].v, all[1].v64 }, { r[1].k, r[1].v, r[1].v64 })
  end)

  it("fink.lua on Fink's own alerts", function()
    local files, why = wire.data "fink/part-*_ztf.avro"
    if not files then return pending(why) end
    local topic, to = rille.topic(), rille.topic()
    local want = rille.once([[
      local schema = rille.avro.schema(arg[2])
      local classes = { Unknown = true, ["Candidate_SN*"] = true, SN = true, Transient = true }
      local function over(x) return x ~= rille.null and x > 0.5 end
      local bytes = assert(io.open(arg[2], "rb")):read "a"
      for _, r in ipairs(rille.avro.decode(nil, bytes, { records = true })) do
        out:send(arg[1], schema:encode(r), { key = schema.text })
        if classes[r.cdsxmatch] and (over(r.snn_snia_vs_nonia) or over(r.snn_sn_vs_all)) then print(r.objectId) end
      end]], topic, files[1])
    local got = {}
    for id in example("fink.lua", "-t", topic, "-e", "--", to):out():gmatch "(ZTF%w+) %d+ mag" do got[#got + 1] = id .. "\n" end
    assert.equal(want, table.concat(got))
    assert.is_true(#got > 0)
    assert.equal(#got, #rille.read(to))
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
