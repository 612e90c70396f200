-- decode = avro with a schema registry: Apicurio, as it is run (Confluent's API).
local proc = require "support.proc"
local registry = require "support.registry"
local rille = require "support.rille"
local tool = require "support.tool"
local wire = require "support.wire"

local ALERT = [[{"type":"record","name":"alert","namespace":"sky","fields":[{"name":"id","type":"long"},
  {"name":"band","type":"string"}]}]]
local ALERT_2 = [[{"type":"record","name":"alert","namespace":"sky","fields":[{"name":"id","type":"long"},
  {"name":"score","type":"double","default":-1},{"name":"band","type":"string"}]}]]

local function alert(id, band) return wire.long(id) .. wire.string(band) end
local function alert_2(id, score, band) return wire.long(id) .. string.pack("<d", score) .. wire.string(band) end

-- Says each row's number, offset and fields, and whole values where asked for.
local SEE = [[
return {
  decode = "avro", fields = { "id", "band", "score" },
  handle = function(batch)
    for i = 1, #batch do say("message", batch[i].topic, batch[i].partition, batch[i].offset, batch.id[i], batch.band[i],
      batch.score[i]) end
  end,
}]]

describe("schema registry", function()
  local own

  setup(function() own = registry.start() end)
  teardown(function()
    own:signal "CONT"
    own:stop()
  end)
  after_each(proc.end_all)

  local function send(topic, values)
    local records = {}
    for i, v in ipairs(values) do records[i] = { p = 0, v64 = tool.base64(v) } end
    rille.send(topic, records)
  end

  local function options(topic, more)
    local all = { topic = topic, text = SEE, args = { "-e", "--registry", own.url } }
    for k, v in pairs(more or {}) do
      if k ~= "args" then all[k] = v end
    end
    for _, word in ipairs(more and more.args or {}) do all.args[#all.args + 1] = word end
    return all
  end

  -- What the handler said of its rows: "id band score".
  local function rows(run)
    local list = {}
    for i, w in ipairs(rille.said(run, "message")) do list[i] = table.concat(w, " ", 5) end
    return list
  end

  local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

  it("registers, consumes; a schema changes in mid-stream", function()
    local topic, group = rille.topic(), rille.name "group"
    local one, two = own:add("alerts-value", ALERT), own:add("alerts-value", ALERT_2)
    send(topic, {
      own.framed(one, alert(2510000000000000003, "g")), own.framed(two, alert_2(2, 0.5, "r")),
      own.framed(one, alert(3, "i")),
    })
    local run = rille.finish(options(topic, { group = group }))
    assert.same({ "2510000000000000003 g nil", "2 r 0.5", "3 i nil" }, rows(run))
    assert.equal(0, rille.lag(group, topic))
    assert.equal("", run:err():match "[^\n]*registry[^\n]*" or "")
  end)

  it("a schema of the reader's gives what older messages lack", function()
    local topic = rille.topic()
    local one = own:add("alerts-value", ALERT)
    send(topic, { own.framed(one, alert(1, "g")) })
    local schema = proc.write(proc.folder() .. "/reader.avsc", ALERT_2)
    assert.same({ "1 g -1.0" }, rows(rille.finish(options(topic, { args = { "--schema", schema } }))))
  end)

  it("message:decode() gives whole values", function()
    local topic = rille.topic()
    send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")) })
    local run = rille.finish(options(topic, { text = [[return { decode = "avro", handle = function(batch)
      local v = batch[1]:decode()
      say("whole", v.id, v.band)
    end }]] }))
    assert.equal("whole 1 g", rille.said(run, "whole")[1].line)
  end)

  it("S4.2 an id the registry answers 404 for is dead-lettered before the handler runs, the rest is handled", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    local one = own:add("alerts-value", ALERT)
    send(topic, {
      own.framed(one, alert(1, "g")), own.framed(999999, alert(2, "g")), own.framed(4294967295, alert(3, "g")),
      "\1" .. own.framed(one, alert(4, "g")):sub(2), "\0\0", own.framed(one, alert(6, "r")),
    })
    local run = rille.finish(options(topic, { group = group, args = { "--dead-letter", dead } }))
    assert.same({ "1 g nil", "6 r nil" }, rows(run))
    local why = {}
    for _, r in ipairs(rille.read(dead)) do why[#why + 1] = rille.headers(r)["rille.error"] end
    assert.equal(4, #why)
    has(why[1], "schema 999999: the registry has none: GET " .. own.url .. "/schemas/ids/999999: 404 Not Found")
    has(why[2], "schema 4294967295: ")
    has(why[3], "magic byte 0x01")
    has(why[4], "cut short: 2 bytes")
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.2 without a dead-letter topic it stops the run there, with status 4", function()
    local topic, group = rille.topic(), rille.name "group"
    send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")), own.framed(999999, "") })
    local run = rille.finish(options(topic, { group = group }), 4)
    has(run:err(), topic .. "[0] offset 1: the value does not decode: schema 999999: the registry has none")
    assert.same({ "1 g nil" }, rows(run))
    assert.same({ ["0"] = 1 }, rille.committed(group, topic))
  end)

  it("references are resolved, of references too", function()
    local topic = rille.topic()
    own:add("band", [[{"type":"enum","name":"band","namespace":"sky","symbols":["g","r"]}]])
    own:add("source", [[{"type":"record","name":"source","namespace":"sky","fields":[{"name":"band","type":"band"}]}]],
      { references = { { name = "sky.band", subject = "band", version = 1 } } })
    local whole = own:add("whole", [[{"type":"record","name":"whole","namespace":"sky","fields":[
      {"name":"id","type":"long"},{"name":"source","type":"sky.source"}]}]],
      { references = { { name = "sky.source", subject = "source", version = 1 } } })
    send(topic, { own.framed(whole, wire.long(7) .. wire.long(1)) })
    local run = rille.finish(options(topic, { text = SEE:gsub('"band"', 'band = "source.band"') }))
    assert.same({ "7 r nil" }, rows(run))
  end)

  it("values of a JSON schema are JSON; a Protobuf schema's are refused", function()
    local topic, dead = rille.topic(), rille.topic()
    local json = own:add("json", [[{"$schema":"http://json-schema.org/draft-07/schema#","title":"a","type":"object"}]],
      { type = "JSON" })
    local protobuf = own:add("protobuf", [[syntax = "proto3"; message A { int32 id = 1; }]], { type = "PROTOBUF" })
    send(topic, { own.framed(json, '{"id":5,"band":"g"}'), own.framed(protobuf, "\0\8\1") })
    local run = rille.finish(options(topic, { args = { "--dead-letter", dead } }))
    assert.same({ "5 g nil" }, rows(run))
    has(rille.headers(rille.read(dead)[1])["rille.error"], "schema " .. protobuf .. " is a Protobuf one")
  end)

  it("S4.1 a registry that is down at the start is told, waited for, and nothing is lost", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    local other = registry.start()
    finally(function() other:stop() end)
    local id = other:add("alerts-value", ALERT)
    other:stop()
    local values = {}
    for i = 1, 300 do values[i] = other.framed(id, alert(i, "g")) end
    send(topic, values)
    local run = rille.run {
      topic = topic, group = group, text = SEE,
      args = { "--registry", other.url, "--dead-letter", dead, "--explain", "1", "--backoff-max", "1" },
    }
    assert.is_true(run:says("going on without it: messages that need it wait for it"), run:err())
    assert.is_true(run:says(("waiting, 1 s so far: %s[0] offset 0: schema %d: GET %s"):format(topic, id, other.url)), run:err())
    other:resume()
    rille.await(run, 300)
    for i, row in ipairs(rows(run)) do assert.equal(i .. " g nil", row) end
    has(run:err(), "it answers again")
    -- What is known needs no registry.
    other:stop()
    send(topic, values)
    rille.await(run, 600)
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.equal(600, rille.count(run, "message"))
    assert.equal(0, rille.lag(group, topic))
    assert.equal(0, #rille.read(dead))
  end)

  it("S4.1 one that is frozen is the weather, too; a signal ends the wait", function()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    local one = own:add("alerts-value", ALERT)
    send(topic, { own.framed(one, alert(1, "g")) })
    own:signal "STOP"
    local run = rille.run(options(topic, {
      group = group, args = { "--connect", "2", "--dead-letter", dead, "--explain", "1", "--drain", "20" },
    }))
    assert.is_true(run:says "s so far: ", run:err())
    has(run:err(), "timed out")
    run:kill "TERM"
    assert.equal(0, run:wait(15), run:err())
    assert.is_true(run.seconds < 10, run.seconds .. " s: it waited for half of --drain")
    own:signal "CONT"
    assert.equal(0, #rille.read(dead))
    assert.same({}, rille.committed(group, topic))
    assert.same({ "1 g nil" }, rows(rille.finish(options(topic, { group = group }))))
  end)

  it("S4.1 outage bounds the wait", function()
    local topic, group = rille.topic(), rille.name "group"
    send(topic, { own.framed(1, "") })
    local run = rille.run {
      topic = topic, group = group, text = SEE, args = { "--registry", "http://127.0.0.1:1/none", "--outage", "1" },
    }
    assert.equal(4, run:wait(20), run:err())
    has(run:err(), ("gave up after --outage 1 s: %s[0] offset 0: schema 1: GET http://127.0.0.1:1/none"):format(topic))
    assert.same({}, rille.committed(group, topic))
  end)

  it("a wrong path is told and waited for: nothing is dead-lettered for it", function()
    local topic, dead = rille.topic(), rille.topic()
    send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")) })
    local run = rille.run {
      topic = topic, text = SEE, args = { "-e", "--registry", own.url .. "/wrong", "--dead-letter", dead, "--outage", "1" },
    }
    assert.equal(4, run:wait(20), run:err())
    has(run:err(), "is the path of its URL right?")
    assert.equal(0, #rille.read(dead))
  end)

  it("of several URLs the next is asked when one does not answer", function()
    local topic = rille.topic()
    send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")) })
    local run = rille.finish {
      topic = topic, text = SEE, args = { "-e", "--registry", "http://127.0.0.1:1/none," .. own.url },
    }
    assert.same({ "1 g nil" }, rows(run))
  end)

  it("rille schema shows what the registry says of a topic; one that is down is status 3", function()
    local topic = rille.topic()
    send(topic, { own.framed(own:add("alerts-value", ALERT_2), alert_2(2510000000000000003, 0.5, "g")) })
    local function schema(...)
      local run = rille.start { "schema", topic, "-b", rille.brokers, ... }
      return run:wait(30), run
    end
    local status, run = schema("--registry", own.url)
    assert.equal(0, status, run:err())
    assert.is_truthy(run:out():find("id%s+long%s.*2510000000000000003"), run:out())
    assert.is_truthy(run:out():find("score%s+double"), run:out())
    status, run = schema("--registry", "http://127.0.0.1:1/none")
    assert.equal(3, status, run:err())
    status, run = schema()
    assert.equal(2, status, run:err())
    has(run:err(), "or a registry with --registry")
  end)

  it("the library form reads from it, too", function()
    local topic = rille.topic()
    send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")) })
    local program = proc.write(proc.folder() .. "/program.lua", [[
      local rille = require "rille"
      for batch in rille.stream { brokers = arg[1], topics = arg[2], registry = arg[3], decode = "avro", fields = { "id" },
        exit_at_end = true, start = "beginning" } do print(batch.id[1], batch[1]:decode().band) end]])
    local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")
    local run = proc.start({ os.getenv "LUA" or "lua5.4", program, rille.brokers, topic, own.url }, {
      env = { LUA_CPATH_5_4 = module .. ";;", LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "" },
    })
    assert.equal(0, run:wait(30), run:err())
    assert.equal("1\tg\n", run:out())
  end)

  describe("lsst_reliable.lua", function()
    setup(function() rille.topic { name = "lsst-dead" } end)

    local function example(topic, to, faintest)
      local run = rille.start {
        "run", rille.root .. "/examples/lsst_reliable.lua", "-b", rille.brokers, "-t", topic, "-G", rille.name "group", "-e",
        "--registry", own.url, "--", to, faintest,
      }
      assert.equal(0, run:wait(30), run:err())
      return run:out()
    end

    it("forwards what is reliable and bright", function()
      local topic, to = rille.topic(), rille.topic()
      local schema = [[{"type":"record","name":"alert","fields":[{"name":"diaSourceId","type":"long"},
        {"name":"diaSource","type":{"type":"record","name":"diaSource","fields":[{"name":"ra","type":"double"},
        {"name":"dec","type":"double"},{"name":"band","type":["null","string"]},{"name":"snr","type":["null","float"]},
        {"name":"scienceFlux","type":["null","float"]},{"name":"reliability","type":["null","float"]},
        {"name":"ssObjectId","type":["null","long"]}]}}]}]]
      local id = own:add("lsst-made", schema)
      rille.once([=[
        local schema = rille.avro.schema(arg[3])
        for i, case in ipairs { { 0.9, 8, 200000, 0 }, { 0.7, 8, 200000 }, { 0.9, 4, 200000 }, { 0.9, 8, 100000 },
          { 0.9, 8, 200000, 5 }, { nil, 8, 200000 } } do
          out:send(arg[1], schema:encode({ diaSourceId = 7912941781254298 + i, diaSource = { ra = 55.75, dec = -32.27,
            band = "r", snr = case[2], scienceFlux = case[3], reliability = case[1], ssObjectId = case[4] } },
            { framing = "confluent", id = tonumber(arg[2]) }))
        end
        out:send(arg[1], "\0\0\1\1\1nothing")]=], topic, id, proc.write(proc.folder() .. "/made.avsc", schema))
      local out = example(topic, to)
      has(out, "7912941781254299 r 18.15 at 55.75000 -32.27000, snr 8.0, reliability 0.90\n")
      has(out, "6 alerts, 1 reliable\n")
      local all, passed = rille.read(topic), rille.read(to)
      assert.equal(1, #passed)
      assert.same({ all[1].v, all[1].v64 }, { passed[1].v, passed[1].v64 })
      has(rille.headers(rille.read("lsst-dead")[1])["rille.error"], "schema 65793: the registry has none")
    end)

    it("on Rubin's own packet and schema", function()
      local packet, why = wire.data "lsst/7912941781254298.confluent"
      if not packet then return pending(why) end
      local topic, to, changed = rille.topic(), rille.topic(), rille.topic()
      local id = own:add("lsst", proc.read(wire.data("lsst/lsst.v9_0.alert.avsc")[1]))
      local bytes = proc.read(packet[1])
      send(topic, { own.framed(id, bytes:sub(6)) })
      local see = rille.finish(options(topic, {
        text = [[return { decode = "avro", fields = { ra = "diaSource.ra", dec = "diaSource.dec", snr = "diaSource.snr",
          reliability = "diaSource.reliability", id = "diaSourceId" }, handle = function(batch)
          for _, c in ipairs { "id", "ra", "dec", "snr", "reliability" } do
            say("message", c, ("%.17g"):format(batch.columns[c][1]))
          end
        end }]],
      }))
      local truth = { 7912941781254298, 55.75212760972686, -32.26847858422095, 5.052084445953369, 0.11247663199901581 }
      for i, w in ipairs(rille.said(see, "message")) do assert.equal(truth[i] + 0.0, tonumber(w[3]), w[2]) end
      has(example(topic, to), "1 alerts, 0 reliable\n")
      -- The same alert, as reliable as the filter wants it.
      rille.once([=[
        local schema = rille.avro.schema(arg[2])
        local value = rille.avro.decode(schema, assert(io.open(arg[3], "rb")):read "a", { framing = "confluent" })
        value.diaSource.reliability = 0.95
        out:send(arg[1], schema:encode(value, { framing = "confluent", id = tonumber(arg[4]) }))]=],
        changed, wire.data("lsst/lsst.v9_0.alert.avsc")[1], packet[1], id)
      has(example(changed, to, "30"), "7912941781254298 ")
      assert.equal(1, #rille.read(to))
    end)
  end)

  describe("behind a door", function()
    local USER = "Basic " .. tool.base64 "me:hunter22-secret"
    local topic

    setup(function()
      topic = rille.topic()
      send(topic, { own.framed(own:add("alerts-value", ALERT), alert(1, "g")) })
    end)

    local function knock(url, args, env, status)
      local run = rille.finish(
        { topic = topic, text = SEE, args = { "-e", "-v", "--registry", url, table.unpack(args) }, env = env }, status or 0)
      for _, text in ipairs { run:out(), run:err() } do
        assert.is_nil(text:find("hunter22-secret", 1, true))
        assert.is_nil(text:find(tool.base64 "me:hunter22-secret", 1, true))
        assert.is_nil(text:find("token-77-secret", 1, true))
      end
      assert.same(status and {} or { "1 g nil" }, rows(run))
      return run
    end

    it("basic authentication opens it, from the environment, a file or the command line", function()
      local url = own:door(USER)
      knock(url, { "--registry-user", "me" }, { RILLE_REGISTRY_PASSWORD = "hunter22-secret" })
      knock(url, { "--registry-user", "me", "--registry-password", "hunter22-secret" })
      local file = proc.write(proc.folder() .. "/registry.properties",
        "basic.auth.credentials.source=USER_INFO\nbasic.auth.user.info=me:hunter22-secret\n")
      knock(url, { "--registry-file", file })
    end)

    it("a bearer token opens it", function()
      knock(own:door "Bearer token-77-secret", {}, { RILLE_REGISTRY_TOKEN = "token-77-secret" })
    end)

    it("S7 a log-in that is refused is status 3 at the start, without the password", function()
      local url = own:door "Basic b3RoZXI6d29yZA=="
      local run = knock(url, { "--registry-user", "me" }, { RILLE_REGISTRY_PASSWORD = "hunter22-secret" }, 3)
      has(run:err(), "refuses the log-in")
      has(run:err(), "401")
    end)

    it("TLS is checked with the certificates that are named", function()
      local server, other = registry.certificate "server", registry.certificate "other"
      local url = own:door("-", server .. ".p12")
      knock(url, { "--registry-ca", server .. ".pem" })
      has(knock(url, { "--registry-ca", other .. ".pem" }, nil, 3):err(), "cannot be trusted")
      has(knock(url, {}, nil, 3):err(), "cannot be trusted")
      has(knock(url, { "--registry-ca", other .. ".nothing" }, nil, 2):err(), "other.nothing")
    end)

    it("a client's certificate is shown", function()
      local server, client = registry.certificate "server", registry.certificate "client"
      local trusted = client .. ".trusted.p12"
      assert(os.execute(("keytool -importcert -noprompt -alias client -file %s.pem -keystore %s -storetype PKCS12 "
        .. "-storepass store-secret >%s.words 2>&1"):format(client, trusted, trusted)))
      local url = own:door("-", server .. ".p12", trusted)
      knock(url, {
        "--registry-ca", server .. ".pem", "--registry-certificate", client .. ".pem", "--registry-key", client .. ".key",
      })
      local run = rille.run {
        topic = topic, text = SEE, args = { "-e", "--registry", url, "--registry-ca", server .. ".pem", "--outage", "1" },
      }
      assert.equal(4, run:wait(20), run:err())
      assert.same({}, rows(run))
    end)
  end)
end)
