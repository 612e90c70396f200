-- `where` as a script meets it (S8.2, S8.3, S4.6): rille.where in the module, batch:where in a handler over lines.
package.path = "tests/broker/?.lua;" .. package.path
local rille = require "rille"
local proc = require "support.proc"
local program = require "support.rille"

local ROWS = table.concat({
  '{"id":"a","rb":0.9,"mag":18.0,"nbad":0}',
  '{"id":"b","rb":0.7,"mag":19.0,"nbad":0}',
  '{"id":"c","mag":18.0,"nbad":0}',
  '{"id":"d","rb":null,"mag":17.0,"nbad":1}',
  '{"id":"e","rb":0.65,"mag":18.49,"nbad":0}',
}, "\n") .. "\n"

-- What a handler's code prints, run over the rows; `batch` and `where(expression)`, the ids that pass, are at hand.
local function run(code, fields)
  local script = ([[
    local function where(batch, expression)
      local ids = {}
      for _, m in batch:where(expression):messages() do ids[#ids + 1] = m.fields.id end
      return table.concat(ids, " ")
    end
    return function(batch) %s end]]):format(code)
  local process = program.start({ "run", "--code", script, "--input", "-", "--fields", fields or "id,rb,mag,nbad" },
    { stdin = ROWS })
  return process:wait(15), process:out(), process:err()
end

local function passes(expression)
  local status, out, err = run(("print(where(batch, %q))"):format(expression))
  assert.equal(0, status, err)
  return (out:gsub("\n$", ""))
end

describe("batch:where", function()
  after_each(proc.end_all)

  it("passes the rows of which the expression is true", function()
    assert.equal("a e", passes "rb >= 0.65 and mag < 18.5 and nbad == 0")
  end)

  it("S8.2 takes a missing value for unknown, in not, ~= and or as well", function()
    local status, out, err = run [[
      print(where(batch, "not (rb >= 0.65)"))
      print(where(batch, "rb ~= 0.9"))
      print(where(batch, "rb > 0.8 or mag < 17.5"))
      print(where(batch, "rb == nil"))
      print(where(batch, "rb ~= nil"))]]
    assert.equal(0, status, err)
    assert.equal("\nb e\na d\nc d\na b e\n", out)
  end)

  it("S8.3 knows functions, in, between and texts", function()
    local status, out, err = run [[
      print(where(batch, "id in {'a', 'd'} and mag between 17 and 18"))
      print(where(batch, "floor(mag) == 18 and not id:find('c')"))
      print(where(batch, "id:upper() .. '!' == 'B!'"))]]
    assert.equal(0, status, err)
    assert.equal("a d\na e\nb\n", out)
  end)

  it("gives a batch: views of views, indexed from 1", function()
    local status, out, err = run [[
      local some = batch:where("nbad == 0")
      local few = some:where("rb < 0.8")
      print(#batch, #some, #few, few[1].fields.id, few.columns.mag[2])]]
    assert.equal(0, status, err)
    assert.equal("5\t4\t2\tb\t18.49\n", out)
  end)

  it("takes a compiled expression, made where the script is loaded", function()
    local process = program.start({ "run", "--code",
      [[local bright = require("rille").where("mag < 18") return function(batch) print(#batch:where(bright)) end]],
      "--input", "-", "--fields", "mag" }, { stdin = ROWS })
    assert.equal(0, process:wait(15), process:err())
    assert.equal("1\n", process:out())
  end)

  it("S4.6 a bad expression or column stops the run with status 4, place and nearest name", function()
    local status, _, err = run [[ batch:where("rb >= 0.65 and") ]]
    assert.equal(4, status, err)
    assert.truthy(err:find("column 15", 1, true), err)
    for expression, part in pairs {
      ["id == ZTF18"] = "there is no column `ZTF18`; `fields` names the columns, and a text stands in quotes",
      ["mag == null"] = "there is no column `null`; what is missing is `nil`",
      ["mag is nil"] = "not `is`: what is missing is `x == nil`",
      ["(mag is nil)"] = "not `is`: what is missing is `x == nil`",
      ["id:match('a')"] = "there is no function `match` here; ",
    } do
      local _, _, said = run(("batch:where[[%s]]"):format(expression))
      assert.truthy(said:find(part, 1, true), said)
    end
    status, _, err = run [[ pcall(batch.where, batch, "1 <") batch:where("magg < 18") ]]
    assert.equal(4, status, err)
    assert.truthy(err:find("did you mean `mag`", 1, true), err)
  end)
end)

describe("rille.where", function()
  it("S8.3 shows what is wrong with column and caret", function()
    local ok, err = pcall(rille.where, "rb >= 0.65 and")
    assert.is_false(ok)
    assert.truthy(tostring(err):find("at column 15\n  rb >= 0.65 and\n                ^", 1, true), tostring(err))
    ok, err = pcall(rille.where, "os.exit() == 1")
    assert.is_false(ok)
    assert.truthy(tostring(err):find("there is no function `os.exit`", 1, true), tostring(err))
  end)

  local function load(code, ...)
    local process = program.start({ "run", "--code", "local rille = require 'rille'\n" .. code, "--input", "-", ... },
      { stdin = ROWS })
    return process:wait(15), process:err(), process:out()
  end

  it("S4.6 a name that is no column ends the start, with place and nearest name", function()
    local status, err, out = load([[local bright = rille.where "rb > 0.5 and magg < 18"
      print "loaded"
      return { fields = { "mag", "rb" }, open = function() print "opened" end, handle = function() end }]])
    assert.equal(2, status, err)
    assert.equal("loaded\n", out)
    assert.truthy(err:find(":2: where: there is no column `magg`, did you mean `mag`? at column 14\n", 1, true), err)
    assert.truthy(err:find("  rb > 0.5 and magg < 18\n *" .. (" "):rep(15) .. "^\n"), err)
    status, err = load("local w = rille.where 'mag < 18' return function() end", "--fields", "magpsf")
    assert.equal(2, status, err)
    status, err = load("local w = rille.where 'mag < 18' return function() end", "--fields", "x=mag")
    assert.equal(0, status, err)
    status, err = load("local w = rille.where 'mags > 18' return function() end", "--fields", "mags=prv[*].mag")
    assert.equal(2, status, err)
    assert.truthy(err:find(":2: where: `mags` is a list a row", 1, true), err)
  end)

  it("S4.6 a column that batch:with adds is named beside the expression", function()
    local code = [[local good = rille.where("score > 0.8 and mag > 0"%s)
      return { fields = { "mag", "rb" }, handle = function(batch)
        local scores = { n = #batch }
        for i = 1, #batch do scores[i] = batch.rb[i] end
        print(#batch:with { score = scores }:where(good))
      end }]]
    local status, err, out = load(code:format ", { 'score' }")
    assert.equal(0, status, err)
    assert.equal("1\n", out)
    status, err = load(code:format "")
    assert.equal(2, status, err)
    assert.truthy(err:find([[what batch:with adds is named beside the expression: { "score" }]], 1, true), err)
    status, err = load(code:format ", 'score'")
    assert.equal(2, status, err)
    assert.truthy(err:find("the columns that batch:with adds are a table of names, not a string", 1, true), err)
    status, err = load(code:format ", { 1 }")
    assert.equal(2, status, err)
    assert.truthy(err:find("the name of a column is a string, not a number", 1, true), err)
  end)

  it("S4.6 read within a handler, it is held against the batch alone", function()
    local status, err, out = load("return function(batch) batch:where(rille.where 'magg < 18') end", "--fields", "mag")
    assert.equal(4, status, err)
    assert.equal("", out)
    assert.truthy(err:find("did you mean `mag`", 1, true), err)
  end)

  it("prints as its text", function() assert.equal("rb > 1", tostring(rille.where "rb > 1")) end)

  it("S8.2 what is generated of an expression in Lua is generated once, not for each batch or call", function()
    local script = [[
      local terms = {}
      for i = 1, 40 do terms[i] = ("id == '%d' or id .. 'a' < '%d'"):format(i, i) end
      local text, seen = table.concat(terms, " or "), 0
      collectgarbage "stop"
      return { batch = { size = 1 }, handle = function(batch)
        local function grown(expression)
          local before = collectgarbage "count"
          batch:where(expression)
          return (collectgarbage "count" - before) * 1024
        end
        local first, again = grown(text), grown(text)
        seen = seen + 1
        local fresh = grown(text .. " or id == 'fresh" .. seen .. "'")
        print((seen == 1 or first < 2048) and again < 2048, fresh > 8192)
      end }]]
    local process = program.start({ "run", "--code", script, "--input", "-", "--fields", "id" }, { stdin = ROWS })
    process:wait(10)
    assert.equal(("true\ttrue\n"):rep(5), process:out())
  end)
end)
