-- What `make install` leaves behind, and what the manual says.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local build = rille.program:match "^(.*)/[^/]*$"

local function finish(words, options)
  local process = proc.start(words, options)
  local status = process:wait(60)
  assert.equal(0, status, process:err())
  return process:out()
end

-- A page as text: what its commands say, without the commands.
local function page(folder, name)
  local text = proc.read(folder .. "/" .. name .. ".1")
  assert.is_true(#text > 0, name .. " has no page")
  return (text:gsub("\\%-", "-"):gsub("\\&", ""):gsub("\n%.%u%l ", "\n"))
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), part .. " is not there") end

describe("make install", function()
  local root, program

  setup(function()
    root = proc.folder()
    program = root .. "/usr/bin/rille"
    finish { "tests/deps/install-built", build, root .. "/usr" }
  end)
  after_each(proc.end_all)

  it("puts the program where it runs", function()
    has(finish { program, "version" }, "rille ")
    local run = { program, "run", "--code", "return function(batch) print(#batch) end", "--input", "-" }
    assert.equal("2\n", finish(run, { stdin = "1\n2\n" }))
  end)

  it("puts the module where Lua finds it", function()
    local out = finish({ os.getenv "LUA" or "lua5.4", "-e", "print(require 'rille'.version)" }, {
      env = {
        LUA_CPATH_5_4 = root .. "/usr/lib/lua/5.4/?.so", LUA_PATH_5_4 = root .. "/usr/share/lua/5.4/?.lua",
        LD_PRELOAD = os.getenv "LD_PRELOAD" or "", -- a sanitizer's runtime, where one is needed
      },
    })
    assert.is_truthy(out:match "^%d+%.%d+", out)
  end)

  it("puts a page for every command, the completion and the examples", function()
    local help = finish { program, "help" }
    local n = 0
    for name in help:gmatch "\n  (%l+)  +" do
      if name ~= "help" and name ~= "version" then
        page(root .. "/usr/share/man/man1", "rille-" .. name)
        n = n + 1
      end
    end
    assert.is_true(n >= 7, help)
    has(proc.read(root .. "/usr/share/bash-completion/completions/rille"), "--batch-size")
    has(proc.read(root .. "/usr/share/rille/examples/bright.lua"), "handle")
    has(finish { root .. "/usr/share/rille/examples/susy/send", "--help" }, "rows into two topics")
  end)
end)

describe("the manual", function()
  local main = page(build .. "/man", "rille")
  local run = page(build .. "/man", "rille-run")

  it("names every exit status", function()
    local statuses = main:match "EXIT STATUS(.-)\nEXAMPLES" or main
    for status = 0, 5 do has(statuses, "\n" .. status .. "\n") end
  end)

  it("names every header of a dead letter", function()
    local source = proc.read "src/stream/letter.c"
    local n = 0
    for name in source:gmatch '"(rille%.%l+)"' do
      has(main, name)
      n = n + 1
    end
    assert.equal(8, n)
  end)

  it("names every setting, as an option", function()
    local help = finish { rille.program, "run", "--help" }
    local n = 0
    for name in help:gmatch "%-%-([%l][%l-]+)" do
      has(run, name)
      n = n + 1
    end
    assert.is_true(n > 40)
  end)

  it("names all that a script finds in `rille`", function()
    local out = finish({ rille.program, "run", "--input", "/dev/null", "--code", [[
      for name in pairs(rille) do print(name) end
      return function() end]] })
    for name in out:gmatch "%l+" do has(main, "rille." .. name) end
  end)
end)
