-- The pages of section 7: their examples run and print what they say.
--
-- In a page's EXAMPLES a block that does not begin with "$ " is a script, h.lua; one that does is commands, each
-- followed by what it prints. A command that ends in a backslash goes on in the next line.
package.path = "tests/broker/?.lua;" .. package.path
local plain = require("support.pages").plain
local proc = require "support.proc"
local rille = require "support.rille"

local build = rille.program:match "^(.*)/[^/]*$"

-- The commands of a block as { command, output }.
local function commands(block)
  local list = {}
  for line in block:gmatch "([^\n]*)\n" do
    local last = list[#list]
    if last and last[2] == "" and last[1]:sub(-1) == "\\" then
      last[1] = last[1] .. "\n" .. line
    elseif line:sub(1, 2) == "$ " then
      list[#list + 1] = { line:sub(3), "" }
    else
      list[#list][2] = list[#list][2] .. line .. "\n"
    end
  end
  return list
end

local function check(command, want, script)
  local dir = proc.folder()
  proc.write(dir .. "/h.lua", script)
  proc.write(dir .. "/run", ("cd %s && rille() { %s \"$@\"; }\n%s\n"):format(proc.quote(dir), proc.quote(rille.program), command))
  local run = proc.start({ "bash", dir .. "/run" }, { env = { LD_PRELOAD = "" } }) -- a sanitizer would look at bash, too
  assert.equal(0, run:wait(30), command .. "\n" .. run:err())
  assert.equal(want, run:out(), command)
end

-- groff closes quotes opened by one request only at its end: several in it end up inside each other.
describe("the pages' sources", function()
  it("quote once a line", function()
    local pages, seen = io.popen("ls " .. proc.quote(build) .. "/man/*.[17]"), 0
    for page in pages:lines() do
      seen = seen + 1
      for line in proc.read(page):gmatch "[^\n]+" do
        local _, quotes = (line:match "^%.%u.*$" or ""):gsub("%f[%w][QDS][ql]%f[%W]", "")
        assert.is_true(quotes < 2, page .. ": " .. line)
      end
    end
    pages:close()
    assert.is_true(seen > 7, "the pages are made by make man")
  end)
end)

describe("the pages of section 7", function()
  after_each(proc.end_all)

  local pages = { "rille-avro", "rille-json", "rille-csv", "rille-encode", "rille-fields", "rille-fits", "rille-where",
    "rille-train" }
  for _, name in ipairs(pages) do
    it(name .. ": every example prints what the page says", function()
      local examples = proc.read(build .. "/man/" .. name .. ".7"):match "\n%.Sh EXAMPLES\n(.-)\n%.Sh "
      local script, ran = nil, 0
      for block in examples:gmatch "\n%.Bd %-literal[^\n]*\n(.-\n)%.Ed" do
        block = plain(block)
        if block:sub(1, 2) ~= "$ " then
          script = block
        else
          for _, case in ipairs(commands(block)) do
            check(case[1], case[2], script)
            ran = ran + 1
          end
        end
      end
      assert.is_true(ran >= 2, name .. " has examples")
    end)
  end
end)
