-- growth_table.lua RESULTS JSON DIR TITLE   lines "sweep x messages rille_us cpu_us bare_us rss_mb", a line a run
--
-- Prints a Markdown table a sweep, of medians; writes them to JSON, and to DIR/SWEEP.dat for the plots.
package.path = arg[0]:match "^.*/" .. "?.lua;" .. package.path
local stats = require "stats"
local median = stats.median

local NAMES = { "rille_us", "cpu_us", "bare_us", "rss_mb" }
local sweeps, order = {}, {}

local function point_of(sweep, x, messages)
  if not sweeps[sweep] then
    sweeps[sweep] = {}
    order[#order + 1] = sweep
  end
  local points = sweeps[sweep]
  local last = points[#points]
  if not last or last.x ~= x then
    last = { x = x, messages = messages, rille_us = {}, cpu_us = {}, bare_us = {}, rss_mb = {} }
    points[#points + 1] = last
  end
  return last
end

for line in io.lines(arg[1]) do
  local sweep, rest = line:match "^(%S+) (.*)$"
  local n = {}
  for word in rest:gmatch "%S+" do n[#n + 1] = tonumber(word) end
  assert(#n == 2 + #NAMES, line)
  local point = point_of(sweep, n[1], n[2])
  for i, name in ipairs(NAMES) do table.insert(point[name], n[2 + i]) end
end

local WHAT = {
  messages = "messages of 100 bytes",
  fields = "fields selected, of 4 KB",
  bytes = "bytes a message",
  lanes = "lanes, 1 KB",
  partitions = "partitions, 1 KB",
}

local function print_table(sweep)
  local points = sweeps[sweep]
  print(("\n%s: what a message costs, %s, medians of %d run(s):\n"):format(WHAT[sweep], arg[4], #points[1].rille_us))
  print(("| %s | messages in all | rille, µs | range | CPU, µs | bare consume, µs | rille / bare | peak MB |"):format(sweep))
  print "|---:|---:|---:|---:|---:|---:|---:|---:|"
  for _, p in ipairs(points) do
    local cost, bare = median(p.rille_us), median(p.bare_us)
    print(("| %.0f | %.0f | %.3f | %.3f to %.3f | %.3f | %.3f | %.2f | %.0f |"):format(p.x, p.messages, cost,
      math.min(table.unpack(p.rille_us)), math.max(table.unpack(p.rille_us)), median(p.cpu_us), bare, cost / bare,
      math.max(table.unpack(p.rss_mb))))
  end
  print(("\nrille's time has steps of 1 ms: ± %.2g µs a message, at least, where there are %.0f of them."):format(
    1e3 / points[1].messages, points[1].messages))
end

local function write_data(sweep)
  local file <close> = assert(io.open(("%s/%s.dat"):format(arg[3], sweep), "w"))
  for _, p in ipairs(sweeps[sweep]) do
    file:write(("%.0f %.6f %.6f %.6f\n"):format(p.x, median(p.rille_us), median(p.cpu_us), median(p.bare_us)))
  end
end

local function as_json(sweep)
  local points = {}
  for i, p in ipairs(sweeps[sweep]) do
    local figures = { ('"x":%.0f,"messages":%.0f'):format(p.x, p.messages) }
    for _, name in ipairs(NAMES) do figures[#figures + 1] = ('"%s":%s'):format(name, stats.numbers(p[name], "%.4f")) end
    points[i] = "{" .. table.concat(figures, ",") .. "}"
  end
  return ('"%s":[%s]'):format(sweep, table.concat(points, ","))
end

local members = {}
for i, sweep in ipairs(order) do
  print_table(sweep)
  write_data(sweep)
  members[i] = as_json(sweep)
end
local file <close> = assert(io.open(arg[2], "w"))
file:write(("{%s}\n"):format(table.concat(members, ",")))
