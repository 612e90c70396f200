-- decode = "avro", over files: containers, bare values, whole values, and real alerts where there are some.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local wire = require "support.wire"
local library = require "rille"

local SCHEMA = [[{"type":"record","name":"alert","fields":[{"name":"id","type":"long"},
  {"name":"name","type":["null","string"]},{"name":"cut","type":["null","bytes"]},
  {"name":"list","type":{"type":"array","items":["null","long"]}}]}]]

local function alert(id, name, cut, list)
  local items = {}
  for i = 1, list and list.n or 0 do items[i] = list[i] and "\2" .. wire.long(list[i]) or "\0" end
  return table.concat {
    wire.long(id), name and "\2" .. wire.string(name) or "\0", cut and "\2" .. wire.string(cut) or "\0",
    #items > 0 and wire.long(#items) .. table.concat(items) or "", "\0",
  }
end

local function contained(...) return wire.container(SCHEMA, alert(...)) end

local run, passes, has = input.run, input.passes, input.has

describe("decode = avro", function()
  after_each(proc.end_all)

  it("reads fields into columns: 64-bit integers exact, null and missing nil, arrays and bytes as they are", function()
    local out = passes([[return {
      decode = "avro", fields = { "id", "name", "cut", "list", last = "list[-1]", "none" },
      handle = function(batch)
        print(batch.id[1], math.type(batch.id[1]), batch.name[1], batch.name[2], #batch.cut[1], batch.cut[2])
        print(#batch.list[1], batch.list[1][1], batch.list[1][2] == rille.null, #batch.list[2], batch.last[1], batch.last[2])
        print(rille.json.encode(batch:rows()[2]), batch[1].fields.name, #batch:where "id > 5 and name ~= nil")
      end }]], {
      contained(2510000000000000003, "one", "\0\255", { 7, nil, 9, n = 3 }), contained(-1),
    })
    assert.equal("2510000000000000003\tinteger\tone\tnil\t2\tnil\n3\t7\ttrue\t0\t9\tnil\n" ..
      '{"id":-1,"list":[]}\tone\t1\n', out)
  end)

  it("message:decode() and rows() without fields give whole values, their nulls as rille.null", function()
    local out = passes([[return { decode = "avro", handle = function(batch)
        local a, b = batch[1]:decode(), batch:rows()[2]
        print(a.id, a.name, a.cut == "\0\255", #a.list, a.list[2] == rille.null)
        print(b.id, b.name == rille.null, rille.json.encode(b.list), batch:rows().n, batch[3]:decode())
      end }]], {
      contained(2510000000000000003, "one", "\0\255", { 7, nil, n = 2 }), contained(-1), wire.null,
    })
    assert.equal("2510000000000000003\tone\ttrue\t2\ttrue\n-1\ttrue\t[]\t3\tnil\n", out)
  end)

  it("reads bare values with --schema, by every framing that needs one", function()
    local schema = proc.write(proc.folder() .. "/alert.avsc", SCHEMA)
    local text = "return function(batch) print(batch.id[1], batch[1]:decode().name) end"
    local function by(value, ...)
      return (passes(text, { value }, "--decode", "avro", "--schema", schema, "--fields", "id", ...))
    end
    local value = alert(7, "seven")
    assert.equal("7\tseven\n", by(value))
    assert.equal("7\tseven\n", by(value, "--framing", "bare"))
    assert.equal("7\tseven\n", by("\0\0\0\0\42" .. value, "--framing", "confluent"))
  end)

  it("a reader's schema whose record is called otherwise is told what to do; with an alias it reads", function()
    local mine = SCHEMA:gsub('"name":"alert"', '"name":"mine"%%s')
    local text = "return function(batch) print(batch.id[1], batch.name[1]) end"
    local function read(aliases, ...)
      local schema = proc.write(proc.folder() .. "/mine.avsc", mine:format(aliases))
      return run(text, { contained(1, "one") }, "--decode", "avro", "--schema", schema, "--fields", "id,name", ...)
    end
    local status, out, err = read ""
    assert.equal(4, status, err)
    assert.equal("", out)
    has(err, "the schema of the value does not fit the reader's: record alert where the reader's schema has record mine " ..
      [[(call that 'alert', or add "aliases": ["alert"] to it)]])
    status, out, err = read ',"aliases":["alert"]'
    assert.equal(0, status, err)
    assert.equal("1\tone\n", out)
  end)

  it("reads bare values with the schema in the key", function()
    local out = passes("return { decode = 'avro', framing = 'key', fields = { 'name' }," ..
      "handle = function(batch) print(batch.name[1], batch[1]:decode().id) end }", { { SCHEMA, alert(3, "three") } })
    assert.equal("three\t3\n", out)
  end)

  it("records of a container are rows: fields, whole values, and what a message of them is sent on as", function()
    local to = proc.folder() .. "/to"
    local out = passes([[return { decode = "avro", fields = { "id", "name" }, handle = function(batch, out)
        for i = 1, #batch do
          local m = batch[i]
          print(m.offset, m.record, batch.id[i], m.fields.name, m:decode().id, rille.json.encode(batch:rows()[i]))
        end
        out:forward(arg[1], batch:where "id > 1")
      end }]], {
      wire.container(SCHEMA, alert(1, "a"), alert(2, "b"), alert(3)), wire.container(SCHEMA), contained(-1), contained(9),
    }, "--", "file:" .. to)
    assert.equal('0\t1\t1\ta\t1\t{"id":1,"name":"a"}\n0\t2\t2\tb\t2\t{"id":2,"name":"b"}\n' ..
      '0\t3\t3\tnil\t3\t{"id":3}\n2\t1\t-1\tnil\t-1\t{"id":-1}\n3\t1\t9\tnil\t9\t{"id":9}\n', out)
    local sent = {}
    for line in proc.read(to):gmatch "[^\n]+" do sent[#sent + 1] = library.json.decode(line).offset end
    assert.same({ 0, 3 }, sent)
  end)

  it("a container that is damaged behind its first records gives none of them", function()
    local two = wire.container(SCHEMA, alert(1), alert(2))
    local status, out, err = run("return { decode = 'avro', fields = { 'id', 'name' }, handle = function(b) print(#b) end }",
      { contained(1), two:sub(1, -20) .. "x" .. two:sub(-18), contained(3) })
    assert.equal(4, status, err)
    assert.equal("1\n", out)
    has(err, "offset 1: the value does not decode: ")
  end)

  it("a value that is cut short is known by its byte and goes to the dead letter by itself", function()
    local whole = contained(5, "five")
    local dead = proc.folder() .. "/dead"
    local out = passes("return { decode = 'avro', fields = { 'id' }, handle = function(batch) print(batch.id[1], #batch) end }",
      { whole:sub(1, -20), whole }, "--dead-letter", "file:" .. dead)
    assert.equal("5\t1\n", out)
    local letter = library.json.decode(proc.read(dead))
    assert.equal(wire.base64(whole:sub(1, -20)), letter.value_base64)
    local why
    for _, header in ipairs(letter.headers) do why = header.name == "rille.error" and header.value or why end
    has(why, "Avro: ")
    has(why, "at byte ")
  end)

  it("a field that is in no schema is named with its nearest, and is an error under --strict-fields", function()
    local text = "return { decode = 'avro', fields = { 'naem' }, handle = function() end }"
    local _, warned = passes(text, { contained(1, "one") })
    has(warned, "field 'naem' (naem) is in none of the first 1 messages of alerts: there is 'name'")
    local status, _, err = run(text, { contained(1, "one") }, "--strict-fields")
    assert.equal(4, status, err)
    has(err, "there is 'name'")
  end)

  for name, case in pairs {
    ["a schema file that is not there"] = { { "--schema", "/nowhere.avsc" }, "schema: cannot read /nowhere.avsc" },
    ["a schema that is none"] = { { "--schema", "/dev/null" }, "schema: /dev/null: " },
    ["Confluent framing without a schema"] = { { "--framing", "confluent" }, "set registry, the URL where they are, or schema" },
    ["a framing that does not exist"] = { { "--framing", "conflunet" }, "did you mean \"confluent\"?" },
    ["a setting of CSV"] = { { "--csv-header" }, "csv.header goes with decode = \"csv\"" },
  } do
    it(name .. " is status 2", function()
      local status, out, err = run("return { decode = 'avro', handle = print }", { "" }, table.unpack(case[1]))
      assert.equal(2, status, err)
      assert.equal("", out)
      has(err, case[2])
    end)
  end

  it("limits.inflated bounds what a block may become", function()
    local deflated = "\1\1\0\254\255" .. "\0" -- a stored block; its one byte is the long 0
    local head = wire.long(2) .. wire.string "avro.schema" .. wire.string '"long"' .. wire.string "avro.codec"
      .. wire.string "deflate" .. wire.long(0)
    local sync = ("sync"):rep(4)
    local value = "Obj\1" .. head .. sync .. wire.long(1) .. wire.long(#deflated) .. deflated .. sync
    assert.equal("0\n", passes("return { decode = 'avro', handle = function(b) print(b[1]:decode()) end }", { value }))
    local large = "\1\2\0\253\255" .. "\0\0"
    value = "Obj\1" .. head .. sync .. wire.long(2) .. wire.long(#large) .. large .. sync
    local status, _, err = run("return { decode = 'avro', limits = { inflated = 1 }, handle = print }", { value })
    assert.equal(4, status, err)
    has(err, "a block of over 1 bytes when inflated")
  end)

  it("works in the library form, two streams side by side", function()
    local schema = proc.write(proc.folder() .. "/long.avsc", '"long"')
    local avro = library.stream { input = wire.file { contained(9, "nine") }, decode = "avro", fields = { "name" } }
    local bare = library.stream { input = wire.file { wire.long(77) }, decode = "avro", schema = schema }
    local a, b = avro(), bare()
    assert.same({ "nine", 9, 77 }, { a.name[1], a[1]:decode().id, b[1]:decode() })
    assert.same({ 77 }, { table.unpack(b:rows(), 1, 1) })
    avro:close()
    bare:close()
    local ok, err = pcall(library.stream, { input = "-", decode = "avro", schema = "/nowhere.avsc" })
    assert.is_false(ok)
    has(tostring(err), "schema: cannot read /nowhere.avsc")
  end)
end)

describe("settings of Avro and JSON, end to end", function()
  after_each(proc.end_all)

  local LOGICAL = [[{"type":"record","name":"r","fields":[
    {"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
    {"name":"u","type":{"type":"fixed","name":"U","size":16,"logicalType":"uuid"}},
    {"name":"ms","type":{"type":"long","logicalType":"timestamp-millis"}},
    {"name":"us","type":["null",{"type":"long","logicalType":"timestamp-micros"}]},
    {"name":"local","type":{"type":"long","logicalType":"local-timestamp-millis"}},
    {"name":"day","type":{"type":"int","logicalType":"date"}},
    {"name":"time","type":{"type":"int","logicalType":"time-millis"}}]}]]
  local VALUE = wire.container(LOGICAL, wire.string "\4\210" .. ("\0\17"):rep(8) .. wire.long(1549661409000) .. "\2" ..
    wire.long(1549661409000001) .. wire.long(-1) .. wire.long(17935) .. wire.long(86399999))
  local SHOW = [[return { decode = "avro", %s fields = { "d", "u", "ms", "us", l = "local", "day", "time" },
    handle = function(batch)
      print(batch.ms[1], batch.us[1], batch.l[1], batch.day[1], batch.time[1], math.type(batch.us[1]))
      print(batch.d[1] == "12.34", batch.u[1] == "00110011-0011-0011-0011-001100110011", #batch.d[1], #batch.u[1])
      local whole = batch[1]:decode()
      print(whole.d == batch.d[1], whole.u == batch.u[1], whole.us == batch.us[1], #batch:where "d == '12.34'")
    end }]]
  local NUMBERS = "1549661409000\t1549661409000001\t-1\t17935\t86399999\tinteger\n"

  it("logical = true makes decimals and UUIDs texts; timestamps, dates and times are numbers all the same", function()
    local plain = NUMBERS .. "false\tfalse\t2\t16\ntrue\ttrue\ttrue\t0\n"
    local logical = NUMBERS .. "true\ttrue\t5\t36\ntrue\ttrue\ttrue\t1\n"
    assert.equal(plain, (passes(SHOW:format "", { VALUE })))
    assert.equal(logical, (passes(SHOW:format "logical = true,", { VALUE })))
    assert.equal(logical, (passes(SHOW:format "", { VALUE }, "--logical")))
    assert.equal(plain, (passes(SHOW:format "logical = true,", { VALUE }, "--logical=false")))
  end)

  it("strict = true looks at what is skipped: JSON's scalars, and all of an Avro value", function()
    local text = "return { %s fields = { 'a' }, handle = function(batch) print(batch.a[1]) end }"
    local json = { '{"a":1,"b":1.2.3}' }
    assert.equal("1\n", (passes(text:format "", json)))
    local status, out, err = run(text:format "strict = true,", json)
    assert.equal(4, status, err)
    assert.equal("", out)
    has(err, "alerts[0] offset 0: the value does not decode: not JSON: ")
    assert.equal(4, (run(text:format "", json, "--strict")))
    local schema = [[{"type":"record","name":"r","fields":[{"name":"a","type":"int"},{"name":"b","type":"string"}]}]]
    local avro = { wire.container(schema, wire.long(7) .. wire.string "\255") }
    assert.equal("7\n", (passes(text:format "decode = 'avro',", avro)))
    status, out, err = run(text:format "decode = 'avro', strict = true,", avro)
    assert.equal(4, status, err)
    assert.equal("", out)
    has(err, "UTF-8")
    assert.equal(4, (run(text:format "decode = 'avro',", avro, "--strict")))
  end)
end)

describe("real alerts", function()
  after_each(proc.end_all)

  local function real(pattern)
    local files, why = wire.data(pattern)
    if not files then pending(why) end
    return files
  end

  it("examples/ztf_purity.lua: 6 of the 12 alerts of 2020-02-02 are pure", function()
    local files = real "ztf/11*.avro"
    if not files then return end
    local to = proc.folder() .. "/pure"
    local out = passes(proc.read "examples/ztf_purity.lua", wire.read(files), "--", "file:" .. to)
    has(out, "12 alerts, 6 pure\n")
    local _, lines = proc.read(to):gsub("\n", "")
    assert.equal(6, lines)
    for candid in out:gmatch "%d%d%d%d%d+" do
      assert.is_truthy(table.concat(files, " "):find(candid .. ".avro", 1, true), candid) -- files are called by it
    end
  end)

  it("candids are exact, cutouts bytes, null cutouts nil", function()
    local files = real "ztf/1105522281015015000.avro"
    if not files then return end
    local text = [[return { decode = "avro", fields = { "candid", cut = "cutoutScience.stampData" },
      handle = function(batch)
        local cut = batch.cut[1]
        print(batch.candid[1], math.type(batch.candid[1]), cut:sub(1, 2) == "\31\139", #batch[1]:decode().prv_candidates)
      end }]]
    assert.equal("1105522281015015000\tinteger\ttrue\t12\n", (passes(text, wire.read(files))))
    local null = real "ztf/ZTF20abyfpze.avro"
    has(passes([[return { decode = "avro", fields = { cut = "cutoutScience" }, handle = function(batch)
      print(batch.cut[1], batch[1]:decode().cutoutScience == rille.null) end }]], wire.read(null)), "nil\ttrue\n")
    -- Below it the schema has what the value has not: no misspelling.
    local out, err = passes([[return { decode = "avro", fields = { cut = "cutoutScience.stampData" },
      handle = function(batch) print(batch.cut[1]) end }]], wire.read(null), "--strict-fields")
    assert.equal("nil\n", out)
    assert.is_nil(err:find("in none", 1, true), err)
  end)

  it("a damaged file stops the run, or goes to the dead letter, with its byte", function()
    local files = real "damaged/test_alerts_Ia_Hsiao_v2_53.avro"
    if not files then return end
    local text = "return { decode = 'avro', fields = { 'candid' }, handle = function(batch) print(#batch) end }"
    local status, out, err = run(text, wire.read(files))
    assert.equal(4, status)
    assert.equal("", out)
    has(err, "at byte 81385")
    local _, warned = passes(text, wire.read(files), "--dead-letter", "file:" .. proc.folder() .. "/dead")
    has(warned, "at byte 81385")
  end)

  it("an LSST alert reads with its schema's file", function()
    local files = real "lsst/*.confluent"
    if not files then return end
    local schema = real "lsst/lsst.v9_0.alert.avsc"
    local out = passes([[return function(batch)
      print(batch.diaSourceId[1], batch.snr[1] == 5.052084445953369, batch.reliability[1] == 0.11247663199901581)
    end]], wire.read(files), "--decode", "avro", "--framing", "confluent", "--schema", schema[1], "--fields",
      "diaSource.diaSourceId,diaSource.snr,diaSource.reliability")
    assert.equal("7912941781254298\ttrue\ttrue\n", out)
  end)
end)
