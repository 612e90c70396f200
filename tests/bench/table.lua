-- table.lua RESULTS JSON   medians and ratios of the bench's lines "tool messages seconds cpu_s rss_mb"
local runs, order = {}, {}
for line in io.lines(arg[1]) do
  local tool, messages, seconds, cpu, rss = line:match "^(%S+) (%S+) (%S+) (%S+) (%S+)$"
  if not runs[tool] then
    runs[tool] = { rate = {}, cpu = {}, rss = {} }
    order[#order + 1] = tool
  end
  local r = runs[tool]
  r.rate[#r.rate + 1] = messages / seconds
  r.cpu[#r.cpu + 1] = cpu / messages * 1e6
  r.rss[#r.rss + 1] = tonumber(rss)
end

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local middle = (#sorted + 1) // 2
  return #sorted % 2 == 1 and sorted[middle] or (sorted[middle] + sorted[middle + 1]) / 2
end

local function range(list)
  return ("%.0f to %.0f k"):format(math.min(table.unpack(list)) / 1e3, math.max(table.unpack(list)) / 1e3)
end

print(("\n%-10s %12s %18s %14s %10s"):format("", "messages/s", "range", "CPU a message", "peak RSS"))
for _, tool in ipairs(order) do
  local r = runs[tool]
  print(("%-10s %10.0f k %18s %11.2f us %7.0f MB"):format(tool, median(r.rate) / 1e3, range(r.rate), median(r.cpu), math.max(
    table.unpack(r.rss))))
end

local ratios = {}
for _, bound in ipairs { "ceiling", "consume" } do
  if runs[bound] then
    local rate = median(runs.rille.rate) / median(runs[bound].rate)
    local cpu = median(runs.rille.cpu) / median(runs[bound].cpu)
    ratios[#ratios + 1] = ('"%s":{"rate":%.3f,"cpu":%.3f}'):format(bound, rate, cpu)
    print(("rille is %.2f of %s in rate, %.2f times it in CPU a message"):format(rate, bound, cpu))
  end
end

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = ("%.3f"):format(x) end
  return "[" .. table.concat(out, ",") .. "]"
end

local tools = {}
for i, tool in ipairs(order) do
  local r = runs[tool]
  tools[i] = ('"%s":{"rate":%s,"cpu_us":%s,"rss_mb":%s}'):format(tool, numbers(r.rate), numbers(r.cpu), numbers(r.rss))
end
local file = assert(io.open(arg[2], "w"))
file:write(("{%s,\"ratios\":{%s}}\n"):format(table.concat(tools, ","), table.concat(ratios, ",")))
file:close()
