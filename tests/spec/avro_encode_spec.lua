-- rille.avro: values to Avro and back, in the module and in a handler; real alerts where there are some.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local program = require "support.rille"
local wire = require "support.wire"
local rille = require "rille"
local avro = rille.avro

local SCHEMA = [[{"type":"record","name":"alert","namespace":"ztf","fields":[{"name":"id","type":"long"},
  {"name":"mag","type":["null","float"],"default":null},{"name":"cut","type":"bytes","default":""},
  {"name":"list","type":{"type":"array","items":["null","long","string"]},"default":[]},
  {"name":"m","type":{"type":"map","values":"double"},"default":{}}]}]]

-- NaN is not itself.
local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b or (a ~= a and b ~= b) end
  for k, v in pairs(a) do
    if not same(v, b[k]) then return false end
  end
  for k in pairs(b) do
    if a[k] == nil then return false end
  end
  return true
end

local function has(text, part) assert.is_truthy(tostring(text):find(part, 1, true), tostring(text)) end

-- What a call that must fail says.
local function refused(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return tostring(err)
end

local VALUE = { id = 2510000000000000003, mag = 18.5, cut = "\0\255", list = { 1, rille.null, "x" }, m = { a = 1.5 } }
local JSON = rille.json.encode(VALUE)

describe("rille.avro", function()
  it("every framing comes back", function()
    for _, options in ipairs {
      {}, { framing = "bare" }, { framing = "key" }, { framing = "single-object" }, { framing = "confluent", id = 900 },
      { framing = "container" }, { framing = "container", codec = "deflate" },
      { framing = "container", codec = "zstandard" }, { framing = "container", codec = "snappy" },
    } do
      local value, why = avro.decode(SCHEMA, avro.encode(SCHEMA, VALUE, options), { framing = options.framing })
      assert.equal(JSON, value and rille.json.encode(value) or why)
      assert.equal("integer", math.type(value.id))
      assert.equal("\0\255", value.cut)
    end
  end)

  it("writes what the format says, byte for byte", function()
    local text = '{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"b","type":["null","string"]}]}'
    local bare = "\3\2\4hi"
    assert.equal(bare, avro.encode(text, { a = -2, b = "hi" }))
    assert.equal("\0\0\0\3\132" .. bare, avro.encode(text, { a = -2, b = "hi" }, { framing = "confluent", id = 900 }))
    local single = avro.encode(text, { a = -2, b = "hi" }, { framing = "single-object" })
    assert.equal("\xC3\x01", single:sub(1, 2))
    local print = single:sub(3, 10):reverse():gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    assert.equal(avro.schema(text).fingerprint, print)
    assert.equal(bare, single:sub(11))
  end)

  it("a container's bytes are a schema, too: that of its header", function()
    local bytes = avro.encode(SCHEMA, VALUE, { framing = "container" })
    assert.equal(avro.schema(SCHEMA).fingerprint, avro.schema(bytes).fingerprint)
    local ok, err = pcall(avro.schema, bytes:sub(1, 20))
    assert.is_false(ok)
    assert.is_truthy(tostring(err):find("rille.avro.schema: the container given: ", 1, true), tostring(err))
  end)

  it("a container holds a list of records, and the same records give the same bytes", function()
    local list = { framing = "container", records = true }
    local function container() return avro.encode(SCHEMA, { { id = 1 }, { id = 2 }, VALUE }, list) end
    local records = avro.decode(nil, container(), { records = true })
    assert.same({ 3, 1, 2 }, { #records, records[1].id, records[2].id })
    assert.equal(JSON, rille.json.encode(records[3]))
    assert.equal(container(), container())
    local one, why = avro.decode(nil, container())
    assert.is_nil(one)
    has(why, "3 records, where one was expected")
    assert.same({}, avro.decode(nil, avro.encode(SCHEMA, {}, { framing = "container", records = true }), { records = true }))
  end)

  it("schema() gives one object for one text or file, with text, fingerprint, encode and decode", function()
    local path = proc.write(proc.folder() .. "/alert.avsc", SCHEMA)
    local schema = avro.schema(path)
    assert.equal(schema, avro.schema(path))
    assert.equal(SCHEMA, schema.text)
    assert.equal(avro.schema(SCHEMA).fingerprint, schema.fingerprint)
    assert.equal(JSON, rille.json.encode(schema:decode(schema:encode(VALUE))))
    local container = proc.write(proc.folder() .. "/one.avro", avro.encode(schema, VALUE, { framing = "container" }))
    assert.equal(SCHEMA, avro.schema(container).text)
    assert.equal(avro.encode(path, VALUE), avro.encode(schema, VALUE))
  end)

  it("missing fields take defaults or null; nil, rille.null and {} are what they look like", function()
    assert.equal('{"cut":"","id":7,"list":[],"m":{},"mag":null}',
      rille.json.encode(avro.decode(SCHEMA, avro.encode(SCHEMA, { id = 7 }))))
    local value = avro.decode(SCHEMA, avro.encode(SCHEMA, { id = 7, mag = rille.null, list = {}, m = {} }))
    assert.equal(rille.null, value.mag)
    assert.same({ 0, nil }, { #value.list, next(value.m) })
    local holes = avro.decode(SCHEMA, avro.encode(SCHEMA, { id = 7, list = { 1, nil, 3, n = 3 } }))
    assert.equal("[1,null,3]", rille.json.encode(holes.list))
  end)

  it("errors name the path in the value", function()
    has(refused(avro.encode, SCHEMA, { id = "7" }), "id: a text where long is wanted")
    has(refused(avro.encode, SCHEMA, {}), "id: missing, and the schema has no default for it")
    has(refused(avro.encode, SCHEMA, { id = 1, list = { 2, {} } }),
      "list[2]: a table where union of null, long, string is wanted")
    has(refused(avro.encode, SCHEMA, { id = 1, m = { x = print } }), "m.x: a function where double is wanted")
    has(refused(avro.encode, SCHEMA, { id = 1, maag = 2 }), "maag: record ztf.alert has no such field; did you mean 'mag'?")
    has(refused(avro.encode, SCHEMA, { id = rille.json.decode "9223372036854775808" }),
      "id: the number 9223372036854775808 where long is wanted")
    local loop = { id = 1 }
    loop.m = { x = loop }
    has(refused(avro.encode, SCHEMA, loop), "m.x: a table that is inside itself where double is wanted")
    has(refused(avro.encode, SCHEMA, { { id = 1 }, { id = "x" } }, { framing = "container", records = true }),
      "record 2: cannot be written as Avro: id: a text")
    assert.equal(7, avro.decode(SCHEMA, avro.encode(SCHEMA, { id = 7, extra = { 1 } }, { drop_unknown = true })).id)
  end)

  it("a branch is chosen by the value, or named", function()
    local union = '["null","int","double","string","bytes"]'
    local function branch(value) return avro.encode(union, value):byte() // 2 end
    assert.same({ 0, 1, 2, 3, 4, 2 },
      { branch(nil), branch(5), branch(0.5), branch "x", branch "\255", branch(avro.branch("double", 5)) })
    assert.equal(4, branch(avro.branch("bytes", "x")))
    has(refused(avro.encode, union, avro.branch("long", 5)), "no branch 'long' in the union of null, int, double")
    local nested = '{"type":"array","items":["long","double"]}'
    assert.equal("float", math.type(avro.decode(nested, avro.encode(nested, { avro.branch("double", 5) }))[1]))
  end)

  it("decimals are text under logical, both ways", function()
    local decimal = '{"type":"bytes","logicalType":"decimal","precision":30,"scale":2}'
    for _, text in ipairs { "0.00", "-12.34", "123456789012345678901234.56" } do
      local bytes = avro.encode(decimal, text, { logical = true })
      assert.equal(text, avro.decode(decimal, bytes, { logical = true }))
      assert.equal(bytes, avro.decode(decimal, avro.encode(decimal, bytes)))
    end
    assert.equal("\4\4\210", avro.encode(decimal, rille.json.decode "12.34" and "12.34", { logical = true }))
  end)

  it("bytes that are none of the schema's are nil and the byte", function()
    local value, why = avro.decode(SCHEMA, "\2")
    assert.is_nil(value)
    has(why, "at byte 1")
    value, why = avro.decode(nil, "\2")
    assert.is_nil(value)
    has(why, "no schema")
  end)

  it("misuse is said at once", function()
    has(refused(avro.encode, '{"type":"recrod"}', {}), "recrod")
    has(refused(avro.encode, "/nowhere.avsc", {}), "cannot read the schema /nowhere.avsc")
    has(refused(avro.encode, 5, {}), "the schema must be its JSON text, a file's name")
    has(refused(avro.encode, SCHEMA), "takes a schema and a value")
    has(refused(avro.encode, SCHEMA, VALUE, { framing = "confluent" }), "needs id")
    has(refused(avro.encode, SCHEMA, VALUE, { framing = "confluent", id = -1 }), "a number from 0 to 4294967295")
    has(refused(avro.encode, SCHEMA, VALUE, { framing = "auto" }), "say which is to be written")
    has(refused(avro.encode, SCHEMA, VALUE, { framming = "bare" }), "did you mean 'framing'?")
    has(refused(avro.encode, SCHEMA, VALUE, { codec = "deflate" }), 'codec goes with framing = "container"')
    has(refused(avro.encode, SCHEMA, VALUE, { framing = "container", codec = "xz" }), "the codec 'xz'")
    has(refused(avro.encode, SCHEMA, 5, { framing = "container", records = true }), "a list of them")
  end)

  it("schemas made up without end leave the memory flat", function()
    local before
    for i = 1, 3000 do
      avro.encode(('{"type":"record","name":"r%d","fields":[]}'):format(i), {})
      if i == 1000 then
        collectgarbage()
        before = collectgarbage "count"
      end
    end
    collectgarbage()
    assert.is_true(collectgarbage "count" < before + 200)
  end)
end)

describe("in a handler", function()
  after_each(proc.end_all)

  it("a value that does not fit is its message's failure; a schema that is none is the script's", function()
    local text = [[return { decode = "json", handle = function(batch, out)
      for _, m in batch:messages() do out:send("-", rille.avro.encode('{"type":"array","items":"long"}', m:decode())) end
    end }]]
    local dead = proc.folder() .. "/dead"
    local run = program.start { "run", proc.write(proc.folder() .. "/h.lua", text), "--input",
      wire.file { "[1]", '["x"]', "[3]" }, "--dead-letter", "file:" .. dead, "--retries", "0" }
    assert.equal(0, run:wait(30), run:err())
    has(proc.read(dead), "[1]: a text where long is wanted")
    local _, lines = run:out():gsub("\n", "")
    assert.equal(2, lines)
    run = program.start { "run", "--code", "return function() rille.avro.encode('{', 1) end", "--input", wire.file { "1" } }
    assert.equal(4, run:wait(30), run:err())
    has(run:err(), "rille.avro.encode: Avro schema")
  end)
end)

describe("real alerts", function()
  for _, pattern in ipairs { "ztf/*.avro", "hop/*.avro", "fink/*.avro" } do
    it(pattern .. " are decoded, encoded and decoded to the same", function()
      local files, why = wire.data(pattern)
      if not files then return pending(why) end
      for i, bytes in ipairs(wire.read(files)) do
        local schema = avro.schema(files[i])
        local value = assert(avro.decode(nil, bytes, { records = true }))
        local again = assert(avro.decode(schema, avro.encode(schema, value[1])))
        assert.is_true(same(value[1], again), files[i])
        local container = avro.encode(schema, value, { framing = "container", codec = "deflate", records = true })
        assert.is_true(same(value, avro.decode(nil, container, { records = true })), files[i])
      end
    end)
  end

  it("an LSST packet is the same bytes again", function()
    local files, why = wire.data "lsst/*.confluent"
    if not files then return pending(why) end
    local schema = avro.schema(assert(wire.data "lsst/*.avsc")[1])
    local bytes = wire.read(files)[1]
    local value = assert(schema:decode(bytes, { framing = "confluent" }))
    assert.equal(7912941781254298, value.diaSourceId or value.diaSource.diaSourceId)
    local id = string.unpack(">I4", bytes, 2)
    assert.equal(900, id)
    assert.is_true(bytes == schema:encode(value, { framing = "confluent", id = id }))
  end)
end)
