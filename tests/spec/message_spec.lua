-- Messages: key, value, headers, timestamps; null, empty and absent stay apart (D 9).
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local function pass(body, lines)
  local process = rille.start({ "run", "--code", "return function(batch, out)\n" .. body .. "\nend", "--input", "-" },
    { stdin = table.concat(lines, "\n") .. "\n" })
  assert.equal(0, process:wait(20), process:err())
  return process:out()
end

local FULL = '{"topic":"alerts","partition":3,"offset":17,"timestamp":1700000000000,"key":"k","headers":'
  .. '[{"name":"a","value":"1"},{"name":"b","value":null},{"name":"a","value":"2"},{"name":"e","value":""}],"value":"v"}'

describe("a message", function()
  after_each(proc.end_all)

  it("says where it stands, its key, value, headers and timestamp", function()
    pass([[
      local m = batch[1]
      assert(m.topic == "alerts" and m.partition == 3 and m.offset == 17 and m.timestamp == 1700000000000)
      assert(m.key == "k" and m.value == "v")
      local h = m.headers
      assert(#h == 4 and h[1].name == "a" and h[1].value == "1" and h[2].value == nil and h[3].value == "2")
      assert(h.a == "2" and h.b == rille.null and h.e == "" and h.c == nil)
      local n = 0
      for _ in pairs(h) do n = n + 1 end
      assert(n == 4, "names are not among the pairs")
    ]], { FULL })
  end)

  it("D 9 keeps null, empty and absent apart", function()
    pass([[
      assert(batch[1].key == nil and batch[1].value == nil and batch[1]:decode() == nil)
      assert(batch[2].key == "" and batch[2].value == "" and #batch[2].headers == 0)
    ]], { '{"topic":"t","partition":0,"offset":1,"key":null,"value":null}',
      '{"topic":"t","partition":0,"offset":2,"key":"","value":""}' })
  end)

  it("decodes JSON on demand; the error is the message's own", function()
    pass([[
      assert(batch[1]:decode().a == 2510000000000000003)
      local ok, err = pcall(batch[2].decode, batch[2])
      assert(not ok and tostring(err):find("t[0]@2: ", 1, true), tostring(err))
    ]], { '{"topic":"t","partition":0,"offset":1,"value":"{\\"a\\":2510000000000000003}"}',
      '{"topic":"t","partition":0,"offset":2,"value":"not json"}' })
  end)
end)
