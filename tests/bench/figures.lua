-- figures.lua RESULTS JSON TITLE COLUMN...   medians and ranges of lines "TOOL FIGURE...", a figure a column
--
-- When the second of two tools is rille, its medians are also given as multiples of the first's, but for the column "load".
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

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local middle = (#sorted + 1) // 2
  return #sorted % 2 == 1 and sorted[middle] or (sorted[middle] + sorted[middle + 1]) / 2
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

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = ("%.14g"):format(x) end
  return "[" .. table.concat(out, ",") .. "]"
end

local tools = {}
for i, tool in ipairs(order) do
  local figures = {}
  for j, name in ipairs(columns) do figures[j] = ('"%s":%s'):format(name, numbers(runs[tool][j])) end
  tools[i] = ('"%s":{%s}'):format(tool, table.concat(figures, ","))
end
local file <close> = assert(io.open(arg[2], "w"))
file:write(("{%s,\"ratios\":{%s}}\n"):format(table.concat(tools, ","), table.concat(ratios, ",")))
