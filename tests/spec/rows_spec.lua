-- Several records of one message: JSON arrays, Avro containers and CSV, over files.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"
local wire = require "support.wire"
local library = require "rille"

local function run(code, values, ...)
  local process = rille.start { "run", "--code", code, "--input", wire.file(values), ... }
  return process:wait(30), process:out(), process:err()
end

local function passes(code, values, ...)
  local status, out, err = run(code, values, ...)
  assert.equal(0, status, err)
  return out, err
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

local function records(path)
  local all = {}
  for line in proc.read(path):gmatch "[^\n]+" do all[#all + 1] = library.json.decode(line) end
  return all
end

-- What each batch had: its cause, how many rows, and their values.
local SEE = [[return function(b) print(b.cause, #b, table.unpack(b.a)) end]]

describe("rows = [*]", function()
  after_each(proc.end_all)

  it("gives a row for each element, with its own fields and value; the rest is the message's", function()
    local out = passes([[return { rows = "[*]", fields = { "a", at = "@offset", key = "@key" }, handle = function(b)
      for i = 1, #b do
        local m = b[i]
        print(m.offset, m.record, b.a[i], b.at[i], b.key[i], m.fields.a, rille.json.encode(m:decode()), #m.value, m)
      end
      print(#b:where "a > 1", b:where("a > 1")[2].record, b:rows()[2].a, b[1] == b[1], b[1] == b[2], b)
    end }]], { { "k", '[{"a":1},{"a":2,"b":[]},{}]' }, { "l", '[{"a":3}]' } })
    assert.equal("0\t1\t1\t0\tk\t1\t{\"a\":1}\t27\tmessage alerts[0]@0 record 1\n" ..
      "0\t2\t2\t0\tk\t2\t{\"a\":2,\"b\":[]}\t27\tmessage alerts[0]@0 record 2\n" ..
      "0\t3\tnil\t0\tk\tnil\t{}\t27\tmessage alerts[0]@0 record 3\n" ..
      "1\t1\t3\t1\tl\t3\t{\"a\":3}\t9\tmessage alerts[0]@1\n" ..
      "2\t1\t2\ttrue\tfalse\tbatch 1 (4 rows)\n", out)
  end)

  it("takes an array in the document, and is read from command line and environment", function()
    local values = { '{"n":1,"alerts":[{"a":1},{"a":2}],"z":0}' }
    assert.equal("end\t2\t1\t2\n", (passes(SEE, values, "--rows", "alerts[*]", "--fields", "a")))
    local env = rille.start({ "run", "--code", "return function(b) print(#b, b[2]:decode().a, b:rows()[1].a) end",
      "--input", wire.file(values) }, { env = { RILLE_ROWS = "alerts[*]" } })
    assert.equal(0, env:wait(15), env:err())
    assert.equal("2\t2\t1\n", env:out())
  end)

  it("a document without the array is that message's error, known by its byte", function()
    local dead = proc.folder() .. "/dead"
    local values = { '[{"a":1}]', '{"a":2}', "null", '[{"a":3},4]', '[{"a":5}', '[{"a":6}]' }
    local out, err = passes(SEE, values, "--rows", "[*]", "--fields", "a", "--dead-letter", "file:" .. dead)
    assert.equal("end\t2\t1\t6\n", out)
    has(err, 'offset 1: rows = "[*]": expected an array, found an object at byte 0')
    has(err, "offset 3: expected an object with the fields asked for, found a number at byte 9")
    has(err, "offset 4: not JSON: cut short")
    assert.equal(4, #records(dead))
    local status, _, stopped = run(SEE, values, "--rows", "[*]", "--fields", "a")
    assert.equal(4, status)
    has(stopped, 'offset 1: the value does not decode: rows = "[*]"')
  end)

  it("limits.columns bounds what records of next to nothing may become", function()
    local dead = proc.folder() .. "/dead"
    local empty = "[" .. ("{},"):rep(300) .. "{}]"
    local out, err = passes([[return { rows = "[*]", limits = { columns = "16KiB" }, fields = { "a", "b", "c", "d" },
      handle = function(b) print(b.cause, #b, b[1].offset) end }]], { '[{"a":1}]', empty, '[{"a":2}]' },
      "--dead-letter", "file:" .. dead)
    assert.equal("end\t2\t0\n", out)
    has(err, "offset 1: the columns of its first 257 records are over 16384 bytes: read fewer fields, or raise limits.columns")
    local letters = records(dead)
    assert.equal(1, #letters)
    assert.equal(1, letters[1].offset)
  end)

  it("and ends a batch whose columns have grown so far", function()
    local values = {}
    for i = 1, 10 do values[i] = "{}" end
    local out = passes([[return { limits = { columns = 16384 }, fields = {
        x = { path = "x", type = "f64", shape = 512, default = 0 } },
      handle = function(b) print(b.cause, #b, #b.x[1]) end }]], values)
    assert.equal("bytes\t4\t512\nbytes\t4\t512\nend\t2\t512\n", out)
  end)

  it("a field that no element has is named with its nearest", function()
    local _, err = passes("return function() end", { "[]", '[{"mag":1}]' }, "--rows", "[*]", "--fields", "mga")
    has(err, "field 'mga' (mga) is in none of the first 2 messages of alerts: there is 'mag'")
  end)

  for name, case in pairs {
    ["a path that leads to no array"] = { { "--rows", "alerts" }, 'rows: "alerts" will not do: expected [*]' },
    ["rows of another format"] = {
      { "--rows", "[*]", "--decode", "csv" }, 'rows goes with decode = "json", and decode is csv',
    },
    ["rows of what is not decoded"] = {
      { "--rows", "[*]", "--decode", "raw" }, 'rows goes with decode = "json", and decode is raw',
    },
  } do
    it(name .. " is status 2", function()
      local status, _, err = run("return print", { "[]" }, table.unpack(case[1]))
      assert.equal(2, status, err)
      has(err, case[2])
    end)
  end
end)

describe("messages of several rows", function()
  after_each(proc.end_all)

  local CSV = { "--decode", "csv", "--fields", "a=[0]" }
  local function csv(code, values, ...)
    local words = table.pack(...)
    table.move(CSV, 1, #CSV, words.n + 1, words)
    return passes(code, values, table.unpack(words))
  end

  it("are never split: the one that would exceed size begins the next batch, a larger one goes alone", function()
    local values = { "1\n2\n3\n", "4\n5\n6\n", "7\n8\n", "9\n10\n11\n12\n13\n14\n", "15\n", "16\n17\n" }
    assert.equal("size\t3\t1\t2\t3\nsize\t5\t4\t5\t6\t7\t8\nsize\t6\t9\t10\t11\t12\t13\t14\nend\t3\t15\t16\t17\n",
      (csv(SEE, values, "--batch-size", "5", "--batch-timeout", "60")))
  end)

  it("without a row are done without the handler; a whole batch of them calls none", function()
    local out, err = csv("return function(b) print(#b, b[1].offset, b[2].offset) end", { "\n", "1\n", "", "\n", "2\n", "" })
    assert.equal("2\t1\t4\n", out)
    has(err, "6 messages in 1 batch")
    out, err = csv("return function(b) print(#b) end", { "\n", "\n", "\n" }, "--batch-size", "2")
    assert.equal("", out)
    has(err, "3 messages in 2 batches")
    out = passes("return function(b) print(#b, b.id[1]) end", { "id\n", "id\n7\n", "id\n" }, "--decode", "csv",
      "--csv-header", "--fields", "id")
    assert.equal("1\t7\n", out)
  end)

  it("are forwarded once by a batch or view, each time by themselves", function()
    local to = proc.folder() .. "/to"
    local out = passes([[return function(b, out)
      out:forward(arg[1], b)
      out:forward(arg[1], b:where "a > 1 and a ~= 5")
      out:forward(arg[1], b[2])
      out:forward(arg[1], b[1])
    end]], { "1\n2\n", "3\n4\n", "5,x\n" }, "--decode", "csv", "--fields", "a=[0]", "--", "file:" .. to)
    assert.equal("", out)
    local offsets = {}
    for i, r in ipairs(records(to)) do offsets[i] = r.offset end
    assert.same({ 0, 1, 2, 0, 1, 0, 0 }, offsets)
  end)

  it("are rejected once, unchanged, for the first reason", function()
    local dead = proc.folder() .. "/dead"
    csv([[return function(b, out)
      for i = 1, #b do if b.a[i] > 1 and b.a[i] < 5 then out:reject(b[i], "is " .. b.a[i]) end end
    end]], { "1\n2\n3\n", "5\n", "4\n" }, "--dead-letter", "file:" .. dead)
    local all = records(dead)
    assert.same({ 0, 2 }, { all[1].offset, all[2].offset, (all[3] or {}).offset })
    assert.equal(wire.base64 "1\n2\n3\n", all[1].value_base64 or wire.base64(all[1].value))
    local why = {}
    for _, h in ipairs(all[1].headers) do why[h.name] = h.value end
    assert.equal("is 2", why["rille.error"])
  end)

  it("S4.3 are bisected as one; parts are counted in rows", function()
    local dead = proc.folder() .. "/dead"
    local out = csv([[return function(b)
      print(b.part or "whole", #b, b.a[1])
      for i = 1, #b do if b.a[i] == 6 then error "six" end end
    end]], { "1\n", "2\n3\n4\n", "5\n6\n7\n", "8\n" }, "--dead-letter", "file:" .. dead)
    assert.equal("whole\t8\t1\n1-4/8\t4\t1\n5-8/8\t4\t5\n5-7/8\t3\t5\n8-8/8\t1\t8\n", out)
    local all = records(dead)
    assert.equal(1, #all)
    assert.equal(2, all[1].offset)
  end)

  it("S4.6 a script failure blames none of them", function()
    local status, _, err = run([[return function(b) print(b:where "nosuch > 1") end]], { "1\n2\n", "\n" }, table.unpack(CSV))
    assert.equal(4, status)
    has(err, "there is no column `nosuch`")
  end)

  it("--count is of messages", function()
    assert.equal("end\t5\t1\t2\t3\t4\t5\n", (csv(SEE, { "1\n2\n3\n", "4\n5\n", "6\n7\n" }, "--count", "2")))
  end)

  it("are read whole, in any order, without fields too", function()
    assert.equal("4\t3\t1\t2\t9\n", (passes([[return function(b)
      print(#b, b[3]:decode()[1], b[1]:decode()[1], b[2]:decode()[1], b:rows()[4][1])
    end]], { "1\n2\n3\n", "9\n" }, "--decode", "csv")))
  end)

  it("as records of compressed blocks keep their texts when they begin the next batch", function()
    local function long_text(n) return wire.string(("%d "):format(n) .. ("x"):rep(40)) end
    local function block(first, n)
      local data = {}
      for i = first, first + n - 1 do data[#data + 1] = long_text(i) end
      local text = table.concat(data)
      local stored = "\1" .. string.pack("<I2I2", #text, ~#text & 0xffff) .. text -- deflate's own, not compressed
      return wire.long(n) .. wire.long(#stored) .. stored .. ("sync"):rep(4)
    end
    local head = wire.long(2) .. wire.string "avro.schema" .. wire.string '"string"' .. wire.string "avro.codec"
      .. wire.string "deflate" .. wire.long(0) .. ("sync"):rep(4)
    local values, n = {}, 0
    for i = 1, 200 do
      values[i] = "Obj\1" .. head .. block(n, i % 5) .. block(n + i % 5, 4)
      n = n + i % 5 + 4
    end
    local out = passes([[local n = 0
      return { decode = "avro", batch = { size = 10 }, handle = function(b)
        assert(#b <= 10)
        for _, value in ipairs(b:rows()) do
          assert(value == n .. " " .. ("x"):rep(40), value)
          n = n + 1
        end
      end, close = function() print(n) end }]], values)
    assert.equal(n .. "\n", out)
  end)

  it("as fields of compressed blocks, too", function()
    local schema = '{"type":"record","name":"r","fields":[{"name":"t","type":"string"}]}'
    local head = wire.long(2) .. wire.string "avro.schema" .. wire.string(schema) .. wire.string "avro.codec"
      .. wire.string "deflate" .. wire.long(0) .. ("sync"):rep(4)
    local values = {}
    for i = 1, 300 do
      local text = wire.string("a" .. i) .. wire.string("b" .. i) .. wire.string("c" .. i)
      local stored = "\1" .. string.pack("<I2I2", #text, ~#text & 0xffff) .. text
      values[i] = "Obj\1" .. head .. wire.long(3) .. wire.long(#stored) .. stored .. ("sync"):rep(4)
    end
    local out = passes([[local n = 0
      return { decode = "avro", fields = { "t" }, batch = { size = 8 }, handle = function(b)
        assert(#b == 6 and b.number <= 150)
        for i = 1, #b do
          local k = n // 3 + 1
          assert(b.t[i] == ({ "a", "b", "c" })[n % 3 + 1] .. k, b.t[i])
          n = n + 1
        end
      end, close = function() print(n) end }]], values)
    assert.equal("900\n", out)
  end)

  it("come in the library form", function()
    local seen, offsets = {}, {}
    for batch in library.stream {
      input = wire.file { '[{"a":1},{"a":2}]', "[]", '[{"a":3}]', "[]" }, rows = "[*]", fields = { "a" },
      batch = { size = 2 },
    } do
      for i = 1, #batch do
        seen[#seen + 1] = batch.a[i]
        offsets[#offsets + 1] = batch[i].offset
        assert.equal(batch.a[i], batch[i]:decode().a)
      end
    end
    assert.same({ 1, 2, 3 }, seen)
    assert.same({ 0, 0, 2 }, offsets)
  end)
end)
