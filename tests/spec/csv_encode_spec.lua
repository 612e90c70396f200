-- rille.csv.encode: rows to CSV; what the decoder reads back.
package.path = "tests/broker/?.lua;" .. package.path
local locale = require "support.locale"
local proc = require "support.proc"
local program = require "support.rille"
local wire = require "support.wire"
local rille = require "rille"
local encode = rille.csv.encode

local function has(text, part) assert.is_truthy(tostring(text):find(part, 1, true), tostring(text)) end

local function refused(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return tostring(err)
end

-- The text through the decoder: whole values.
local function decoded(text, csv, decode)
  local stream = rille.stream { input = wire.file { text }, decode = decode or "csv", csv = csv }
  local batch = stream()
  local value = batch[1]:decode()
  stream:close()
  return value
end

describe("rille.csv.encode", function()
  after_each(proc.end_all)

  it("a row by names, by position, and a list of either", function()
    assert.equal("1,x,0.1", encode { a = 1, b = "x", c = 0.1 })
    assert.equal("1,,true", encode { 1, rille.null, true })
    assert.equal("2,1", encode({ a = 1, b = 2, c = 3 }, { columns = { "b", "a" } }))
    assert.equal("1,\n,2\n", encode { { a = 1 }, { b = 2 } })
    assert.equal("a,b\n1,\n,2\n", encode({ { a = 1 }, { b = 2 } }, { header = true }))
    assert.equal("x\ty\n1\t2", encode({ 1, 2 }, { columns = { "x", "y" }, header = true, delimiter = "\t" }))
    assert.equal("1,,3", encode { 1, nil, 3, n = 3 })
    assert.equal("", encode {})
    assert.equal("a\n", encode({}, { columns = { "a" }, header = true }))
  end)

  it("quotes what needs quotes, and nothing else", function()
    for text, cell in pairs {
      ["plain"] = "plain", ["a,b"] = '"a,b"', ['say "x"'] = '"say ""x"""', ["two\nlines"] = '"two\nlines"',
      ["cr\r"] = '"cr\r"', [" blank"] = '" blank"', ["17.5"] = '"17.5"', ["2026-11-30T00:00:00Z"] = "2026-11-30T00:00:00Z",
      ["007"] = "007", ["\u{e4}"] = "\u{e4}", ["a;b"] = "a;b",
    } do
      assert.equal(cell .. ",1", encode { text, 1 })
    end
    assert.equal('"a;b";1', encode({ "a;b", 1 }, { delimiter = ";" }))
    assert.equal('"",', encode { "", rille.null })
    assert.equal('""', encode { rille.null })
  end)

  it("numbers are exact", function()
    assert.equal("2510000000000000003,0.1,1e+300,10000.0,-0.0,nan,inf",
      encode { 2510000000000000003, 0.1, 1e300, 1e4, -0.0, 0 / 0 ~= 0 / 0 and -(0 / 0), 1 / 0 })
    assert.equal("18446744073709551615", encode { rille.json.decode "18446744073709551615" })
    assert.equal('"0.5".1', encode({ 0.5, 1 }, { delimiter = "." }))
  end)

  -- The script sets the locale of the whole process before the first value is decoded.
  local function under_a_comma(env, body, stdin, ...)
    local process = program.start({
      "run", "--code", ("assert(os.setlocale '%s')\nassert(('%%.1f'):format(0.5) == '0,5')\n%s"):format(locale.name, body),
      "--input", "-", "--input-format", "lines", ...,
    }, { stdin = stdin, env = env })
    assert.equal(0, process:wait(15), process:err())
    return process:out()
  end

  it("what is read and written does not depend on the locale", function()
    local env, why = locale.env()
    if not env then return pending(why) end
    local body = [[return function(batch, out)
      print(rille.csv.encode { 2510000000000000003, 0.1, 1e300, 1e4, -0.5 })
      print(rille.json.encode { 0.5, 1e300 }, rille.json.decode "[0.25]"[1] == 1 / 4)
      print(#batch:where "a > 0.25 and a < 0.75 and a == 0.5", batch.a[1] == 1 / 2, batch:tensor { "a" }:sum() == 1 / 2)
      out:send("-", { a = batch.a[1] })
    end]]
    local written = '2510000000000000003,0.1,1e+300,10000.0,-0.5\n[0.5,1e+300]\ttrue\n1\ttrue\ttrue\n{"a":0.5}\n'
    assert.equal(written, under_a_comma(env, body, '{"a":0.5}\n', "--fields", "a"))
    assert.equal(written, under_a_comma(env, body, "0.5,x\n", "--decode", "csv", "--csv-columns", "a,b", "--fields", "a:f64"))
  end)

  it("comes back through the decoder", function()
    local row = { id = 2510000000000000003, mag = 18.25, name = 'a "b", c', text = "17", long = "x\r\ny", empty = "" }
    local back = decoded(encode(row, { header = true }), { header = true })
    assert.same(row, back)
    back = decoded(encode(row, { header = true, delimiter = "\t" }), { header = true }, "tsv")
    assert.same(row, back)
    local holes = decoded(encode({ a = 1, c = 3 }, { columns = { "a", "b", "c" } }), { columns = { "a", "b", "c" } })
    assert.same({ 1, 3 }, { holes.a, holes.c })
    assert.is_true(holes.b == nil or holes.b == rille.null)
  end)

  it("random rows come back", function()
    local seed = 20261130
    local function random(n)
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      return (seed >> 8) % n + 1
    end
    local pieces = { "a", ",", '"', "\n", "\r", " ", "1", ".", "-", "e", "\t", "\u{20ac}", "#", "nan", "true" }
    for _ = 1, 300 do
      local row = {}
      for k = 1, 6 do
        local cell = {}
        for i = 1, random(5) do cell[i] = pieces[random(#pieces)] end
        row["c" .. k] = random(4) == 1 and random(1000000) / 7 or random(5) == 1 and random(1 << 30) or table.concat(cell)
      end
      assert.same(row, decoded(encode(row, { header = true }), { header = true }))
    end
  end)

  it("refuses what is no cell, naming row and column", function()
    has(refused(encode, { a = {} }), "row 1, column 'a': a table is no cell")
    has(refused(encode, { { 1 }, { 2, print } }), "row 2, cell 2: a function is no cell")
    has(refused(encode, { { 1, 2, 3 } }, { columns = { "a", "b" } }), "row 1 has 3 cells for 2 columns")
    has(refused(encode, { { a = 1 }, 5 }), "row 2 is a table of cells, not number")
    has(refused(encode, 5), "takes a row or a list of rows, not number")
    has(refused(encode, { 1 }, { header = true }), "header needs columns")
    has(refused(encode, { 1 }, { delimiter = ",," }), "one ASCII character")
    has(refused(encode, { 1 }, { colums = {} }), "did you mean 'columns'?")
    has(refused(encode, { a = 1, [1] = 2 }), "names or positions, not both")
  end)
end)
