-- decode = "csv" and "tsv", over files.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local wire = require "support.wire"
local library = require "rille"

local run, passes, has = input.run, input.passes, input.has

describe("decode = csv", function()
  after_each(proc.end_all)

  it("reads named columns, and the key beside them", function()
    local out = passes([[return {
      decode = "csv", csv = { columns = { "id", "mag", "name" } },
      fields = { label = { path = "@key", type = "f64" }, "id", { path = "mag", type = "f64" }, "name" },
      handle = function(batch)
        for i = 1, #batch do print(batch.label[i], batch.id[i], batch.mag[i], batch.name[i]) end
        print(#batch:where "mag < 18 and label == 1", batch:rows()[1].name)
      end }]], {
      { "1", '2510000000000000003,1.75e1,"a, ""b"""' }, { "0", "7,,\n" }, { "1.000e+00", "007,  .5 ,x\r\n" },
    })
    assert.equal('1.0\t2510000000000000003\t17.5\ta, "b"\n0.0\t7\tnan\tnil\n1.0\t007\t0.5\tx\n2\ta, "b"\n',
      (out:gsub("%-nan", "nan")))
  end)

  it("examples/csv_columns.lua: means of SUSY rows by the label in the key", function()
    local rows = {}
    for i = 0, 999 do
      local cells = {}
      for c = 1, 18 do cells[c] = ("%.18e"):format(c + (i % 4) / 4) end
      rows[#rows + 1] = { i % 2 == 0 and "0.000e+00" or "1.000e+00", table.concat(cells, ",") }
    end
    assert.equal("background    500 rows, mean missing energy 7.2500, mean M_R 11.2500\n"
      .. "signal        500 rows, mean missing energy 7.5000, mean M_R 11.5000\n",
      (passes(proc.read "examples/csv_columns.lua", rows)))
  end)

  it("takes names from a header in each message, or counts", function()
    local values = { "id,name\n1,one\n", "name,id\ntwo,2\n" }
    assert.equal("1\tone\n2\ttwo\n", (passes(
      "return function(b) for i = 1, #b do print(b.id[i], b.name[i]) end end", values, "--decode", "csv", "--csv-header",
      "--fields", "id,name")))
    assert.equal("1\tone\t2\n", (passes("return function(b) print(b.a[1], b.z[1], b.b[1]) end", { "1;2;one" },
      "--decode", "csv", "--csv-delimiter", ";", "--fields", "a=[0],b=[1],z=[-1]")))
  end)

  it("tsv, comments, and another delimiter by its name", function()
    local text = "return function(b) print(b.a[1], b.b[1]) end"
    local fields = { "--csv-columns", "a,b", "--fields", "a,b" }
    assert.equal("1\tx, y\n", (passes(text, { "# note\n1\tx, y\n" }, "--decode", "tsv", "--csv-comment", "#",
      table.unpack(fields))))
    assert.equal("1\t2\n", (passes(text, { "1\t2" }, "--decode", "csv", "--csv-delimiter", "\\t", table.unpack(fields))))
  end)

  it("message:decode() and rows() without fields give whole rows", function()
    local handler = "handle = function(b) for _, r in ipairs(b:rows()) do print(rille.json.encode(r)) end end"
    local values = { "1,,x", '2,"",y' }
    assert.equal('{"a":1,"b":null,"c":"x"}\n{"a":2,"b":"","c":"y"}\n',
      (passes("return { decode = 'csv', csv = { columns = { 'a', 'b', 'c' } }, " .. handler .. "}", values)))
    assert.equal('[1,null,"x"]\n[2,"","y"]\n', (passes("return { decode = 'csv', " .. handler .. "}", values)))
  end)

  it("lines of a message are rows; one of another width is the message's error", function()
    local text = [[return { decode = "csv", csv = { columns = { "a", "b" } }, fields = { "a" },
      handle = function(batch) print(#batch, table.unpack(batch.a)) end }]]
    local out, err = passes(text, { "1,2,3", "4,5", "6,7\n8,9\n", "\n", "10,11\n12\n" }, "--dead-letter",
      "file:" .. proc.folder() .. "/dead")
    assert.equal("3\t4\t6\t8\n", out)
    has(err, "offset 0: CSV: 3 cells, where there are 2 columns")
    has(err, "offset 4: CSV: 1 cells, where there are 2 columns, in the record at byte 6")
    local status, _, stopped = run(text, { "1,2,3" })
    assert.equal(4, status)
    has(stopped, "in the record at byte 0")
  end)

  for name, case in pairs {
    ["a field that is no column"] = { "csv = { columns = { 'mag', 'id' } }, fields = { 'mga' }", "did you mean mag?" },
    ["a field by name where nothing names columns"] = { "fields = { 'mag' }", "nothing names the columns" },
    ["a delimiter of two characters"] = { "csv = { delimiter = ', ' }", "csv.delimiter: \", \" will not do" },
    ["a quote as the delimiter"] = { "csv = { delimiter = '\"' }", "cannot be the delimiter" },
    ["a column twice"] = { "csv = { columns = { 'a', 'a' } }", "csv.columns names \"a\" twice" },
    ["a setting of Avro"] = { "logical = true", "logical goes with decode = \"avro\"" },
    ["a setting that does not exist"] = { "csv = { colums = { 'a' } }", "did you mean 'csv.columns'?" },
  } do
    it(name .. " is status 2", function()
      local status, out, err = run("return { decode = 'csv', handle = print, " .. case[1] .. " }", { "1" })
      assert.equal(2, status, err)
      assert.equal("", out)
      has(err, case[2])
    end)
  end

  it("a field that no header has is named with its nearest", function()
    local _, err = passes("return function() end", { "mag,id\n1,2\n" }, "--decode", "csv", "--csv-header", "--fields", "mga")
    has(err, "there is 'mag'")
    _, err = passes("return function() end", { "mag:r,id\n1,2\n" }, "--decode", "csv", "--csv-header", "--fields", '"mga:r"')
    has(err, [[there is '"mag:r"']])
  end)

  -- The warnings that the handler's run over the input gives.
  local function warnings(values, ...)
    local out, err = passes("return function(b) for i = 1, #b do print(b.id[i]) end end", values, "--fields", "id",
      "--csv-header", ...)
    local list = {}
    for text in err:gmatch "warning: ([^\n]*)" do list[#list + 1] = text end
    return list, out
  end

  it("lines of a file that are a header each are warned of once, with what to do", function()
    local path = proc.write(proc.folder() .. "/rows.csv", "id,mag\n1,18\n2,19\n3,20\n")
    local whole = "every line is a message here: --input-format whole makes the file one"
    for _, words in ipairs {
      { "--decode", "csv" }, { "--decode", "csv", "--input-format", "lines" }, { "--decode", "csv", "--batch-size", "1" },
      { "--decode", "csv", "--csv-columns", "id,mag" }, { "--decode", "tsv", "--csv-delimiter", "," },
    } do
      local list, out = warnings(path, table.unpack(words))
      assert.equal("", out)
      assert.equal(1, #list, table.concat(list, "\n"))
      has(list[1], " of " .. path .. " have a header each and no record; " .. whole)
    end
    assert.same({ {}, "1\n2\n3\n" }, { warnings(path, "--decode", "csv", "--input-format", "whole") })
  end)

  it("so are messages, and one that has records is enough for none, as is an empty file", function()
    local list, out = warnings({ "id,mag\n", "1,2\n" }, "--decode", "csv")
    assert.same({ "the first 2 messages of alerts have a header each and no record; csv.header takes the first "
      .. "record of each for names: where they hold rows only, leave it out and name the columns with csv.columns" }, list)
    assert.equal("", out)
    assert.same({ {}, "1\n" }, { warnings({ "id,mag\n", "id\n1\n", "id\n" }, "--decode", "csv") })
    assert.same({ {}, "1\n" }, { warnings({ "id\n1\n", "id\n", "id\n" }, "--decode", "csv", "--batch-size", "1") })
    assert.same({ {}, "" }, { warnings({ "", "\n" }, "--decode", "csv") })
    assert.equal(1, #warnings({ "", "id,mag\n", "1,2\n" }, "--decode", "csv", "--batch-size", "1"))
    list = warnings({ "1,2\n" }, "--decode", "csv", "--csv-columns", "id,mag")
    assert.same({ "the first 1 messages of alerts have a header each and no record; csv.header skips the first record of "
      .. "each: where they hold rows only, leave it out" }, list)
    local empty = proc.write(proc.folder() .. "/empty.csv", "id\n")
    assert.same({ {}, "" }, { warnings(empty, "--decode", "csv", "--input-format", "whole") })
  end)

  it("works in the library form", function()
    local seen = {}
    for batch in library.stream {
      input = wire.file { { "k", "1,one" }, { "l", "2,two" } }, decode = "csv", csv = { columns = { "id", "name" } },
      fields = { "id", key = "@key" },
    } do
      seen = { batch.id[1], batch.key[2], batch[2]:decode().name }
    end
    assert.same({ 1, "l", "two" }, seen)
  end)
end)
