-- message:decode(): the whole value as Lua tables, of each format and each place an Avro schema comes from.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local wire = require "support.wire"
local rille = require "rille"

local SCHEMA = [[{"type":"record","name":"all","fields":[
  {"name":"null","type":"null"},{"name":"bool","type":"boolean"},{"name":"int","type":"int"},{"name":"long","type":"long"},
  {"name":"float","type":"float"},{"name":"double","type":"double"},{"name":"bytes","type":"bytes"},
  {"name":"string","type":"string"},{"name":"fixed","type":{"type":"fixed","name":"f","size":2}},
  {"name":"enum","type":{"type":"enum","name":"e","symbols":["A","B"]}},
  {"name":"array","type":{"type":"array","items":["null","long","string"]}},
  {"name":"map","type":{"type":"map","values":"double"}},{"name":"record","type":["null",
  {"type":"record","name":"inner","fields":[{"name":"next","type":["null","inner"]}]}]}]}]]

local VALUE = {
  null = rille.null, bool = true, int = -5, long = 2510000000000000003, float = 0.5, double = 0.1, bytes = "\0\255\n",
  string = "\u{e4}\0", fixed = "\1\2", enum = "B", array = { 1, rille.null, "x" }, map = { a = 1.5 },
  record = { next = { next = rille.null } },
}

-- The first message of a stream over one value, decoded; by a handler's settings.
local function decoded(value, settings, key)
  settings.input = wire.file { key and { key, value } or value }
  local stream = rille.stream(settings)
  local value_of = stream()[1]:decode()
  stream:close()
  return value_of
end

local function check(value)
  assert.same(VALUE, value)
  assert.equal("integer", math.type(value.int))
  assert.equal("integer", math.type(value.array[1]))
  assert.equal("float", math.type(value.map.a))
  assert.equal(rille.null, value.null)
  assert.equal(3, #value.array)
end

describe("message:decode()", function()
  after_each(proc.end_all)

  local schema = proc.write(proc.folder() .. "/all.avsc", SCHEMA)
  local function framed(framing)
    return rille.avro.encode(SCHEMA, VALUE, { framing = framing, id = framing == "confluent" and 1 or nil })
  end

  it("of Avro, the schema in the value", function()
    check(decoded(framed "container", { decode = "avro" }))
    check(decoded(framed "container", { decode = "avro", fields = { "int" } }))
  end)

  it("of Avro, the schema in the key", function()
    check(decoded(framed "key", { decode = "avro" }, SCHEMA))
    check(decoded(framed "key", { decode = "avro", framing = "key" }, SCHEMA))
  end)

  it("of Avro, the schema in a file: bare, single objects, Confluent's framing", function()
    check(decoded(framed "bare", { decode = "avro", schema = schema }))
    check(decoded(framed "bare", { decode = "avro", schema = schema, framing = "bare" }))
    check(decoded(framed "single-object", { decode = "avro", schema = schema }))
    check(decoded(framed "single-object", { decode = "avro", schema = schema, framing = "single-object" }))
    check(decoded(framed "confluent", { decode = "avro", schema = schema, framing = "confluent" }))
  end)

  it("of Avro, a container read as a schema file has it", function()
    local reader = proc.write(proc.folder() .. "/reader.avsc", [[{"type":"record","name":"all","fields":[
      {"name":"long","type":"double"},{"name":"more","type":"string","default":"here"}]}]])
    local wide = decoded(rille.avro.encode('{"type":"record","name":"all","fields":[{"name":"long","type":"long"}]}',
      { long = 7 }, { framing = "container" }), { decode = "avro", schema = reader })
    assert.same({ long = 7.0, more = "here" }, wide)
    assert.equal("float", math.type(wide.long))
  end)

  it("of JSON, whatever stands at its top", function()
    for _, settings in ipairs { { decode = "json" }, { decode = "raw" }, {}, { fields = { "a" } } } do
      local value = decoded('{"a":[1,2.5,null,{"b":"\\u00e4"}],"e":{},"w":18446744073709551616}', settings)
      assert.same({ 1, 2.5, rille.null, { b = "\u{e4}" } }, { table.unpack(value.a) })
      assert.equal("18446744073709551616", tostring(value.w))
      assert.equal('{"a":[1,2.5,null,{"b":"ä"}],"e":{},"w":18446744073709551616}', rille.json.encode(value))
    end
    assert.equal("x", decoded('"x"', { decode = "json" }))
    assert.equal(rille.null, decoded("null", { decode = "json" }))
    assert.same({ 1, 2 }, { table.unpack(decoded("[1,2]", { decode = "json" })) })
  end)

  it("of CSV and TSV, by name or by place", function()
    for format, comma in pairs { csv = ",", tsv = "\t" } do
      local line = ('2510000000000000003,0.5,"a ""b""\n",,"",\255\0'):gsub(",", comma)
      local columns = { "i", "d", "t", "missing", "empty", "bytes" }
      assert.same({ i = 2510000000000000003, d = 0.5, t = 'a "b"\n', missing = rille.null, empty = "", bytes = "\255\0" },
        decoded(line, { decode = format, csv = { columns = columns } }))
      local list = decoded(line, { decode = format })
      assert.same({ 6, 2510000000000000003, rille.null, "\255\0" }, { #list, list[1], list[4], list[6] })
      assert.same({ a = 1, b = "x" }, decoded(("a,b\n1,x\n"):gsub(",", comma), { decode = format, csv = { header = true } }))
    end
  end)

  it("of a null value is nil, and what does not decode names topic, partition and offset", function()
    for _, format in ipairs { "json", "avro", "csv", "tsv", "raw" } do
      assert.is_nil(decoded(wire.null, { decode = format }))
    end
    local stream = rille.stream { input = wire.file { "{" } }
    local ok, err = pcall(function() return stream()[1]:decode() end)
    stream:close()
    assert.is_false(ok)
    assert.is_truthy(tostring(err):find("alerts[0]@0: ", 1, true), tostring(err))
  end)
end)
