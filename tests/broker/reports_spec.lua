-- Reports from the public trackers (seed-systems D) that no other spec holds.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local null = tool.null

describe("reports", function()
  after_each(proc.end_all)

  it("D 2 closing does not hang while messages, batches and outputs are in flight", function()
    local topic, sink = rille.topic { partitions = 4 }, rille.topic { partitions = 4 }
    rille.fill(topic, 40000, { partitions = 4, size = 1000 })
    local runs = {}
    for i = 1, 4 do
      runs[i] = rille.run {
        topic = topic, group = rille.name "group", after = { sink },
        text = [[kept = {}
          return function(batch, out) kept[#kept + 1] = batch[1]; say("batch"); out:forward(arg[2], batch) end]],
      }
    end
    for i, run in ipairs(runs) do
      rille.await(run, 3 * i, "batch")
      run:kill "TERM"
    end
    for _, run in ipairs(runs) do
      assert.equal(0, run:wait(15), run:err())
      assert.is_true(run.seconds < 8, "took " .. run.seconds .. " s")
    end
  end)

  for _, decode in ipairs { "raw", "json", "fields", "function" } do
    it("D 9 a tombstone is a message without fields under decode = " .. decode, function()
      local topic, sink, group = rille.topic(), rille.topic(), rille.name "group"
      rille.send(topic, { { p = 0, k = "gone", v = null }, { p = 0, k = "k", v = '{"a":1}' } })
      local how = ({
        raw = 'decode = "raw"', json = 'decode = "json"', fields = 'fields = { a = "a" }',
        ["function"] = "decode = function(m) if m.value == nil then return {} end return { a = 1 } end",
      })[decode]
      local run = rille.finish {
        topic = topic, group = group, args = { "-e" }, after = { sink, decode },
        text = "return { " .. how .. [[, handle = function(batch, out)
          say(#batch, batch[1].value, batch[1].key, batch[2].value)
          if arg[3] == "fields" then say(batch.a[1], batch.a[2]) end
          out:forward(arg[2], batch)
        end }]],
      }
      assert.equal('2 nil gone {"a":1}', rille.said(run)[1].line)
      if decode == "fields" then assert.equal("nil 1", rille.said(run)[2].line) end
      assert.same({ "null", '{"a":1}' }, { table.unpack(rille.values(sink)) })
      assert.equal(0, rille.lag(group, topic))
    end)
  end

  it("D 9 empty and null are not the same, for keys, values and headers", function()
    local topic = rille.topic()
    rille.send(topic, {
      { p = 0, k = "", v = "" }, { p = 0, k = null, v = null }, { p = 0, v = "x", h = { { "e", "" }, { "n", null } } },
    })
    local run = rille.finish {
      topic = topic, group = rille.name "group", args = { "-e" },
      text = [[local rille = require "rille"
        return function(batch)
          for _, m in batch:messages() do say(m.key == "", m.key == nil, m.value == "", m.value == nil) end
          local h = batch[3].headers
          say(#h, h[1].value == "", h[2].value == nil, h.e == "", h.n == rille.null, h.none == nil)
        end]],
    }
    local lines = {}
    for i, l in ipairs(rille.said(run)) do lines[i] = l.line end
    assert.same({
      "true false true false", "false true false true", "false true false false", "2 true true true true true",
    }, lines)
  end)

  it("D 10 D 11 numbers, arrays and objects pass through a handler and come out the same", function()
    local topic, sink = rille.topic(), rille.topic()
    local texts = {
      '{"id":228930314431312345}', '{"id":2510000000000000003}', '{"id":1549661409000}', '{"id":18446744073709551615}',
      '{"x":10000,"y":10000.0}', '{"x":1e400}', '{"a":[1,null,"x"]}', '{"bar":{},"foo":[]}', '{"a":null}',
    }
    rille.send(topic, texts)
    rille.finish {
      topic = topic, group = rille.name "group", args = { "-e" }, after = { sink },
      text = [[return { decode = "json", handle = function(batch, out)
        for _, m in batch:messages() do out:send(arg[2], m:decode()) end
      end }]],
    }
    table.sort(texts)
    assert.same(texts, rille.values(sink))
  end)

  it("D 12 NaN and infinity never become invalid JSON", function()
    local topic, sink = rille.topic(), rille.topic()
    rille.send(topic, { "x" })
    local run = rille.finish {
      topic = topic, group = rille.name "group", args = { "-e" }, after = { sink },
      text = [[local rille = require "rille"
        return function(_, out)
          say(pcall(out.send, out, arg[2], { x = 0/0 }))
          say(pcall(out.send, out, arg[2], { x = 1/0 }))
          out:send(arg[2], rille.json.encode({ x = 0/0 }, { nan = "null" }))
        end]],
    }
    assert.equal("false", rille.said(run)[1][1])
    assert.equal("false", rille.said(run)[2][1])
    assert.same({ '{"x":null}' }, rille.values(sink))
  end)

  it("D 13 JSON nested 100,000 deep is that message's error, not a crash", function()
    local topic, dead, group = rille.topic(), rille.topic(), rille.name "group"
    rille.send(topic, { '{"a":1}', '{"a":' .. ("["):rep(100000) .. ("]"):rep(100000) .. "}", '{"a":3}' })
    local run = rille.finish {
      topic = topic, group = group, args = { "-e", "--dead-letter", dead },
      text = 'return { decode = "json", handle = function(batch) say(#batch) end }',
    }
    assert.equal("2", rille.said(run)[1].line)
    assert.equal("1", rille.headers(rille.read(dead)[1])["rille.offset"])
    assert.equal(0, rille.lag(group, topic))
  end)

  it("D 13 binary values in any printed output give valid output", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.send(topic, { { p = 0, v64 = tool.base64 "\255\254\0bad", k64 = tool.base64 "\200" } })
    local run = rille.finish({
      topic = topic, group = group, args = { "-e" }, text = "return function(batch) error(batch[1].value) end",
    }, 4)
    assert.is_truthy(utf8.len(run:err()), "invalid UTF-8 in the log")
    local tap = rille.start { "tap", "-b", rille.brokers, "-t", topic, "-e" }
    assert.equal(0, tap:wait(15), tap:err())
    assert.is_truthy(utf8.len(tap:out()))
    assert.equal(1, #rille.ndjson(tap:out()))
  end)

  it("a message used after its batch ended is a clear error, never a crash", function()
    local topic = rille.topic()
    rille.fill(topic, 2)
    local run = rille.finish({
      topic = topic, group = rille.name "group", args = { "-e", "--batch-size", "1" },
      text = [[return function(batch)
        if not old then old = batch[1] else say(pcall(function() return old.value end)); return old.value end
      end]],
    }, 4)
    assert.equal("false", rille.said(run)[1][1])
    assert.is_truthy(rille.said(run)[1].line:find("over", 1, true))
  end)

  it("D 8 a wrong option of librdkafka is status 2 with the nearest name", function()
    local run = rille.finish({ topic = "any", args = { "-e", "-X", "sesion.timeout.ms=1000" } }, 2)
    assert.is_truthy(run:err():find("session.timeout.ms", 1, true), run:err())
  end)

  it("plugin.library.paths is refused", function()
    rille.finish({ topic = "any", args = { "-e", "-X", "plugin.library.paths=x" } }, 2)
  end)
end)
