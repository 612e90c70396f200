-- micro_table.lua RESULTS JSON   medians of lines "FORMAT<tab>NAME<tab>BYTES A SECOND<tab>MICROSECONDS A MESSAGE"
package.path = arg[0]:match "^.*/" .. "?.lua;" .. package.path
local stats = require "stats"
local median = stats.median

local formats, order = {}, {}
for line in io.lines(arg[1]) do
  local format, name, rate, cost = line:match "^([^\t]+)\t([^\t]+)\t([^\t]+)\t([^\t]+)$"
  assert(format, line)
  if not formats[format] then
    formats[format] = {}
    order[#order + 1] = format
  end
  local jobs = formats[format]
  if not jobs[name] then
    jobs[name] = { rate = {}, cost = {} }
    jobs[#jobs + 1] = name
  end
  table.insert(jobs[name].rate, tonumber(rate))
  table.insert(jobs[name].cost, tonumber(cost))
end

local members = {}
for i, format in ipairs(order) do
  local jobs, figures = formats[format], {}
  local copied = median(jobs.memcpy.rate)
  print(("\n%s, one core, medians of %d run(s):\n"):format(format, #jobs.memcpy.rate))
  print "| | MB/s | µs a message | of memcpy |\n|---|---:|---:|---:|"
  for j, name in ipairs(jobs) do
    local rate = median(jobs[name].rate)
    print(("| %s | %.0f | %.2f | %.4f |"):format(name, rate / 1e6, median(jobs[name].cost), rate / copied))
    figures[j] = ('"%s":%s'):format(name, stats.numbers(jobs[name].rate, "%.0f"))
  end
  members[i] = ('"%s":{%s}'):format(format, table.concat(figures, ","))
end
local file <close> = assert(io.open(arg[2], "w"))
file:write(("{%s}\n"):format(table.concat(members, ",")))
