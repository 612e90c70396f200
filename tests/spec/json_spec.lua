-- rille.json as a script meets it: in the module, and in a handler that passes messages through (S9).
package.path = "tests/broker/?.lua;" .. package.path
local rille = require "rille"
local proc = require "support.proc"
local program = require "support.rille"

local function round_trip(text) return rille.json.encode(assert(rille.json.decode(text))) end

describe("rille.json", function()
  it("D 10 keeps integers exact and numbers as they were written", function()
    for _, text in ipairs { '{"id":228930314431312345}', "2510000000000000003", "1549661409000", "18446744073709551615",
      "[10000,10000.0]", "1e400", "-9223372036854775808" } do
      assert.equal(text, round_trip(text))
    end
    assert.equal("integer", math.type(rille.json.decode "2510000000000000003"))
    assert.equal("float", math.type(rille.json.decode "10000.0"))
  end)

  it("D 11 keeps empty arrays, empty objects and nulls apart", function()
    assert.equal('{"a":[1,null,"x"]}', round_trip '{"a":[1,null,"x"]}')
    assert.equal('{"bar":{},"foo":[]}', round_trip '{"foo":[],"bar":{}}')
    assert.equal('{"a":null}', round_trip '{"a":null}')
    assert.equal("[]", rille.json.encode(rille.json.array {}))
    assert.equal("{}", rille.json.encode {})
    assert.equal(rille.null, rille.json.decode("[null]")[1])
  end)

  it("D 12 refuses NaN and infinity with their path, or writes null when asked", function()
    local ok, err = pcall(rille.json.encode, { a = { 1, 0 / 0 } })
    assert.is_false(ok)
    assert.truthy(tostring(err):find("NaN", 1, true) and tostring(err):find("a[2]", 1, true), tostring(err))
    assert.equal("[null,null]", rille.json.encode({ 0 / 0, 1 / 0 }, { nan = "null" }))
  end)

  it("D 13 takes a document nested 100,000 deep as an error", function()
    local value, err = rille.json.decode(("["):rep(100000) .. ("]"):rep(100000))
    assert.is_nil(value)
    assert.truthy(err:find "at byte %d+", err)
    assert.equal('"a\u{FFFD}"', rille.json.encode "a\xff")
  end)

  it("S9.1 refuses what is no JSON, with the place", function()
    for _, text in ipairs { '{"a":1,"b":{"c":2}', '{"a":1,"b":tru e}', '{"a":1} {"a":2}', '{"a":1}}}', "1.2.3",
      '{"a" 1}', "NaN", "", "[1,]", "'a'", "01", "\xff" } do
      local value, err = rille.json.decode(text)
      assert.is_nil(value, text)
      assert.truthy(err:find "byte %d+", text .. ": " .. err)
    end
  end)

  it("S9.3 gives a number too wide for Lua that prints, compares and encodes as written", function()
    local wide = rille.json.decode "18446744073709551615"
    assert.equal("18446744073709551615", tostring(wide))
    assert.equal("id 18446744073709551615", "id " .. wide)
    assert.is_true(wide == rille.json.decode "18446744073709551615" and wide > math.maxinteger)
    assert.equal('{"id":18446744073709551615}', rille.json.encode { id = wide })
    local ok, err = pcall(function() return wide + 1 end)
    assert.is_false(ok)
    assert.truthy(tostring(err):find("tonumber", 1, true))
    assert.equal(2.0 ^ 64, wide:tonumber())
  end)

  it("S9.4 sorts keys and prints doubles by the shortest text that comes back", function()
    assert.equal('{"a":0.1,"b":10000.0,"c":1e+300}', rille.json.encode { c = 1e300, b = 10000.0, a = 0.1 })
  end)

  it("encodes what table.pack and columns hold, holes as null", function()
    assert.equal("[1,null,3,null]", rille.json.encode(table.pack(1, nil, 3, nil)))
  end)
end)

describe("messages passed through a handler that does nothing", function()
  after_each(proc.end_all)

  it("D 10, D 11 come out the same", function()
    local lines = '{"a":[1,null,"x"]}\n{"bar":{},"foo":[]}\n{"id":18446744073709551615}\n[10000,10000.0,2510000000000000003]\n'
    local process = program.start({ "run", "--code",
      [[return function(batch, out) for _, m in batch:messages() do out:send("-", assert(m:decode())) end end]], "--input", "-" },
      { stdin = lines })
    assert.equal(0, process:wait(15), process:err())
    assert.equal(lines, process:out())
  end)
end)
