-- rille schema, over files.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"
local wire = require "support.wire"
local library = require "rille"

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

local function run(...)
  local process = rille.start { "schema", ... }
  return process:wait(30), process:out(), process:err()
end

local function shows(...)
  local status, out, err = run(...)
  assert.equal(0, status, err)
  return out, err
end

-- The table's rows as "path type filled sample", one blank between.
local function rows(text)
  local list = {}
  for line in text:gmatch "[^\n]+" do list[#list + 1] = line:gsub("  +", "|") end
  table.remove(list, 1)
  return list
end

local function file(name, text) return proc.write(proc.folder() .. "/" .. name, text) end

local SCHEMA = [[{"type":"record","name":"alert","fields":[{"name":"id","type":"long"},
  {"name":"candidate","type":{"type":"record","name":"c","fields":[{"name":"mag","type":["null","float"]},
  {"name":"rb","type":"double"}]}},{"name":"cut","type":"bytes"},{"name":"prv","type":{"type":"array","items":"c"}}]}]]

local function alert(id)
  return { id = id, candidate = { mag = 18.5, rb = 0.75 }, cut = ("\0"):rep(100), prv = { { rb = 1 }, { rb = 2 } } }
end

describe("rille schema", function()
  after_each(proc.end_all)

  it("an .avsc: paths and types, no values", function()
    assert.same({
      "id|long|-", "candidate|record|-", "candidate.mag|float or null|-", "candidate.rb|double|-", "cut|bytes|-",
      "prv|array of record|-", "prv[*]|record|-", "prv[*].mag|float or null|-", "prv[*].rb|double|-",
    }, rows(shows(file("a.avsc", SCHEMA))))
  end)

  it("a container: its schema's types, with values", function()
    local bytes = library.avro.encode(SCHEMA, { alert(1), alert(2) }, { framing = "container", records = true })
    local out, err = shows(file("a.avro", bytes))
    has(err, 'guessed: decode = "avro" (they begin with Obj 01')
    assert.same({
      "id|long|2/2|1", "candidate|record|2/2|2 members", "candidate.mag|float or null|2/2|18.5",
      "candidate.rb|double|2/2|0.75", "cut|bytes|2/2|100 bytes: 00 00 00 00 00 00 00 00 …",
      "prv|array of record|2/2|2 items", "prv[*]|record|4/4|2 members", "prv[*].mag|float or null|0/4",
      "prv[*].rb|double|4/4|1.0",
    }, rows(out))
  end)

  it("values in another framing need --schema, and say so", function()
    local schema = file("a.avsc", SCHEMA)
    local packet = file("packet.confluent", library.avro.encode(SCHEMA, alert(7), { framing = "confluent", id = 9 }))
    local status, out, err = run(packet)
    assert.same({ 2, "" }, { status, out })
    has(err, "name its file with --schema")
    has(shows(packet, "--schema", schema), "1/1     7")
    local single = file("single", library.avro.encode(SCHEMA, alert(8), { framing = "single-object" }))
    has(shows(single, "--schema", schema), "1/1     8")
  end)

  it("JSON: a document, lines, and what `rille tap` wrote", function()
    local document = '{\n  "id": 1,\n  "candidate": {"mag": 18.5}\n}\n'
    local want = { "id|i64|1/1|1", "candidate|object|1/1|1 member", "candidate.mag|f64|1/1|18.5" }
    assert.same(want, rows(shows(file("a.json", document))))
    assert.same({ "a|i64 or str|2/3|1", "b|null|0/3" }, rows(shows(file("a.ndjson", '{"a":1,"b":null}\n\n{"a":"x"}\n{}\n'))))
    local container = library.avro.encode(SCHEMA, alert(3), { framing = "container" })
    local out, err = shows(wire.file { container, container, wire.null })
    has(err, 'decode = "avro"')
    has(out, "2/2     3")
    out, err = shows(wire.file { { SCHEMA, library.avro.encode(SCHEMA, alert(4)) } })
    has(err, 'decode = "avro", framing = "key" (their keys hold an Avro schema)')
    has(out, "1/1     4")
  end)

  it("CSV and TSV, with and without names", function()
    local out, err = shows(file("a.csv", 'id,mag,name\n1,18.5,"a,b"\n2,,\n'))
    has(err, "the first line of texts names the columns")
    assert.same({ "id|i64|2/2|1", "mag|f64 or null|1/2|18.5", 'name|str or null|1/2|"a,b"' }, rows(out))
    out, err = shows(file("a.tsv", "1\t2.5\n"))
    has(err, 'decode = "tsv"')
    has(err, "columns are c1 to c2")
    assert.same({ "c1|i64|1/1|1", "c2|f64|1/1|2.5" }, rows(out))
    out = shows(file("b.csv", "1;2\n"), "--csv-delimiter", ";", "--csv-columns", "x,y")
    assert.same({ "x|i64|1/1|1", "y|i64|1/1|2" }, rows(out))
  end)

  it("--count bounds what is looked at", function()
    assert.same({ "a|i64|2/2|1" }, rows(shows(file("a.ndjson", '{"a":1}\n{"a":2}\n{"b":3}\n'), "-c", "2")))
    assert.same({ "a|i64|2/2|1" }, rows(shows(file("a.csv", "a\n1\n2\nx\n"), "-c", "2")))
  end)

  it("--json is an object a line", function()
    local lines = {}
    for line in shows(file("a.json", '{"a.b":"x"}'), "--json"):gmatch "[^\n]+" do
      lines[#lines + 1] = library.json.decode(line)
    end
    assert.same({ { path = '"a.b"', type = "str", filled = 1, of = 1, sample = '"x"' } }, lines)
  end)

  it("what a terminal should not get is escaped, in keys too", function()
    local out = shows(file("a.json", '{"\\u001b[2J":"\\u001b[31m"}'))
    assert.is_nil(out:find("\27", 1, true))
    has(out, "\\x1B[31m")
    out = shows(file("a.json", '{"\\u001b[2J":"\\u001b[31m"}'), "--script")
    assert.is_nil(out:find("\27", 1, true))
  end)

  it("values that do not decode are counted and left out; none that does is status 4", function()
    local out, err = shows(file("a.ndjson", '{"a":1}\n{"a":\n'))
    has(err, "1 of 2 do not decode as json and are left out; the first: ")
    assert.same({ "a|i64|1/1|1" }, rows(out))
    local status
    status, out, err = run(file("b.ndjson", '{"a":\n'))
    assert.same({ 4, "" }, { status, out })
    has(err, "none of the 1 values decodes as json; the first: ")
  end)

  it("mistakes are status 2", function()
    for _, case in ipairs {
      { "needs a file or a topic" }, { "one file or topic at a time", "a.json", "b.json" },
      { "cannot read /nowhere.avsc", "/nowhere.avsc" }, { "/ is a folder: name a file, or - for stdin", "/" },
      { "cannot tell what the values are", file("x", "\255\254\1") },
      { "unknown option", "x", "--cuont", "3" },
      { "--script and --json do not go together", "a.json", "--script", "--json" },
    } do
      local status, out, err = run(table.unpack(case, 2))
      assert.same({ 2, "" }, { status, out }, err)
      has(err, case[1])
    end
  end)

  it("a file that holds nothing is status 5, as a topic is", function()
    local status, _, err = run(file("empty.json", ""))
    assert.equal(5, status)
    has(err, "is empty")
  end)

  it("--script is a handler that runs as it stands", function()
    local lines = '{"id":1,"candidate":{"mag":18.5,"end":2,"2x":3,"value":4},"id2":"x","other":{"mag":1,"list":[1]}}\n'
    local data = file("a.ndjson", lines)
    local script = shows(data, "--script")
    has(script, '    "id", -- i64: 1\n')
    has(script, '    end_ = "candidate.end", -- i64: 2\n')
    has(script, '    _2x = "candidate.2x", -- i64: 3\n')
    has(script, '    other_mag = "other.mag", -- i64: 1\n')
    has(script, '    -- "other.list", -- list: 1 item\n')
    local handler = rille.start { "run", file("filter.lua", script), "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("1\n", handler:out())
    assert.is_nil(handler:err():find("warning", 1, true), handler:err())
  end)

  it("the script of a file runs over that file, also where it is one value", function()
    local bytes = library.avro.encode(SCHEMA, alert(9), { framing = "container" })
    for _, path in ipairs { file("a.avro", bytes), file("a.json", '{\n"id": 9,\n"c": 1}\n') } do
      local handler = rille.start { "run", file("filter.lua", (shows(path, "--script"))), "--strict-fields" }
      assert.equal(0, handler:wait(30), handler:err())
      assert.equal("9\n", handler:out())
    end
    local script = shows(file("a.avsc", SCHEMA), "--script")
    has(script, '-- topics = "TOPIC"')
    has(script, 'decode = "avro"')
  end)

  it("the script of a container, over messages of it", function()
    local bytes = library.avro.encode(SCHEMA, alert(5), { framing = "container" })
    local data = wire.file { bytes, bytes }
    local handler = rille.start { "run", file("filter.lua", (shows(data, "--script"))), "--input", data, "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("5\n5\n", handler:out())
  end)

  -- What the script of these bytes prints when it runs, and the script.
  local function runs(name, text, ...)
    local script = shows(file(name, text), "--script", ...)
    local handler = rille.start { "run", file("filter.lua", script), "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err() .. script)
    return handler:out(), script
  end

  it("the script of a JSON array, or of one list of objects, has rows", function()
    local out, script = runs("arr.json", '[{"id":1,"mag":17.5},{"id":2,"mag":19}]')
    assert.equal("1\n2\n", out)
    has(script, '  rows = "[*]",\n')
    has(script, '    "mag", -- i64 or f64')
    has(script, "sends the whole messages")
    has(script, 'out:send("TOPIC", row)')
    out, script = runs("in.json", '{"tags":[1],"alerts":[{"c":{"id":1},"x":{"id":5},"mag":3}]}')
    assert.equal("1\n", out)
    has(script, '  rows = "alerts[*]",\n')
    has(script, '    x_id = "x.id", -- i64: 5\n')
  end)

  -- Each key with its place as its value, and what is to be printed of them.
  local function odd()
    local keys, members, want = {
      "id", "x:f64", "t:str", "c:bool", "dc:st", "a:i64:b", "k:", "i:j", "v:required", "w:default=3", "z:shape=2", "a,b",
      " lead", "trail ", "", "_", "end_", "end", "__", ".", "[0]", "@key", '"', "\\", "\\n", '\\"', "\n", "\1", "\127",
      "\u{202E}", "x=y", "é", "not", "number", "--[[", "]]",
    }, {}, {}
    for i, key in ipairs(keys) do members[i], want[i] = library.json.encode(key) .. ":" .. i, i end
    return keys, "{" .. table.concat(members, ",") .. "}", want
  end

  -- A script's fields, printed in the order of their numbers.
  local PRINT = [[return (function(script)
    script.handle = function(batch)
      local list = {}
      for _, column in pairs(batch:rows()[1]) do list[#list + 1] = column end
      table.sort(list)
      print(table.concat(list, " "))
    end
    return script
  end)((function() %s end)())]]

  it("the script of odd keys runs as it stands, and reads each", function()
    local keys, text, want = odd()
    local out, script = runs("a.ndjson", text .. "\n", "-q")
    assert.equal("1\n", out)
    has(script, [[    dc_st = "\"dc:st\"", -- i64: 5]])
    has(script, [[    end__2 = "end", -- i64: 18]])
    has(script, [[ = "\"\\n\"", -- i64: 27]])
    for name in script:gmatch "\n    ([%w_]+) = " do assert.is_truthy(load("local " .. name), name) end
    local handler = rille.start { "run", file("all.lua", PRINT:format(script)), "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err() .. script)
    assert.equal(table.concat(want, " ") .. "\n", handler:out())
    assert.equal(#keys, #want)
  end)

  it("the paths of odd keys are pasted into --fields", function()
    local _, text = odd()
    local data, list = file("a.ndjson", text .. "\n"), {}
    for i, row in ipairs(rows(shows(data))) do list[i] = "f" .. i .. "=" .. row:match "^(.-)|i64|" end
    local handler = rille.start { "run", "--fields", table.concat(list, ","), "--input", data, "--strict-fields",
      file("n.lua", "return { handle = function(b) print(#b, b.f1[1], b.f15[1], b.f27[1]) end }") }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("1\t1\t15\t27\n", handler:out())
  end)

  it("nor are odd keys of two levels named alike, or not at all", function()
    local out, script = runs("a.ndjson", '{"_":1,"":{"":2},"x":{"end":3},"x_end":4,"end_":5,"end":6,"id":7}\n')
    assert.equal("7\t1\n", out, script)
  end)

  it("a key that holds a NUL is a comment that says why", function()
    local out, script = runs("a.ndjson", '{"id":1,"a\\u0000b":2,"l\\u0000":[{"x":1}]}\n')
    assert.equal("1\n", out)
    has(script, [[    -- a_b = "\"a\\x00b\"", -- i64: 2 (no path can name a key that holds a NUL)]])
    assert.is_nil(script:find("rows", 1, true), script)
    out = runs("a.ndjson", '{"l\\u0000":[{"x":1}]}\n')
    has(out, "u0000")
  end)

  it("the script's settings of CSV are written as one would", function()
    has((runs("a.csv", 'dc:st,"a,b", c \n5,6,7\n', "--csv-header")), "5\n")
    has(select(2, runs("a.csv", "id;mag\n1;2\n", "--csv-header", "--csv-delimiter", ";")),
      '  csv = { header = true, delimiter = ";" },\n')
    has(select(2, runs("a.csv", "id,mag\n1,2\n", "--csv-header")), "  csv = { header = true },\n")
    has(select(2, runs("a.csv", "1,2\n", "--csv-columns", "id,mag")), '  csv = { columns = { "id", "mag" } },\n')
  end)

  it("where nothing is a field the script runs all the same, over messages", function()
    for _, text in ipairs { "[1,2]", '{"a":[1],"b":[2]}', "{}", '{"a":[{"x":1}],"b":[{"x":1}]}' } do
      local out, script = runs("a.json", text)
      assert.equal(text .. "\n", out)
      assert.is_nil(script:gsub("\n%-%-[^\n]*", ""):find("where", 1, true), script)
    end
  end)

  it("beside fields, lists of objects are there as comments: rows, and a light curve", function()
    local _, script = runs("a.json", '{"id":7,"data":{"photometry":[{"id":1,"jd":1.5,"magpsf":18.5}]}}')
    has(script, '--   rows = "data.photometry[*]",\n')
    has(script, '    -- "data.photometry[*].magpsf", -- f64: 18.5\n')
    has(script, "byte for byte")
    local bytes = library.avro.encode(SCHEMA, alert(9), { framing = "container" })
    _, script = runs("a.avro", bytes)
    has(script, '    -- prv_mag = "prv[*].mag", -- float or null\n')
    assert.is_nil(script:find("rows", 1, true), script)
  end)

  it("the comment for a list's objects as rows is a whole handler: uncommented it runs, with paths that begin at them", function()
    local document = '{"id":7,"data":{"targets":[{"name":"a","ra":1.5,"p":{"x":2}},{"name":"b","ra":2.5}],'
      .. '"photometry":[{"id":1,"jd":1.5}]}}'
    local out, script = runs("a.json", document)
    assert.equal("7\n", out)
    local before, comment, after = script:match "^(.-\n)%-%- Or each object of data%.targets.-\n(.-)\n\n(.*)$"
    assert.is_truthy(comment, script)
    has(comment, '--     "p.x", -- i64: 2')
    local handler = rille.start {
      "run", file("rows.lua", before .. ("\n" .. comment):gsub("\n%-%- ", "\n") .. "\n" .. after), "--strict-fields", }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("a\t1.5\nb\t2.5\n", handler:out())
  end)

  it("of messages with several records the script says what forward sends", function()
    local bytes = library.avro.encode(SCHEMA, { alert(1), alert(2) }, { framing = "container", records = true })
    local _, script = runs("a.avro", bytes)
    has(script, "sends the whole messages")
  end)

  it("the script of a schema names it, and the framing to take where values want one", function()
    local path = file("a.avsc", SCHEMA)
    local script = shows(path, "--script")
    has(script, ('  schema = "%s",\n'):format(path))
    has(script, '  -- framing = "confluent", -- where values begin with 00 and a number\n')
    local packet = file("p", library.avro.encode(SCHEMA, alert(7), { framing = "confluent", id = 16777216 }))
    script = script:gsub('%-%- topics = "TOPIC"', ('input = "%s", input_format = "whole"'):format(packet))
    local handler = rille.start { "run", file("bare.lua", script) }
    assert.equal(4, handler:wait(30), handler:err())
    has(handler:err(), 'it begins with 00 and a number, as a schema registry\'s values do: try framing = "confluent"')
    handler = rille.start { "run", file("framed.lua", (script:gsub("%-%- framing", "framing"))) }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("7\n", handler:out())
  end)

  it("XML and gzip are named, and a file that could be a topic", function()
    local status, _, err = run(file("a.xml", "<voe:VOEvent/>"))
    assert.equal(2, status)
    has(err, "as XML does, which rille does not read")
    status, _, err = run(file("a.gz", "\x1F\x8B\8\0\0\0\0\0"))
    assert.equal(2, status)
    has(err, "as gzip's files do: unpack them first")
    local folder = proc.folder()
    proc.write(folder .. "/alerts", '{"a":1}\n')
    local program = rille.program:sub(1, 1) == "/" and rille.program or os.getenv "PWD" .. "/" .. rille.program
    local process = proc.start { "env", "-C", folder, program, "schema", "alerts" }
    assert.equal(0, process:wait(30), process:err())
    has(process:err(), "reading the file alerts (-t alerts: the topic)")
    local _, told = shows(file("a.ndjson", '{"a":1}\n'))
    assert.is_nil(told:find("reading the file", 1, true), told)
  end)

  for _, case in ipairs {
    { "ztf/1105522281015015000.avro", 'candidate.magpsf|float|1/1|14.916227340698242' },
    { "lsst/lsst.v9_0.alert.avsc", "diaSource.snr|float or null|-" },
    { "gcn/boom_alert.example.json", 'data.targets[*].event_name|str|1/1|"ZTF25acffkdr"' },
  } do
    it("real data: " .. case[1], function()
      local files, why = wire.data(case[1])
      if not files then return pending(why) end
      has("\n" .. table.concat(rows((shows(files[1]))), "\n") .. "\n", "\n" .. case[2] .. "\n")
    end)
  end

  it("real data: the LSST packet under its schema, and its script runs", function()
    local files, why = wire.data "lsst/*.confluent"
    if not files then return pending(why) end
    local schema = assert(wire.data "lsst/*.avsc")[1]
    has(shows(files[1], "--schema", schema), "7912941781254298")
    local script = file("filter.lua", (shows(files[1], "--schema", schema, "--script")))
    local handler = rille.start { "run", script, "--strict-fields" }
    assert.equal(0, handler:wait(30), handler:err())
    assert.equal("7912941781254298\n", handler:out())
  end)
end)
