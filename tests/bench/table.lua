-- table.lua RESULTS JSON TITLE [BYTES [OWN]]   medians and ratios of lines "tool messages seconds wall_s cpu_s rss_mb load"
--
-- With BYTES, how many a message has, the rates are in bytes too. Ratios are of each of OWN's words ("rille") to those that are
-- none of them.
package.path = arg[0]:match "^.*/" .. "?.lua;" .. package.path
local stats = require "stats"
local median = stats.median

local bytes, owns, owns_set = tonumber(arg[4]), arg[5] or "rille", {}
for own in owns:gmatch "%S+" do owns_set[own] = true end
local runs, order = {}, {}
for line in io.lines(arg[1]) do
  local tool, rest = line:match "^(%S+) (.*)$"
  local n = {}
  for word in rest:gmatch "%S+" do n[#n + 1] = tonumber(word) end
  if not runs[tool] then
    runs[tool] = { rate = {}, cpu_us = {}, rss_mb = {}, wall_s = {}, load = {} }
    order[#order + 1] = tool
  end
  local r, messages = runs[tool], n[1]
  local figures = { rate = messages / n[2], wall_s = n[3], cpu_us = n[4] / messages * 1e6, rss_mb = n[5], load = n[6] }
  for name, value in pairs(figures) do
    table.insert(r[name], value)
  end
end

local function range(list)
  return ("%.4g to %.4g"):format(math.min(table.unpack(list)) / 1e3, math.max(table.unpack(list)) / 1e3)
end

print(("\n%s, medians of %d runs:\n"):format(arg[3], #runs[order[1]].rate))
print(("| tool | k messages/s | range |%s µs CPU a message | peak MB | wall s |"):format(bytes and " MB/s |" or ""))
print("|---|---:|---:|---:|---:|---:|" .. (bytes and "---:|" or ""))
for _, tool in ipairs(order) do
  local r = runs[tool]
  print(("| %s | %.4g | %s |%s %.2f | %.0f | %.2f |"):format(tool, median(r.rate) / 1e3, range(r.rate),
    bytes and (" %.0f |"):format(median(r.rate) * bytes / 1e6) or "", median(r.cpu_us), math.max(table.unpack(r.rss_mb)),
    median(r.wall_s)))
end

local ratios = {}
local function compare(own, bound)
  local rate = median(runs[own].rate) / median(runs[bound].rate)
  local cpu = median(runs[own].cpu_us) / median(runs[bound].cpu_us)
  local known = cpu < math.huge -- a short run's time may be 0 in two decimals
  local name = own == "rille" and bound or own .. " beside " .. bound
  ratios[#ratios + 1] = ('"%s":{"rate":%.3f,"cpu":%s}'):format(name, rate, known and ("%.3f"):format(cpu) or "null")
  print(("| %s | %.2f | %s |"):format(bound, rate, known and ("%.2f"):format(cpu) or "-"))
end

local others = {}
for _, tool in ipairs(order) do
  if not owns_set[tool] then others[#others + 1] = tool end
end
for own in owns:gmatch "%S+" do
  if runs[own] and #others > 0 then
    print(("\n| %s beside | rate | CPU |\n|---|---:|---:|"):format(own))
    for _, bound in ipairs(others) do compare(own, bound) end
  end
end

local tools = {}
for i, tool in ipairs(order) do
  local figures = {}
  for name, list in pairs(runs[tool]) do figures[#figures + 1] = ('"%s":%s'):format(name, stats.numbers(list, "%.3f")) end
  table.sort(figures)
  tools[i] = ('"%s":{%s}'):format(tool, table.concat(figures, ","))
end
stats.write(arg[2], tools, ratios)
