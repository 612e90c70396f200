-- tests/lint/rooms.lua: what it finds. In a small tree of its own.
package.path = "tests/broker/?.lua;" .. package.path
local sh = require "support.sh"

local folder

-- A file with these includes, and what the check says of it: words, exit status.
local function check(path, ...)
  local file = assert(io.open(folder .. "/" .. path, "w"))
  for _, include in ipairs { ... } do file:write("#include <", include, ">\n") end
  file:close()
  return sh(("here=$PWD; cd %s && %s $here/tests/lint/rooms.lua %s"):format(folder, os.getenv "LUA" or "lua5.4", path))
end

describe("the arrows between rooms", function()
  before_each(function()
    folder = sh("mktemp -d"):match "%S+"
    sh(("mkdir -p %s/src/lua %s/src/codec %s/src/stream"):format(folder, folder, folder))
  end)
  after_each(function() sh("rm -rf " .. folder) end)

  it("point down, and each library has its room", function()
    assert.equal(0, (select(2, check("src/lua/a.c", "lua.h", "stream/lane.h", "stdio.h"))))
    local out, status = check("src/stream/a.c", "stdio.h", "lua/engine.h")
    assert.equal(1, status)
    assert.equal("src/stream/a.c:2: room stream may not know lua", out:match "[^\n]+")
    out, status = check("src/codec/a.c", "librdkafka/rdkafka.h")
    assert.equal(1, status)
    assert.truthy(out:find("belongs to kafka", 1, true), out)
  end)

  it("S10.2 no C++ includes Lua, in whatever room", function()
    assert.equal(0, (select(2, check("src/codec/a.cpp", "new", "codec/json.h"))))
    for _, include in ipairs { "lua.h", "lua.hpp", "lauxlib.h", "lua/engine.h" } do
      local out, status = check("src/lua/a.cpp", include)
      assert.equal(1, status, include)
      assert.equal("src/lua/a.cpp:1: C++ may not know Lua: " .. include, out:match "[^\n]+")
    end
  end)
end)
