-- S4: how a batch is taken apart, and where that ends.
local proc = require "support.proc"
local rille = require "support.rille"

describe("bisect", function()
  after_each(proc.end_all)

  local function run_with(text, args, status, n)
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.fill(topic, n or 8)
    local words = { "-e", "--dead-letter", dead }
    for _, word in ipairs(args or {}) do words[#words + 1] = word end
    local run = rille.finish({ topic = topic, group = group, args = words, text = text, after = { dead } }, status)
    return run, topic, group, dead
  end

  it("S4.3 the left half is settled before the right half starts, and parts say what they are", function()
    local run, topic, group, dead = run_with [[return function(batch)
      say(batch.part or "whole", batch[1].offset, #batch)
      for _, m in batch:messages() do if m.offset == 5 then error "no" end end
    end]]
    local lines = {}
    for i, l in ipairs(rille.said(run)) do lines[i] = l.line end
    assert.same({ "whole 0 8", "1-4/8 0 4", "5-8/8 4 4", "5-6/8 4 2", "5-5/8 4 1", "6-6/8 5 1", "7-8/8 6 2" }, lines)
    assert.equal(1, #rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.3 a message that fails only in company passes", function()
    local _, topic, group, dead = run_with [[return function(batch)
      if #batch > 1 then error "only alone" end
    end]]
    assert.same({}, rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.3 bisect = false treats the batch as one", function()
    local run, topic, group, dead = run_with([[return function(batch)
      say("batch", #batch)
      for _, m in batch:messages() do if m.offset == 5 then error "no" end end
    end]], { "--no-bisect" })
    assert.equal(1, rille.count(run, "batch"))
    assert.equal(8, #rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.3 outputs of parts that passed go out once, those of parts that failed never", function()
    local sink = rille.topic()
    local topic, group, dead = rille.topic(), rille.name "group", rille.topic()
    rille.fill(topic, 8)
    rille.finish {
      topic = topic, group = group, args = { "-e", "--dead-letter", dead }, after = { sink },
      text = [[return function(batch, out)
        for _, m in batch:messages() do
          out:send(arg[2], tostring(m.offset))
          if m.offset == 5 then error "no" end
        end
      end]],
    }
    assert.same({ "0", "1", "2", "3", "4", "6", "7" }, rille.values(sink))
  end)

  it("S4.4 ten dead letters in a row stop the run: it is the handler, not the messages", function()
    local run, topic, group, dead = run_with('return function() error "always" end', nil, 4, 50)
    assert.is_truthy(run:err():find("the handler, not the messages", 1, true), run:err())
    assert.is_true(#rille.read(dead) <= 11)
    assert.is_true((rille.committed(group, topic)["0"] or 0) <= 11)
  end)

  it("S4.4 dead_letter_max = 0 sets no limit", function()
    local _, topic, group, dead = run_with('return function() error "always" end', { "--dead-letter-max", "0" }, 0, 50)
    assert.equal(50, #rille.read(dead))
    assert.equal(0, rille.lag(group, topic))
  end)

  it("S4.5 a traceback of any depth fits its header", function()
    local _, _, _, dead = run_with([[
      local function deep(n, name) if n == 0 then error(("x"):rep(20000)) end return 1 + deep(n - 1, name) end
      return function(batch) if batch[1].offset == 0 and #batch == 1 then deep(100) elseif #batch > 1 then error "n" end end]])
    local headers = rille.headers(rille.read(dead)[1])
    assert.is_true(#headers["rille.traceback"] <= 4096, #headers["rille.traceback"])
    assert.is_truthy(headers["rille.traceback"]:find("handler.lua", 1, true))
  end)

  it("S4.5 a dead letter that is refused stops the run; no message is skipped", function()
    local topic, group = rille.topic(), rille.name "group"
    local dead = rille.topic { configs = { ["max.message.bytes"] = "1000" } }
    rille.send(topic, { "good", ("bad"):rep(2000), "good" })
    local run = rille.finish({
      topic = topic, group = group, args = { "-e", "--dead-letter", dead },
      text = [[return function(batch) for _, m in batch:messages() do if #m.value > 10 then error "no" end end end]],
    }, 4)
    assert.is_truthy(run:err():find(dead, 1, true), run:err())
    assert.is_true((rille.committed(group, topic)["0"] or 0) <= 1)
  end)

  it("key, value and headers of a dead letter are unchanged", function()
    local topic, dead = rille.topic(), rille.topic()
    rille.send(topic, {
      { k = "", v = "bad", h = { { "a", "1" }, { "a", "2" }, { "b", require("cjson").null } }, p = 0 },
      { v = "bad2", p = 0 },
    })
    rille.finish {
      topic = topic, group = rille.name "group", args = { "-e", "--dead-letter", dead },
      text = [[return function(batch, out) for _, m in batch:messages() do out:reject(m, "unwanted") end end]],
    }
    local null = require("cjson").null
    local by = {}
    for _, r in ipairs(rille.read(dead)) do by[r.v] = r end
    assert.equal("", by.bad.k)
    assert.equal(null, by.bad2.k)
    assert.same({ { n = "a", v = "1" }, { n = "a", v = "2" }, { n = "b", v = null } }, { table.unpack(by.bad.h, 1, 3) })
    assert.equal("unwanted", rille.headers(by.bad)["rille.error"])
  end)

  it("out:reject takes one message away; the rest of its batch goes on", function()
    local run, topic, group, dead = run_with [[return function(batch, out)
      say("batch", #batch)
      out:reject(batch[3], "third")
      out:send("-", "sent")
    end]]
    assert.equal(1, rille.count(run, "batch"))
    assert.equal('{"n":2}', rille.read(dead)[1].v)
    assert.equal(0, rille.lag(group, topic))
  end)

  for name, code in pairs {
    ["a where that names no column"] = 'batch:where("nosuch > 1")',
    ["a where that does not parse"] = 'batch:where("n >")',
    ["a wrong argument type"] = "out:send({}, 1)",
    ["an unknown option"] = 'out:send("-", "x", { keys = "k" })',
  } do
    it("S4.6 " .. name .. " stops the run at once: no retry, no dead letter, no commit", function()
      local run, topic, group, dead = run_with(
        'return { fields = { n = "n" }, handle = function(batch, out)\n say("batch")\n ' .. code .. "\nend }",
        { "--retries", "3" }, 4)
      assert.equal(1, rille.count(run, "batch"))
      assert.is_truthy(run:err():find("handler.lua:3", 1, true), run:err())
      assert.same({}, rille.read(dead))
      assert.same({}, rille.committed(group, topic))
    end)
  end

  it("S4.6 a script that does not load is status 2, with script and line", function()
    local topic = rille.topic()
    for _, text in ipairs { "return function(", "\nerror 'broken'", "return 5", "local x = nosuch.y" } do
      local run = rille.finish({ topic = topic, group = rille.name "group", text = text }, 2)
      assert.is_truthy(run:err():find("handler.lua", 1, true), run:err())
    end
  end)
end)
