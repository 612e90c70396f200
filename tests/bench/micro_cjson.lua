-- micro_cjson.lua SECONDS FILE   what lua-cjson costs a line of FILE: a line as micro_codec prints it
local decode = require("cjson").decode
local seconds, lines = tonumber(arg[1]), {}
for line in io.lines(arg[2]) do lines[#lines + 1] = line end

-- The best of rounds of some messages each, as many as take `seconds` of CPU.
local EACH = 200
local best, cost, at, start = 0, 0, 0, os.clock()
while best == 0 or os.clock() - start < seconds do
  local bytes, before = 0, os.clock()
  for i = at, at + EACH - 1 do
    local line = lines[i % #lines + 1]
    decode(line)
    bytes = bytes + #line
  end
  local took = os.clock() - before
  at = at + EACH
  if bytes / took > best then best, cost = bytes / took, took / EACH end
end
print(("%s\t%.0f\t%.3f"):format("lua-cjson: the whole value", best, cost * 1e6))
