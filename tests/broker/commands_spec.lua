-- tap, send, lag, groups and seek against Kafka.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local null = tool.null

describe("rille send", function()
  after_each(proc.end_all)

  local function send(stdin, topic, ...)
    local run = rille.start({ "send", "-b", rille.brokers, "-t", topic, ... }, { stdin = stdin })
    assert.equal(0, run:wait(15), run:err())
    return rille.read(topic)
  end

  it("sends each line of standard input, the last one without a newline too", function()
    local r = send("one\ntwo\n\nlast", rille.topic())
    local values = {}
    for i, record in ipairs(r) do values[i] = record.v end
    assert.same({ "one", "two", "", "last" }, values)
    assert.equal(null, r[1].k)
  end)

  it("splits keys with -K, adds headers with -H, sends to the partition of -p", function()
    local r = send("a:1\nb:2:3\n", rille.topic { partitions = 3 }, "-K", ":", "-H", "origin=shell", "-H", "n=1", "-p", "2")
    assert.same({ "a", "1", 2 }, { r[1].k, r[1].v, r[1].p })
    assert.same({ "b", "2:3", 2 }, { r[2].k, r[2].v, r[2].p })
    assert.same({ origin = "shell", n = "1" }, rille.headers(r[1]))
  end)

  it("-Z sends empty keys and values as null", function()
    local r = send("a:\n:b\n", rille.topic(), "-K", ":", "-Z")
    assert.same({ "a", null }, { r[1].k, r[1].v })
    assert.same({ null, "b" }, { r[2].k, r[2].v })
  end)

  it("sends files, and keys go where Java's clients send them", function()
    local topic, lines = rille.topic { partitions = 5 }, {}
    local same = rille.topic { partitions = 5 }
    local records = {}
    for i = 1, 50 do
      lines[i] = ("k%d:v%d\n"):format(i, i)
      records[i] = { k = "k" .. i, v = "v" .. i }
    end
    local path = proc.write(proc.folder() .. "/lines", table.concat(lines))
    send(nil, topic, "-K", ":", path)
    rille.send(same, records)
    local want = {}
    for _, r in ipairs(rille.read(same)) do want[r.k] = r.p end
    for _, r in ipairs(rille.read(topic)) do assert.equal(want[r.k], r.p) end
  end)

  it("records need a value alone; a line that is none is an error with its place, and the others are sent", function()
    local topic = rille.topic()
    local path = proc.write(proc.folder() .. "/records",
      '{"value":"a"}\n\n{"n":1}\nplain\n{"key":"gone","value":null}\n{"value":{"n":2},"headers":[{"name":"h","value":"1"}]}\n')
    local run = rille.start { "send", "-b", rille.brokers, "-t", topic, "--input-format", "ndjson", path }
    assert.equal(4, run:wait(15), run:err())
    assert.is_truthy(run:err():find(path .. ":3: not sent: neither value nor value_base64", 1, true), run:err())
    assert.is_truthy(run:err():find(path .. ":4: not sent: not JSON", 1, true), run:err())
    assert.is_truthy(run:err():find("2 messages were not sent", 1, true), run:err())
    local r = rille.read(topic)
    assert.same({ "a", null, '{"n":2}' }, { r[1].v, r[2].v, r[3].v })
    assert.same({ null, "gone", "1", 3 }, { r[1].k, r[2].k, rille.headers(r[3]).h, #r })
  end)

  it("a file that cannot be read is status 2, and nothing is sent", function()
    local topic = rille.topic()
    local path = proc.write(proc.folder() .. "/lines", "a\n")
    for want, name in pairs { ["cannot read /nowhere/there"] = "/nowhere/there", ["/tmp is a folder"] = "/tmp" } do
      local run = rille.start { "send", "-b", rille.brokers, "-t", topic, path, name }
      assert.equal(2, run:wait(15), run:err())
      assert.is_truthy(run:err():find(want, 1, true), run:err())
    end
    assert.same({}, rille.read(topic))
  end)

  it("a partition that the topic has not is said once, at the start, and nothing is sent", function()
    local topic = rille.topic { partitions = 2 }
    local run = rille.start({ "send", "-b", rille.brokers, "-t", topic, "-p", "99" }, { stdin = ("x\n"):rep(50) })
    assert.equal(3, run:wait(15), run:err())
    assert.equal(("rille: error: topic %s has no partition 99: it has 2, the last is 1\n"):format(topic), run:err())
    assert.same({}, rille.read(topic))
  end)

  it("what the broker refuses in the same words is said once, and counted", function()
    local topic = rille.topic { configs = { ["max.message.bytes"] = "100" } }
    local run = rille.start({ "send", "-b", rille.brokers, "-t", topic }, { stdin = (("x"):rep(500) .. "\n"):rep(50) })
    assert.equal(4, run:wait(15), run:err())
    assert.equal(1, select(2, run:err():gsub("not sent: ", "")), run:err())
    assert.is_truthy(run:err():find("standard input:1: not sent: ", 1, true), run:err())
    assert.is_truthy(run:err():find("50 messages were not sent to " .. topic, 1, true), run:err())
  end)

  it("a broker that is not there is status 3, with its address", function()
    local run = rille.start({ "send", "-b", "127.0.0.1:1", "-t", "x", "--connect", "2" }, { stdin = "x\n" })
    assert.equal(3, run:wait(15), run:err())
    assert.is_truthy(run:err():find("no connection to 127.0.0.1:1", 1, true), run:err())
  end)

  it("an unknown topic is status 3", function()
    local none = rille.name "none"
    local run = rille.start({ "send", "-b", rille.brokers, "-t", none }, { stdin = "x\n" })
    assert.equal(3, run:wait(45), run:err())
    assert.is_truthy(run:err():find(none, 1, true), run:err())
    assert.is_truthy(run:err():find("list what is there with kafka-topics --list", 1, true), run:err())
  end)
end)

describe("rille tap", function()
  after_each(proc.end_all)

  local function tap(topic, ...)
    local run = rille.start { "tap", "-b", rille.brokers, "-t", topic, ... }
    assert.equal(0, run:wait(15), run:err())
    return run:out()
  end

  local function five()
    local topic = rille.topic { partitions = 2 }
    local records = {}
    for i = 0, 9 do
      records[i + 1] = {
        p = i % 2, k = "k" .. i, v = '{"n":' .. i .. "}", ts = 1600000000000 + i * 1000, h = { { "h", tostring(i) } },
      }
    end
    rille.send(topic, records)
    return topic
  end

  it("prints one JSON object a line, and joins no group", function()
    local topic = five()
    local lines = rille.ndjson(tap(topic, "-e"))
    assert.equal(10, #lines)
    for _, name in ipairs(tool.ask("groups", {}).groups) do assert.is_nil(name:find("^rille%-"), name) end
    local first
    for _, line in ipairs(lines) do
      if line.partition == 1 and line.offset == 0 then first = line end
    end
    assert.same({ topic, 1600000001000, 1 }, { first.topic, first.timestamp, first.value.n })
  end)

  it("an unknown topic is status 3", function()
    local none = rille.name "none"
    local run = rille.start { "tap", "-b", rille.brokers, "-t", none, "-e" }
    assert.equal(3, run:wait(45), run:err())
    assert.is_truthy(run:err():find(none, 1, true), run:err())
  end)

  it("prints as -f says, from offsets, the last N, times; -c counts", function()
    local topic = five()
    assert.equal("1 4 k9 {\"n\":9}\n", tap(topic, "-e", "-p", "1", "-o", "-1", "-f", "%p %o %k %s\\n"))
    assert.equal("3\n4\n", tap(topic, "-e", "-p", "0", "-o", "3", "-f", "%o\\n"))
    assert.equal("4\n", tap(topic, "-e", "-p", "0", "-o", "2020-09-13T12:26:47Z", "-f", "%o\\n"))
    assert.equal("0\n1\n", tap(topic, "-p", "0", "-c", "2", "-f", "%o\\n"))
  end)

  it("keys and values that are no text, a tab as -K, escapes in -f", function()
    local topic = rille.topic()
    rille.send(topic, { { k64 = tool.base64 "\255\0\1", v64 = tool.base64 "\254\t\1", p = 0 }, { k = "k", v = "v", p = 0 } })
    local line = rille.ndjson(tap(topic, "-e", "-c", "1"))[1]
    assert.same({ tool.base64 "\255\0\1", tool.base64 "\254\t\1" }, { line.key_base64, line.value_base64 })
    assert.equal("\255\0\1\t\254\t\1\nk\tv\n", tap(topic, "-e", "-K", "\\t"))
    assert.equal("3 3\t1 1\t", tap(topic, "-e", "-f", "%K %S\\t"))
    assert.equal("\255\0\1\254\t\1kv", tap(topic, "-e", "-f", "%k%s"))
  end)

  it("an offset that is not there begins at the nearest there is, and a line says so", function()
    local topic = five()
    local run = rille.start { "tap", "-b", rille.brokers, "-t", topic, "-o", "1000", "-e" }
    assert.equal(0, run:wait(15), run:err())
    assert.equal("", run:out())
    assert.is_truthy(run:err():find(topic .. "[1] has no offset 1000: it begins at 5, its end", 1, true), run:err())
    assert.equal(10, #rille.ndjson(tap(topic, "-e", "-o", "0")))
    run = rille.start { "tap", "-b", rille.brokers, "-t", topic, "-o", "5", "-e" }
    assert.equal(0, run:wait(15), run:err())
    assert.equal("", run:err())
  end)

  it("ends quietly when its reader goes away while nothing comes", function()
    local topic, status = rille.topic(), proc.folder() .. "/status"
    local pipe = proc.start {
      "sh", "-c", ("( %s tap -b %s -t %s; echo $? >%s ) | true"):format(rille.program, rille.brokers, topic, status),
    }
    assert.equal(0, pipe:wait(15))
    assert.is_true(proc.till(15, function() return proc.read(status) ~= "" end))
    assert.equal("0\n", proc.read(status))
    assert.equal("", pipe:err())
  end)

  it("a closed pipe ends it quietly", function()
    local topic = rille.topic()
    rille.fill(topic, 20000)
    local errors = proc.folder() .. "/errors"
    local pipe = proc.start {
      "sh", "-c",
      ("( %s tap -b %s -t %s 2>%s; echo $? >%s.status ) | head -n 3"):format(rille.program, rille.brokers, topic, errors, errors),
    }
    assert.equal(0, pipe:wait(30))
    assert.is_true(proc.till(10, function() return proc.read(errors .. ".status") ~= "" end))
    assert.equal("0\n", proc.read(errors .. ".status"))
    assert.is_nil(proc.read(errors):find("error", 1, true), proc.read(errors))
  end)

  it("what it prints, send reads back", function()
    local topic, copy = rille.topic(), rille.topic()
    rille.send(topic, {
      { p = 0, k = "a", v = "text", h = { { "x", "1" }, { "x", null } }, ts = 1600000000000 },
      { p = 0, k = "", v64 = tool.base64 "\255\0" }, { p = 0, v = null, k = "gone" }, { p = 0, v = "" }, { p = 0, v = '{"a":1}' },
    })
    local run = rille.start({ "send", "-b", rille.brokers, "-t", copy, "--input-format", "ndjson" }, { stdin = tap(topic, "-e") })
    assert.equal(0, run:wait(15), run:err())
    local want, got = rille.read(topic), rille.read(copy)
    assert.equal(#want, #got)
    for i, r in ipairs(want) do
      assert.same({ r.k, r.v, r.v64, r.h }, { got[i].k, got[i].v, got[i].v64, got[i].h })
    end
  end)
end)

describe("rille lag, groups and seek", function()
  after_each(proc.end_all)

  local function call(...)
    local words = { ... }
    table.insert(words, 2, "-b")
    table.insert(words, 3, rille.brokers)
    local run = rille.start(words)
    return run:wait(20), run:out(), run:err()
  end

  local function half_read()
    local topic, group = rille.topic { partitions = 2 }, rille.name "group"
    rille.fill(topic, 20, { partitions = 2 })
    rille.finish { topic = topic, group = group, args = { "-e" } }
    rille.fill(topic, 7, { partitions = 2, from = 20 })
    return topic, group
  end

  it("lag says what kafka-consumer-groups says", function()
    local topic, group = half_read()
    local status, out, err = call("lag", "-G", group, "--json")
    assert.equal(0, status, err)
    local lag = 0
    for _, row in ipairs(rille.ndjson(out)) do
      assert.equal(topic, row.topic)
      lag = lag + row.lag
    end
    assert.equal(7, lag)
    assert.equal(7, rille.lag(group, topic))
    status, out = call("lag", "-G", group)
    assert.equal(0, status)
    assert.is_truthy(out:find(topic, 1, true), out)
  end)

  it("groups lists groups, and the members of one with their partitions", function()
    local topic, group = half_read()
    tool.ask("join", { group = group, topics = { topic }, keep = group, want = 2 })
    local status, out, err = call("groups", "-G", group)
    tool.ask("leave", { member = group })
    assert.equal(0, status, err)
    assert.is_truthy(out:find("127.0.0.1", 1, true), out)
    assert.is_truthy(out:find(topic, 1, true), out)
    status, out = call("groups")
    assert.equal(0, status)
    assert.is_truthy(out:find(group, 1, true), out)
  end)

  it("seek moves a group to the beginning, the end, an offset, a time", function()
    local topic, group = half_read()
    for start, want in pairs { beginning = { 0, 0 }, ["end"] = { 14, 13 }, ["5"] = { 5, 5 }, ["-2"] = { 12, 11 } } do
      local status, _, err = call("seek", "-G", group, "-t", topic, "--start", start)
      assert.equal(0, status, err)
      assert.same({ ["0"] = want[1], ["1"] = want[2] }, rille.committed(group, topic), start)
    end
    assert.equal(0, (call("seek", "-G", group, "-t", topic, "--start", "2020-01-01T00:00:00Z")))
    assert.same({ ["0"] = 0, ["1"] = 0 }, rille.committed(group, topic))
  end)

  it("seek moves a group to a time in the middle of the messages, and the next run reads from there", function()
    local topic, group = rille.topic { partitions = 2 }, rille.name "group"
    local records = {}
    for i = 0, 19 do records[i + 1] = { p = i % 2, v = "v" .. i, ts = 1600000000000 + i * 1000 } end
    rille.send(topic, records)
    rille.finish { topic = topic, group = group, args = { "-e" } }
    assert.same({ ["0"] = 10, ["1"] = 10 }, rille.committed(group, topic))
    for _, start in ipairs { "2020-09-13T12:26:51Z", "s@1600000010500" } do -- v11 is the first of it
      local status, _, err = call("seek", "-G", group, "-t", topic, "--start", start)
      assert.equal(0, status, err)
      assert.same({ ["0"] = 6, ["1"] = 5 }, rille.committed(group, topic), start)
    end
    local run = rille.finish { topic = topic, group = group, args = { "-e" } }
    local values = {}
    for i, m in ipairs(rille.said(run, "message")) do values[i] = m[5] end
    table.sort(values)
    assert.same({ "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19" }, values)
  end)

  it("a topic that is not there is said in the same words", function()
    if rille.embedded then pending "the embedded broker makes any topic" end
    local none = rille.name "none"
    local _, group = half_read()
    for _, words in ipairs { { "lag" }, { "seek", "--start", "beginning" } } do
      local status, _, err = call(words[1], "-G", group, "-t", none, table.unpack(words, 2))
      assert.equal(3, status, err)
      assert.is_truthy(err:find(none, 1, true), err)
      assert.is_truthy(err:find("list what is there with kafka-topics --list", 1, true), err)
    end
  end)

  it("seek --dry-run changes nothing", function()
    local topic, group = half_read()
    local status, out, err = call("seek", "-G", group, "-t", topic, "--start", "beginning", "--dry-run")
    assert.equal(0, status, err)
    assert.is_truthy(out:find("10", 1, true), out)
    assert.same({ ["0"] = 10, ["1"] = 10 }, rille.committed(group, topic))
  end)

  it("seek is refused while a member is up, naming it", function()
    local topic, group = half_read()
    tool.ask("join", { group = group, topics = { topic }, keep = group, want = 2 })
    local member = tool.ask("group", { group = group }).members[1]
    local status, _, err = call("seek", "-G", group, "-t", topic, "--start", "beginning")
    tool.ask("leave", { member = group })
    assert.equal(1, status, err)
    assert.is_truthy(err:find(member.client, 1, true), err)
    assert.same({ ["0"] = 10, ["1"] = 10 }, rille.committed(group, topic))
  end)
end)
