-- rille schema over topics.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local SCHEMA = [[{"type":"record","name":"alert","fields":[{"name":"id","type":"long"},{"name":"mag","type":["null","float"]}]}]]

describe("rille schema", function()
  after_each(proc.end_all)

  local function run(...)
    local process = rille.start { "schema", "-b", rille.brokers, ... }
    return process:wait(30), process:out(), process:err()
  end

  local function shows(...)
    local status, out, err = run(...)
    assert.equal(0, status, err)
    return out:gsub("  +", "|"), err
  end

  it("of JSON shows paths, types, counts and samples, and leaves no trace", function()
    local topic = rille.topic { partitions = 3 }
    rille.send(topic, { { p = 0, v = '{"id":1,"c":{"m":18.5}}' }, { p = 1, v = '{"id":"x"}' }, { p = 2, v = tool.null } })
    local out, err = shows(topic)
    assert.is_truthy(err:find('guessed: decode = "json"', 1, true), err)
    assert.is_truthy(out:find("id|i64 or str|2/2|", 1, true), out)
    assert.is_truthy(out:find("c.m|f64|1/1|18.5\n", 1, true), out)
    for _, name in ipairs(tool.ask("groups", {}).groups) do assert.is_nil(name:find("^rille%-"), name) end
    assert.equal(out, (shows("-t", topic)))
  end)

  it("reads the newest unless told where", function()
    local topic, old = rille.topic(), {}
    for i = 1, 20 do old[i] = { p = 0, v = ('{"old":%d}'):format(i) } end
    rille.send(topic, old)
    rille.send(topic, { '{"new":1}' })
    assert.equal("PATH|TYPE|FILLED|SAMPLE\nnew|i64|1/1|1\n", (shows(topic, "-c", "1")))
    assert.equal("PATH|TYPE|FILLED|SAMPLE\nold|i64|2/2|1\n", (shows(topic, "-c", "2", "-o", "beginning")))
  end)

  it("of Avro in containers, and with the schema in the key", function()
    local function send(topic, framing, key)
      rille.once([[local schema, topic, framing, key = arg[1], arg[2], arg[3], arg[4]
        out:send(topic, rille.avro.encode(schema, { id = 7 }, { framing = framing }), { key = key })]],
        SCHEMA, topic, framing, key)
    end
    local container, keyed = rille.topic(), rille.topic()
    send(container, "container")
    send(keyed, "key", SCHEMA)
    local want = "PATH|TYPE|FILLED|SAMPLE\nid|long|1/1|7\nmag|float or null|0/1\n"
    assert.equal(want, (shows(container)))
    local out, err = shows(keyed)
    assert.equal(want, out)
    assert.is_truthy(err:find('framing = "key"', 1, true), err)
  end)

  it("an empty topic and one of tombstones are status 5, an unknown one 3", function()
    local topic = rille.topic()
    local status, out, err = run(topic)
    assert.same({ 5, "" }, { status, out })
    assert.is_truthy(err:find("holds no message there", 1, true), err)
    rille.send(topic, { { p = 0, k = "a", v = tool.null } })
    status, out, err = run(topic)
    assert.same({ 5, "" }, { status, out })
    assert.is_truthy(err:find("have no value", 1, true), err)
    assert.equal(3, (run(rille.name "none")))
  end)

  it("a file sent whole is one message", function()
    local topic = rille.topic()
    local path = proc.write(proc.folder() .. "/a.json", '{\n  "id": 7\n}\n')
    local send = rille.start { "send", "-b", rille.brokers, "-t", topic, "--input-format", "whole", path, path }
    assert.equal(0, send:wait(30), send:err())
    assert.same({ '{\n  "id": 7\n}\n', '{\n  "id": 7\n}\n' }, rille.values(topic))
    assert.equal("PATH|TYPE|FILLED|SAMPLE\nid|i64|2/2|7\n", (shows(topic)))
  end)

  it("from `rille schema` to a running filter by copy and paste", function()
    local topic, dir = rille.topic { partitions = 2 }, proc.folder()
    assert(os.execute(("%s/tests/data/alerts %d >%s/alerts 2>%s/made"):format(rille.root, 200, dir, dir)))
    local send = rille.start { "send", "-b", rille.brokers, "-t", topic, "-K", "\\t", dir .. "/alerts" }
    assert.equal(0, send:wait(30), send:err())
    local status, script, err = run(topic, "--script")
    assert.equal(0, status, err)
    local handler = rille.start { "run", proc.write(dir .. "/filter.lua", script), "-b", rille.brokers, "-e", "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err())
    local lines = select(2, handler:out():gsub("\n", ""))
    assert.equal(200, lines)
  end)
end)
