-- The table of rille-fields(7), cell by cell (S8): what a handler finds in columns, rows, where and tensors of what
-- is missing, null, NaN or of another type. The page is read: a row of it that nothing here checks fails.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local wire = require "support.wire"

-- ---- the page ----

-- { [label] = { column, where, tensor } }, labels with those they stand below: "a list, empty".
local function page()
  local rows, above, last, inside = {}, {}, nil, false
  for line in io.lines "src/man/rille-fields.7.in" do
    line = line:gsub("\\%-", "-")
    if inside and line == ".Ed" then break end
    if inside then
      local alone = line:find "^%s?%s?%s?%s?%S" and not line:find "%S%s%s+%S"
      local indent, label = line:sub(1, alone and -1 or 30):match "^(%s*)(.-)%s*$"
      if alone then line = "" end
      local cells = { line:sub(31, 44):match "^(.-)%s*$", line:sub(45, 58):match "^(.-)%s*$", line:sub(59) }
      if label == "" then -- the line before goes on
        for i, cell in ipairs(cells) do
          if cell ~= "" then rows[last][i] = rows[last][i] .. " " .. cell end
        end
      else
        above[#indent // 2 + 1] = label
        local full = table.concat(above, ", ", 1, #indent // 2 + 1)
        if cells[1] ~= "" then last, rows[full] = full, cells end
      end
    end
    inside = inside or line:find "^in the message" ~= nil
  end
  return rows
end

-- ---- runs ----

local COMPARED = { "x == 5", "x ~= 5", "x < 5", "x >= 5", "not (x == 5)", "not (x < 5)" }

local HANDLER = [==[
local function show(v)
  if v == nil then return "nil" end
  if v ~= v then return "NaN" end
  if type(v) == "string" then return ("%q"):format(v) end
  if type(v) ~= "table" then return tostring(v) end
  local parts = {}
  for i = 1, v.n or #v do parts[i] = show(v[i]) end
  return "{" .. table.concat(parts, " ") .. "}" .. (v.n and " n = " .. v.n or "")
end
local function numbers(t)
  local all = {}
  t = t:reshape(t.size)
  for i = 1, #t do all[i] = show(t[i]) end
  return table.concat(all, " ")
end
return { SETTINGS, handle = function(batch)
  assert(#batch == 1)
  local column = show(batch.columns.x[1])
  assert(column == show(batch[1].fields.x) and column == show(batch:rows()[1].x))
  print(column)
  for _, expression in ipairs { WHERE } do io.write(#batch:where(expression), " ") end
  print()
  local ok, t, complete = pcall(batch.tensor, batch, TENSOR)
  print(ok and numbers(t) .. (complete[1] and "" or ", incomplete") or t)
end }]==]

-- case: { declaration, value; is, passes, default, tensor = … }. The three lines of the handler; nothing where the
-- message failed.
local function found(case)
  local settings, value = "fields = { x = { " .. case[1] .. " } }", case[2]
  if case.settings then settings = settings .. ", " .. case.settings end
  local array = case[1]:find("shape", 1, true) or case[1]:find("[*]", 1, true)
  local asked = { "x == nil", "x ~= nil" }
  if not array then table.move(COMPARED, 1, #COMPARED, 3, asked) end
  for i, expression in ipairs(asked) do asked[i] = ("%q"):format(expression) end
  for _, expression in ipairs(case.passes or {}) do asked[#asked + 1] = ("%q"):format(expression) end
  local text = HANDLER:gsub("%u%u%u+", {
    SETTINGS = settings, WHERE = table.concat(asked, ", "), TENSOR = array and '"x"' or '{ "x" }',
  })
  local letters = proc.folder() .. "/letters"
  local out, err = input.passes(text, { value }, "--dead-letter", "file:" .. letters)
  local file = io.open(letters)
  local letter = file and file:read "a" or ""
  if file then file:close() end
  assert.equal(out == "", letter ~= "", err)
  return out:match "^([^\n]*)\n([^\n]*) \n(.*)\n$"
end

local function starts(text, start) assert.equal(start, text:sub(1, #start)) end

-- What the cells of the page say of what was found.
local COLUMN = {
  ["NaN"] = function(got, case) assert.equal(case.is or "NaN", got) end, -- of a list or shape: in it
  ["nil"] = function(got) assert.equal("nil", got) end,
  ["n = 0"] = function(got) assert.equal("{} n = 0", got) end,
  ["fails"] = function(got) assert.is_nil(got) end,
  ["-"] = function(got) assert.is_nil(got) end,
}
for _, word in ipairs { "the default", "as it is", "its text", "holes" } do
  COLUMN[word] = function(got, case) assert.equal(assert(case.is), got) end
end

local WHERE = {
  ["missing"] = function(got, case) assert.equal(#got > 3 and "1 0 0 0 0 0 0 0" or "1 0", got, case[2]) end,
  ["there"] = function(got) starts(got, "0 1") end,
  ["not equal, in no order"] = function(got) assert.equal("0 1 0 1 0 0 1 0", got) end,
  ["-"] = function() end, -- `fails`, or no comparison is known: fields_spec
}
for _, word in ipairs { "the default", "as it is", "exact" } do
  WHERE[word] = function(got, case)
    starts(got, "0 1")
    local ones = (" 1"):rep(#assert(case.passes))
    assert.equal(ones, got:sub(-#ones))
  end
end

local TENSOR = {
  ["NaN, incomplete"] = function(got) assert.is_truthy(got:find "%f[%a]NaN%f[%A].*, incomplete$", got) end,
  ["wants a shape"] = function(got) input.has(got, "shape") end,
  ["wants numbers"] = function(got) input.has(got, "a tensor holds numbers") end,
  ["-"] = function() end,
}
for _, word in ipairs { "the default", "0 or 1", "the nearest" } do
  TENSOR[word] = function(got, case) assert.equal(assert(case.tensor), got) end
end

-- ---- values ----

local function json(x) return x and '{"x":' .. x .. "}" or "{}" end

local function each(list, add) -- for what is missing and for null
  for _, value in ipairs { json(), json "null" } do add(list, value) end
  return list
end

local function of_types(types, extra)
  return each({}, function(list, value)
    for type in types:gmatch "%S+" do list[#list + 1] = { ("path = 'x', type = %q%s"):format(type, extra or ""), value } end
  end)
end

local CSV = 'decode = "csv", csv = { columns = { "x", "y" } }'
local AVRO = 'decode = "avro"'
local DOUBLES = '{"type":"record","name":"r","fields":[{"name":"x","type":"double"}]}'
local OPTIONAL = '{"type":"record","name":"r","fields":[{"name":"x","type":["null","double"]}]}'
local NAN = wire.container(DOUBLES, string.pack("<d", 0 / 0))
local NULL = wire.container(OPTIONAL, "\0")

local function with(settings, cases)
  for _, case in ipairs(cases) do case.settings = settings end
  return cases
end

local function all(...)
  local joined = {}
  for _, cases in ipairs { ... } do table.move(cases, 1, #cases, #joined + 1, joined) end
  return joined
end

local function defaults(settings, value)
  return with(settings, {
    { "path = 'x', default = 3", value, is = "3", passes = { "x == 3", "x < 4" }, tensor = "3.0" },
    { "path = 'x', type = 'f64', default = 3", value, is = "3.0", passes = { "x == 3" }, tensor = "3.0" },
    { "path = 'x', type = 'i64', default = 3", value, is = "3", passes = { "x == 3" }, tensor = "3.0" },
    { "path = 'x', type = 'bool', default = true", value, is = "true", passes = { "x" }, tensor = "1.0" },
  })
end

local LIST = "path = 'p[*].m'"

local CASES = {
  ["missing or null, f64 f32"] = all(of_types "f64 f32", with(CSV, { { "path = 'x', type = 'f64'", ",1" } }),
    with(AVRO, { { "path = 'x', type = 'f64'", NULL }, { "path = 'x', type = 'f32'", NULL } })),
  ["missing or null, auto any i64 bool"] = all(of_types "auto any i64 bool", with(CSV, { { "path = 'x'", ",1" } }),
    with(AVRO, { { "path = 'x'", NULL } })),
  ["missing or null, str bytes"] = of_types "str bytes",
  ["missing or null, with a default"] = all(defaults(nil, json()), defaults(nil, json "null"), defaults(CSV, ",1")),
  ["missing or null, required"] = of_types("auto any f64 i64 bool str", ", required = true"),
  ["NaN (Avro)"] = with(AVRO, {
    { "path = 'x'", NAN }, { "path = 'x', type = 'f64'", NAN }, { "path = 'x', type = 'f32'", NAN },
    { "path = 'x', default = 3", NAN }, { "path = 'x', type = 'f64', default = 3", NAN },
    { "path = 'x', type = 'f64', required = true", NAN }, { "path = 'x', required = true", NAN },
  }),
  ["nan (CSV), f64 f32"] = with(CSV, {
    { "path = 'x', type = 'f64'", "nan,1" }, { "path = 'x', type = 'f32'", "NaN,1" },
    { "path = 'x', type = 'f64', default = 3", "nan,1" }, { "path = 'x', type = 'f64', required = true", "nan,1" },
  }),
  ["nan (CSV), auto any"] = with(CSV, {
    { "path = 'x'", "nan,1", is = '"nan"' }, { "path = 'x', type = 'any'", "NaN,1", is = '"NaN"' },
  }),
  ["another type, auto any"] = {
    { "path = 'x'", json '"a"', is = '"a"' }, { "path = 'x', type = 'any'", json '"5"', is = '"5"' },
    { "path = 'x'", json "[1,2]", is = "{1 2}" }, { "path = 'x'", json "[]", is = "{}" },
    { "path = 'x'", json '{"a":1}', is = "{}" }, { "path = 'x', default = 3", json '"a"', is = '"a"' },
  },
  ["another type, declared"] = {
    { "path = 'x', type = 'f64'", json '"a"' }, { "path = 'x', type = 'f32'", json '"5"' },
    { "path = 'x', type = 'f64'", json "true" }, { "path = 'x', type = 'i64'", json "5.0" },
    { "path = 'x', type = 'i64'", json "[1]" }, { "path = 'x', type = 'f64'", json "{}" },
    { "path = 'x', type = 'bool'", json "1" }, { "path = 'x', type = 'str'", json "1" },
    { "path = 'x', type = 'f64', default = 3", json '"a"' }, { LIST .. ", type = 'f64'", '{"p":[{"m":"a"}]}' },
  },
  ["a boolean"] = {
    { "path = 'x'", json "true", is = "true", passes = { "x", "x == true", "x ~= 1" }, tensor = "1.0" },
    { "path = 'x', type = 'bool'", json "false", is = "false", passes = { "not x", "x == false" }, tensor = "0.0" },
  },
  ["an integer past 64 bits, auto any"] = {
    { "path = 'x'", json "12345678901234567890", is = "12345678901234567890",
      passes = { "x == 12345678901234567890", "x > 12345678901234567889", "x ~= 12345678901234567891" },
      tensor = tostring(string.unpack("f", string.pack("f", 12345678901234567890.0))) },
  },
  ["an integer past 64 bits, i64 f64 f32"] = {},
  ["past what a double holds, auto any"] = {
    { "path = 'x'", json "1e400", is = "1e400", passes = { "x == 1e400", "x > 1e308", "x < 2e400" } },
    { "path = 'x', type = 'any'", json "-1e400", is = "-1e400", passes = { "x < -1e308", "x < 5" } },
  },
  ["past what a double holds, i64 f64 f32"] = {},
  ["a list, missing"] = {
    { LIST, "{}" }, { LIST, '{"p":null}' }, { LIST, '{"p":7}' }, { LIST .. ", type = 'f64'", "{}" },
    { LIST .. ", type = 'f64', default = 0", "{}" },
  },
  ["a list, empty"] = {
    { LIST, '{"p":[]}' }, { LIST .. ", type = 'i64'", '{"p":[]}' }, { LIST .. ", default = {}", '{"p":null}' },
    { LIST .. ", required = true", '{"p":[]}' },
  },
  ["a list, its elements, missing or null, f64 f32"] = {},
  ["a list, its elements, missing or null, the other types"] = {},
  ["an array of a shape, missing or null"] = each({}, function(list, value)
    for _, type in ipairs { "f64", "f32", "i64", "bool" } do
      list[#list + 1] = { ("path = 'x', type = %q, shape = 2"):format(type), value }
    end
  end),
  ["an array of a shape, with a default"] = {
    { "path = 'x', type = 'f32', shape = 2, default = 3", "{}", is = "{3.0 3.0}", passes = { "x ~= nil" }, tensor = "3.0 3.0" },
    { "path = 'x', type = 'f64', shape = 2, default = 3", json "[1,null]", is = "{1.0 3.0}", passes = { "x ~= nil" },
      tensor = "1.0 3.0" },
    { "path = 'x', type = 'i64', shape = {1, 2}, default = 3", json "null", is = "{{3 3}}", passes = { "x ~= nil" },
      tensor = "3.0 3.0" },
  },
  ["an array of a shape, its elements, null, f64 f32"] = {
    { "path = 'x', type = 'f64', shape = 2", json "[1,null]", is = "{1.0 NaN}" },
    { "path = 'x', type = 'f32', shape = {2, 1}", json "[[null],[2]]", is = "{{NaN} {2.0}}" },
  },
  ["an array of a shape, its elements, null, i64 bool"] = {
    { "path = 'x', type = 'i64', shape = 2", json "[1,null]" },
    { "path = 'x', type = 'bool', shape = 2", json "[true,null]" },
  },
  ["an array of a shape, of another shape"] = {
    { "path = 'x', type = 'f64', shape = 2", json "[1,2,3]" }, { "path = 'x', type = 'f64', shape = 2", json "5" },
    { "path = 'x', type = 'f64', shape = 2, default = 0", json "[1]" },
  },
}

local function add(label, case) table.insert(CASES[label], case) end
for _, type in ipairs { "i64", "f64", "f32" } do
  add("an integer past 64 bits, i64 f64 f32", { ("path = 'x', type = %q"):format(type), json "12345678901234567890" })
  add("past what a double holds, i64 f64 f32", { ("path = 'x', type = %q"):format(type), json "1e400" })
end
for _, type in ipairs { "f64", "f32" } do
  add("a list, its elements, missing or null, f64 f32",
    { ("%s, type = %q"):format(LIST, type), '{"p":[{"m":1},{},{"m":null}]}', is = "{1.0 NaN NaN} n = 3" })
end
for _, type in ipairs { "auto", "any", "i64" } do
  add("a list, its elements, missing or null, the other types",
    { ("%s, type = %q"):format(LIST, type), '{"p":[{"m":1},{},{"m":null},{"m":4}]}', is = "{1 nil nil 4} n = 4" })
end

describe("the table of rille-fields(7)", function()
  after_each(proc.end_all)

  local rows = page()
  for label in pairs(CASES) do
    it("has: " .. label, function() assert.is_truthy(rows[label]) end)
  end
  for label, cells in pairs(rows) do
    it(("S8 %s: %s; %s; %s"):format(label, cells[1], cells[2], cells[3]), function()
      assert.is_truthy(CASES[label] and #CASES[label] > 0, "nothing checks this row")
      for _, case in ipairs(CASES[label]) do
        local column, where, tensor = found(case)
        local ok, err = pcall(function()
          COLUMN[cells[1]](column, case)
          if column then WHERE[cells[2]](where, case) end
          if column then TENSOR[cells[3]](tensor, case) end
        end)
        assert(ok, ("%s of %s: %s"):format(case[1], case[2], tostring(err)))
      end
    end)
  end
end)

describe("what the table rests on", function()
  after_each(proc.end_all)

  it("S8.4 what a script writes into a column is its own: where, tensors, rows and messages read what came", function()
    local out = input.passes([[return { fields = { x = { path = "x", type = "f64" },
        v = { path = "v", type = "f32", shape = 2 } },
      handle = function(batch)
        local before = batch:tensor { "x" }
        batch.x[1], batch.x[2], batch.x[3], batch.x.n = 99, nil, "text", 1
        batch.v[1][1] = 77
        local t, complete = batch:tensor { "x" }
        print(t, complete, before)
        print(#batch:where "x == 1", #batch:where "x == 99", #batch:where "x ~= nil", #batch)
        print(batch:tensor "v"[1])
        for _, row in ipairs(batch:rows()) do io.write(tostring(row.x), " ") end
        print(rille.json.encode(batch:rows()[1].v), rille.json.encode(batch:where("x == 1").x))
      end }]], { '{"x":1,"v":[5,6]}', '{"x":2,"v":[5,6]}', '{"v":[5,6]}' })
    assert.equal("tensor float32 [3, 1]: 1 2 nan\ttensor bool [3]: true true false\ttensor float32 [3, 1]: 1 2 nan\n" ..
      "1\t0\t2\t3\ntensor float32 [2]: 5 6\n1.0 2.0 nan [5.0,6.0]\t[1.0]\n", out)
  end)

  it("@ fields are read beside a decoder of the script's own, in columns, where and tensors", function()
    local out = input.passes([[return {
      fields = { "@topic", "@partition", "@offset", key = "@key", n = { path = "@key", type = "i64" }, x = "x" },
      decode = function(message) return { x = #message.value } end,
      handle = function(batch)
        for i = 1, #batch do
          print(batch.topic[i], batch.partition[i], batch.offset[i], batch.key[i], batch.n[i], batch.x[i])
        end
        local t, complete = batch:tensor { "@offset", "n", "x" }
        print(t, complete)
        print(#batch:where "offset == 1 and n == nil", #batch:where "n == 7 and key == '7'", batch:rows()[1].topic)
      end }]], { { "7", "abc" }, "de" })
    assert.equal("alerts\t0\t0\t7\t7\t3\nalerts\t0\t1\tnil\tnil\t2\n" ..
      "tensor float32 [2, 3]: 0 7 3 1 nan 2\ttensor bool [2]: true false\n1\t1\talerts\n", out)
  end)
end)
