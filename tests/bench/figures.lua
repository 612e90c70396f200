-- figures.lua RESULTS JSON TITLE COLUMN...   medians and ranges of lines "TOOL FIGURE...", a figure a column
--
-- When the second of two tools is rille, its medians are also given as multiples of the first's, but for the column "load".
package.path = arg[0]:match "^.*/" .. "?.lua;" .. package.path
local stats = require "stats"
local median = stats.median

local columns, runs, order = table.move(arg, 4, #arg, 1, {}), {}, {}
for line in io.lines(arg[1]) do
  local tool, rest = line:match "^(%S+) (.*)$"
  if not runs[tool] then
    runs[tool] = {}
    for i = 1, #columns do runs[tool][i] = {} end
    order[#order + 1] = tool
  end
  local i = 0
  for word in rest:gmatch "%S+" do
    i = i + 1
    table.insert(runs[tool][i], tonumber(word))
  end
  assert(i == #columns, line)
end

local function cell(list)
  if #list == 1 then return ("%.14g"):format(list[1]) end
  return ("%.4g (%.4g to %.4g)"):format(median(list), math.min(table.unpack(list)), math.max(table.unpack(list)))
end

local function print_row(first, cells) print(("| %s | %s |"):format(first, table.concat(cells, " | "))) end

print(("\n%s, medians of %d run(s):\n"):format(arg[3], #runs[order[1]][1]))
print_row("", columns)
print("|---|" .. ("---:|"):rep(#columns))
for _, tool in ipairs(order) do
  local cells = {}
  for i, list in ipairs(runs[tool]) do cells[i] = cell(list) end
  print_row(tool, cells)
end

local ratios = {}
if #order == 2 and order[2] == "rille" then
  local cells = {}
  for i, name in ipairs(columns) do
    local ratio = median(runs[order[2]][i]) / median(runs[order[1]][i])
    cells[i] = name == "load" and "" or ("%.2f"):format(ratio)
    if name ~= "load" then ratios[#ratios + 1] = ('"%s":%.3f'):format(name, ratio) end
  end
  print_row(order[2] .. " / " .. order[1], cells)
end

local tools = {}
for i, tool in ipairs(order) do
  local figures = {}
  for j, name in ipairs(columns) do figures[j] = ('"%s":%s'):format(name, stats.numbers(runs[tool][j], "%.14g")) end
  tools[i] = ('"%s":{%s}'):format(tool, table.concat(figures, ","))
end
stats.write(arg[2], tools, ratios)
