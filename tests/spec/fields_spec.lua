-- fields: what a path, a type, a shape or a default makes of values, in each decoder, as a script sees it.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"
local wire = require "support.wire"

local function start(text, input, options, stdin)
  local words = { "run", "--code", text, "--input", input }
  for _, word in ipairs(options or {}) do words[#words + 1] = word end
  local process = rille.start(words, { stdin = stdin })
  return process:wait(20), process:out(), process:err()
end

-- Settings and a handler's body over values, one a line.
local function run(settings, body, values, options)
  local text = ("return { %s, handle = function(batch, out)\n%s\nend }"):format(settings, body)
  local words = { "--input-format", "lines" }
  for _, word in ipairs(options or {}) do words[#words + 1] = word end
  return start(text, "-", words, table.concat(values, "\n") .. "\n")
end

local function pass(...)
  local status, out, err = run(...)
  assert.equal(0, status, err)
  return out, err
end

local function stop(want, part, ...)
  local status, _, err = run(...)
  assert.equal(want, status, err)
  assert.is_truthy(err:find(part, 1, true), err)
  return err
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

local ALERTS = {
  '{"id":"a","prv":[{"mag":17.5,"fid":1},{"fid":2},{"mag":null},{"mag":18}]}',
  '{"id":"b","prv":[]}',
  '{"id":"c","prv":null}',
}

describe("paths", function()
  after_each(proc.end_all)

  it("end in a type after a colon; what is nearly one is refused, a key that holds a colon is quoted", function()
    pass('fields = { a = "x:f64", b = "dc:title", c = [["dc:f6"]], d = "@headers.a:st" }', [[
      assert(math.type(batch.a[1]) == "float" and batch.b[1] == "t" and batch.c[1] == 2 and batch.d[1] == nil)
    ]], { '{"x":1,"dc:title":"t","dc:f6":2}' })
    stop(2, "fields: 'candidate.magpsf:f6': 'f6' is no type (did you mean f64?)", 'fields = { m = "candidate.magpsf:f6" }', "",
      { "{}" })
  end)

  it("take the last key as a listed field's name; the order of listed ones stays", function()
    pass('fields = { "a.b.c", "p[0].x", "p[-1].y", { path = "q", type = "i64" }, z = "z" }', [[
      assert(batch.c[1] == 1 and batch.x[1] == 2 and batch.y[1] == 3 and batch.q[1] == 4 and batch.z[1] == 5)
      local names = {}
      for name in pairs(batch.columns) do names[#names + 1] = name end
      table.sort(names)
      assert(table.concat(names, " ") == "c q x y z")
    ]], { '{"a":{"b":{"c":1}},"p":[{"x":2},{"y":3}],"q":4,"z":5}' })
  end)

  it("count from the end, and quote keys that hold dots, brackets, quotes or begin with @", function()
    pass([==[fields = { last = "p[-1]", second = "p[-2]", none = "p[-9]", dotted = '"a.b".c', star = '"p[*]"',
      quote = '"say \\"x\\""', at = '"@key"' }]==], [[
      assert(batch.last[1] == 3 and batch.second[1] == 2 and batch.none[1] == nil)
      assert(batch.dotted[1] == 4 and batch.star[1] == 5 and batch.quote[1] == 6 and batch.at[1] == 7)
    ]], { [[{"p":[1,2,3],"a.b":{"c":4},"p[*]":5,"say \"x\"":6,"@key":7}]] })
  end)

  it("of a key that comes twice the last counts, with all that is below it", function()
    pass('fields = { "a", "p.x", m = "q[*].m", k = { path = "k", default = 7 } }', [[
      assert(batch.a[1] == 2 and batch.x[1] == nil and batch.m[1].n == 1 and batch.m[1][1] == 9 and batch.k[1] == 7)
    ]], { '{"a":1,"p":{"x":5},"q":[{"m":1},{"m":2}],"k":1,"a":2,"p":{"y":1},"q":[{"m":9}],"k":null}' })
  end)

  it("@key, @topic, @partition, @offset, @timestamp and @headers.NAME are read in every decoder", function()
    local fields = [[fields = { "@key", "@topic", "@partition", "@offset", "@timestamp", h = "@headers.h.x",
      n = { path = "@headers.n", type = "i64" }, none = "@headers.none",
      d = { path = "@headers.none", type = "f64", default = -1 } }]]
    local body = [[
      assert(batch.key[1] == "k" and batch.topic[1] == "t" and batch.partition[1] == 2 and batch.offset[1] == 5)
      assert(batch.timestamp[1] == 1549661409000 and batch.h[1] == "v" and batch.n[1] == 42 and batch.none[1] == nil)
      assert(batch.d[1] == -1.0)
    ]]
    local schema = '{"type":"record","name":"r","fields":[{"name":"a","type":"long"}]}'
    local base64 = wire.base64(wire.container(schema, wire.long(1)))
    local values = { json = '"value":"{}"', raw = '"value":"x"', csv = '"value":"1,2"', tsv = '"value":"1\\t2"',
      avro = '"value_base64":"' .. base64 .. '"' }
    for decode, value in pairs(values) do
      local line = ('{"topic":"t","partition":2,"offset":5,"timestamp":1549661409000,"key":"k",' ..
        '"headers":[{"name":"h.x","value":"v"},{"name":"n","value":"42"}],%s}\n'):format(value)
      local text = ('return { decode = "%s", %s, handle = function(batch) %s end }'):format(decode, fields, body)
      local status, _, err = start(text, "-", {}, line)
      assert.equal(0, status, decode .. ": " .. err)
    end
  end)

  it("type any and auto take arrays and objects as they are", function()
    pass('fields = { a = { path = "v", type = "any" }, b = "v" }', [[
      for i, want in ipairs { '{"x":[1,null]}', '[]', '{}', 'true', '"t"', '2510000000000000003' } do
        assert(rille.json.encode(batch.a[i]) == want and rille.json.encode(batch.b[i]) == want, i)
      end
      assert(batch.a[7] == nil)
    ]], { '{"v":{"x":[1,null]}}', '{"v":[]}', '{"v":{}}', '{"v":true}', '{"v":"t"}', '{"v":2510000000000000003}',
      '{"v":null}' })
  end)
end)

describe("a path with [*]", function()
  after_each(proc.end_all)

  it("gives a list a row: holes for what is missing, and n", function()
    pass('fields = { mags = "prv[*].mag", fids = { path = "prv[*].fid", type = "i64" } }', [[
      local m = batch.mags
      assert(m.n == 3 and m[1].n == 4 and m[1][1] == 17.5 and m[1][2] == nil and m[1][3] == nil and m[1][4] == 18)
      assert(m[2].n == 0 and next(m[2]) == "n" and m[3] == nil)
      assert(batch.fids[1].n == 4 and batch.fids[1][2] == 2 and batch.fids[1][4] == nil)
      assert(batch[1].fields.mags[4] == 18 and batch:rows()[2].mags.n == 0)
      assert(rille.json.encode(batch:rows()[1].mags) == "[17.5,null,null,18]")
      assert(rille.json.encode(m[2]) == "[]")
    ]], ALERTS)
  end)

  it("S8.1 declared f64, what is missing of its elements is NaN; a missing list stays nil", function()
    pass('fields = { mags = { path = "prv[*].mag", type = "f64" } }', [[
      local m = batch.mags
      assert(m[1].n == 4 and m[1][2] ~= m[1][2] and m[1][3] ~= m[1][3] and math.type(m[1][4]) == "float")
      assert(m[2].n == 0 and m[3] == nil)
    ]], ALERTS)
  end)

  it("stands beside other paths through the same array, nests, and takes a default", function()
    pass([[fields = { all = "p", first = "p[0].m", last = "p[-1].m", ms = "p[*].m", qs = "p[*].q[*]",
      zero = { path = "p[*].m", type = "f64", default = 0 }, none = { path = "x[*]", default = {} } }]], [[
      assert(#batch.all[1] == 3 and batch.first[1] == 1 and batch.last[1] == 3)
      assert(batch.ms[1].n == 3 and batch.ms[1][2] == nil and batch.ms[1][3] == 3)
      local qs = batch.qs[1]
      assert(qs.n == 3 and qs[1].n == 2 and qs[1][2] == 5 and qs[2] == nil and qs[3].n == 0)
      assert(batch.zero[1][2] == 0.0 and batch.none[1].n == 0)
    ]], { '{"p":[{"m":1,"q":[4,5]},{},{"m":3,"q":[]}]}' })
  end)

  it("works with a decoder written in Lua", function()
    pass([[fields = { ms = "p[*].m", is = { path = "p[*].m", type = "i64" }, qs = "p[*].q[*]", no = "o[*]",
      img = { path = "img", type = "f32", shape = {2, 2} } },
      decode = function(m) return require "cjson".decode(m.value) end]], [[
      assert(batch.ms[1].n == 3 and batch.ms[1][2] == nil and batch.ms[1][3] == 3)
      assert(math.type(batch.is[1][1]) == "integer" and batch.qs[1].n == 3 and batch.qs[1][1][2] == 5)
      assert(batch.no[1] == nil and batch.img[1][2][1] == 3 and batch.img[1][2][2] ~= batch.img[1][2][2])
    ]], { '{"p":[{"m":1,"q":[4,5]},{"m":null},{"m":3,"q":[]}],"o":{"a":1},"img":[[1,2],[3,null]]}' })
  end)

  it("that leads nowhere in the first batch is warned of with the nearest", function()
    local _, err = pass('fields = { mags = { path = "prv[*].mga", type = "f64" } }', "", ALERTS)
    has(err, "field 'mags' (prv[*].mga) is in none of the first 3 messages of stdin: there is 'prv[*].mag'")
    _, err = pass('fields = { "prv[*].mag" }', "", ALERTS)
    assert.is_nil(err:find("is in none", 1, true), err)
    _, err = pass('fields = { "prv[*].mga" }', "", { '{"prv":[]}' }) -- as may be
    assert.is_nil(err:find("is in none", 1, true), err)
  end)

  it("that lacks its [*] is given it", function()
    local _, err = pass('fields = { "p.m" }', "", { '{"m":1,"p":[{"m":2}]}' })
    has(err, "(p.m) is in none of the first 1 messages of stdin: there is 'p[*].m'")
  end)

  it("is refused for csv", function()
    stop(2, "a cell there holds one value, so there is no [*]", 'decode = "csv", fields = { x = "[*]" }', "", { "1" })
  end)
end)

describe("a shape", function()
  after_each(proc.end_all)

  it("gives nested arrays a row, out of nested or flat ones", function()
    pass('fields = { img = { path = "img", type = "f32", shape = {2, 3} }, v = { path = "v", type = "i64", shape = 2 } }', [==[
      assert(#batch.img[1] == 2 and #batch.img[1][1] == 3 and batch.img[1][2][3] == 6)
      assert(rille.json.encode(batch.img[1]) == rille.json.encode(batch.img[2]))
      assert(rille.json.encode(batch.img[1]) == "[[1.0,2.0,3.0],[4.0,5.5,6.0]]")
      assert(batch.img[3] == nil and batch.v[3][2] == 2510000000000000003 and batch.v[1] == nil)
      assert(batch.img[4][1][1] ~= batch.img[4][1][1])
    ]==], { '{"img":[[1,2,3],[4,5.5,6]]}', '{"img":[1,2,3,4,5.5,6]}', '{"v":[1,2510000000000000003]}',
      '{"img":[[null,2,3],[4,5,6]]}' })
  end)

  it("S4 that a message does not have costs that message, with the shapes wanted and found", function()
    local err = stop(4, "expected f32 of shape {2, 3}, found shape {2, 2}",
      'fields = { img = { path = "img", type = "f32", shape = {2, 3} } }', "", { '{"img":[[1,2],[3,4]]}' })
    has(err, "field 'img' (img)")
  end)

  it("is read from bytes in the order that is declared", function()
    local schema = '{"type":"record","name":"r","fields":[{"name":"img","type":["null","bytes"]}]}'
    local path = wire.file { wire.container(schema, "\2" .. wire.string(string.pack(">ffff", 1, 2, 3, 4.5))) }
    local status, _, err = start([[return { decode = "avro",
      fields = { img = { path = "img", type = "f32", shape = {2, 2}, bytes = "big" } },
      handle = function(batch) assert(batch.img[1][1][2] == 2 and batch.img[1][2][2] == 4.5) end }]], path)
    assert.equal(0, status, err)
  end)
end)

describe("a default", function()
  after_each(proc.end_all)

  it("fills what is missing or null", function()
    pass([[fields = { i = { path = "i", type = "i64", default = -1 }, f = { path = "f", type = "f64", default = 0 },
      s = { path = "s", default = "none" }, b = { path = "b", type = "bool", default = false },
      img = { path = "img", type = "f32", shape = {1, 2}, default = 0 } }]], [[
      for r = 1, 2 do
        assert(batch.i[r] == -1 and math.type(batch.f[r]) == "float" and batch.s[r] == "none" and batch.b[r] == false)
        assert(batch.img[r][1][2] == 0)
      end
      assert(batch.i[3] == 5 and batch.s[3] == "x" and batch.b[3] and batch.img[3][1][1] == 7)
      assert(#batch:where "i == -1 and not b" == 2)
    ]], { "{}", '{"i":null,"f":null,"s":null,"b":null,"img":null}', '{"i":5,"s":"x","b":true,"img":[7,8]}' })
  end)

  it("fills empty cells of csv", function()
    pass([[decode = "csv", csv = { columns = { "a", "b" } },
      fields = { a = { path = "a", type = "f64", default = -999 }, b = { path = "b", default = "?" } }]], [[
      assert(batch.a[1] == -999.0 and batch.b[1] == "?" and batch.a[2] == 1 and batch.b[2] == "x")
    ]], { ",", "1,x" })
  end)

  it("does not make a message of a tombstone", function()
    local status, _, err = start([[return { fields = { a = { path = "a", default = 1 } },
      handle = function(batch) assert(batch.a[1] == nil and batch.a[2] == 1) end }]], "-", {},
      '{"topic":"t","partition":0,"offset":1,"key":null,"value":null}\n' ..
      '{"topic":"t","partition":0,"offset":2,"key":null,"value":"{}"}\n')
    assert.equal(0, status, err)
  end)

  it("does not hide a path that leads nowhere", function()
    local _, err = pass('fields = { mag = { path = "mga", default = 0 } }', "", { '{"mag":1}' })
    has(err, "field 'mag' (mga) is in none of the first 1 messages of stdin: there is 'mag'")
  end)
end)

describe("fields that do not go together", function()
  after_each(proc.end_all)

  it("are refused at load, status 2, each with its reason", function()
    for spec, part in pairs {
      ['{ path = "x", type = "i64", default = 1.5 }'] = "the default of field 'x' (x): expected i64, found the number 1.5",
      ['{ path = "x", type = "f64", default = "a" }'] = "expected f64, found the text \"a\"",
      ['{ path = "x", default = 1, required = true }'] = "with a default it is never missing",
      ['{ path = "x", default = {} }'] = "an empty list is a default of paths with [*] only",
      ['{ path = "x[*]", default = { 1 } }'] = "default of 'x' must be a number, text, boolean or {}",
      ['{ path = "x", shape = {2} }'] = "a shape wants the type i64, f64, f32 or bool, not auto",
      ['{ path = "x", type = "f32", shape = {} }'] = "shape of 'x' must be 1 to 8 whole numbers, as in {63, 63}",
      ['{ path = "x", type = "f32", shape = {2, 0} }'] = "shape of 'x' must be 1 to 8 whole numbers",
      ['{ path = "x", type = "f32", shape = "2" }'] = "shape of 'x' must be 1 to 8 whole numbers",
      ['{ path = "x", type = "f32", shape = {1e4, 1e4} }'] = "whole numbers",
      ['{ path = "x", type = "f32", shape = {5000, 5000} }'] = "of 16777216 elements at most",
      ['{ path = "x", type = "f32", bytes = "big" }'] = "give it a shape",
      ['{ path = "x", type = "f32", shape = 2, bytes = "middle" }'] = 'must be "little" or "big", not "middle"',
      ['{ path = "@key", type = "f32", shape = 2 }'] = "only bytes are read here",
      ['{ path = "x", typ = "f32" }'] = "'x' has no 'typ'",
      ['{ path = "x[*" }'] = "expected an index (0, 1 … or -1 for the last) or * for all at column 3",
    } do
      local err = stop(2, part, ("fields = { x = %s }"):format(spec), "", { "{}" })
      has(err, "--code: fields: ")
    end
  end)
end)

describe("where", function()
  after_each(proc.end_all)

  it("asks of lists and shapes whether they are there, and nothing else", function()
    local fields = 'fields = { "id", mags = "prv[*].mag", img = { path = "img", type = "f32", shape = 1, default = 0 } }'
    pass(fields, [[
      assert(#batch:where "mags ~= nil" == 2 and batch:where("mags == nil and id == 'c'")[1].offset == 2)
      assert(#batch:where "not (mags == nil) and img ~= nil" == 2)
    ]], ALERTS)
    for expression, column in pairs { ["mags > 17"] = 1, ["id == 'a' and mags"] = 15, ["mags == id"] = 1,
      ["math.abs(mags) > 1"] = 10, ["mags in {1, 2}"] = 1, ["#mags > 2"] = 2, ["(mags + 1) == nil"] = 2 } do
      local err = stop(4, "`mags` is a list a row, of which only == nil and ~= nil are known here", fields,
        ("batch:where [=[%s]=]"):format(expression), ALERTS)
      has(err, ("at column %d"):format(column))
    end
    stop(4, "`img` is an array a row", fields, 'batch:where "img == 0"', ALERTS)
  end)
end)

describe("S8.5 a field that a method or property hides", function()
  after_each(proc.end_all)

  it("is read as batch.columns.NAME, and a warning at load says so", function()
    local line = { '{"number":7,"columns":8,"cause":9,"rows":10}' }
    local _, err = pass('fields = { "number", "columns", "cause", "rows" }', [[
      assert(batch.number == 1 and batch.columns.number[1] == 7 and batch.columns.columns[1] == 8)
      assert(batch.columns.cause[1] == 9 and batch.columns.rows[1] == 10 and batch[1].fields.number == 7)
      assert(#batch:where "number == 7" == 1)
    ]], line)
    for _, name in ipairs { "number", "columns", "cause", "rows" } do
      has(err, ("--code: the field '%s' is read as batch.columns.%s: batch.%s is something else"):format(name, name, name))
    end
  end)

  it("is warned of for names on the command line and in the environment, too", function()
    local handlers = { "return function(batch) assert(batch.columns.number[1] == 7) end",
      "return { handle = function(batch) assert(batch.columns.number[1] == 7) end }" }
    for _, text in ipairs(handlers) do
      local status, _, err = start(text, "-", { "--input-format", "lines", "--fields", "number,mag" }, '{"number":7,"mag":1}\n')
      assert.equal(0, status, err)
      has(err, "--fields: the field 'number' is read as batch.columns.number")
      assert.is_nil(err:find("'mag' is read", 1, true), err)
    end
  end)
end)

describe("fields on the command line", function()
  after_each(proc.end_all)

  local SHOW = [[return function(b)
    for i = 1, #b do
      local image = b.image[i]
      print(b.id[i], b.rb[i], b.nbad[i], b.note[i], image and rille.json.encode(image, { nan = "null" }))
    end
  end]]
  local LINES = '{"id":1,"candidate":{"rb":0.5,"nbad":2},"cut":[[1,2],[3,4]],"note":"n"}\n{"id":2,"candidate":{"rb":1}}\n'

  it("declare what a script's table can", function()
    local list = 'id:i64:required, rb=candidate.rb:f64:required,nbad=candidate.nbad:i64:default=-1,' ..
      'note:default="a, b: \\"c\\"",image=cut:f32:shape=2x2:default=nan'
    local status, out, err = start(SHOW, "-", { "--input-format", "lines", "--fields", list }, LINES)
    assert.equal(0, status, err)
    local script = SHOW:gsub("^return", [[return { fields = { id = { path = "id", type = "i64", required = true },
      rb = { path = "candidate.rb", type = "f64", required = true },
      nbad = { path = "candidate.nbad", type = "i64", default = -1 }, note = { path = "note", default = 'a, b: "c"' },
      image = { path = "cut", type = "f32", shape = { 2, 2 }, default = 0/0 } }, handle =]]) .. "}"
    local again, same, why = start(script, "-", { "--input-format", "lines" }, LINES)
    assert.equal(0, again, why)
    assert.equal(same, out)
    has(out, '1\t0.5\t2\tn\t[[1.0,2.0],[3.0,4.0]]\n2\t1.0\t-1\ta, b: "c"\t')
  end)

  it("required fails the message that lacks it", function()
    local status, _, err = start(SHOW, "-", { "--input-format", "lines", "--fields", "id:required,rb,nbad,note,image" },
      '{"id":1}\n{}\n')
    assert.equal(4, status, err)
    has(err, "required field 'id' (id) is missing")
  end)

  it("what is declared wrong is status 2, with what was meant", function()
    local status, _, err = start(SHOW, "-", { "--input-format", "lines", "--fields", "id:requird" }, "{}\n")
    assert.equal(2, status, err)
    has(err, "field 'id:requird': 'requird' is no type (did you mean required?)")
  end)
end)

describe("a script's table", function()
  after_each(proc.end_all)

  it("whose handle is misspelt is told what it has", function()
    for _, name in ipairs { "handel", "Handle", "handler" } do
      local status, _, err = start(("return { %s = function() end }"):format(name), "-", {}, "{}\n")
      assert.equal(2, status, err)
      has(err, ("the table has no function 'handle' but one called '%s': did you mean 'handle'?"):format(name))
    end
    local status, _, err = start("return { open = function() end, topics = 't' }", "-", {}, "{}\n")
    assert.equal(2, status, err)
    has(err, "the table has no function 'handle'")
    assert.is_nil(err:find("did you mean", 1, true), err)
  end)
end)
