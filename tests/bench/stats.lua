-- What the benches' tables share.
local stats = {}

function stats.median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local middle = (#sorted + 1) // 2
  return #sorted % 2 == 1 and sorted[middle] or (sorted[middle] + sorted[middle + 1]) / 2
end

-- A JSON array, each number in this format.
function stats.numbers(list, format)
  local out = {}
  for i, x in ipairs(list) do out[i] = format:format(x) end
  return "[" .. table.concat(out, ",") .. "]"
end

-- {TOOL,…,"ratios":{RATIO,…}}: both lists hold members as text.
function stats.write(path, tools, ratios)
  local file <close> = assert(io.open(path, "w"))
  file:write(("{%s,\"ratios\":{%s}}\n"):format(table.concat(tools, ","), table.concat(ratios, ",")))
end

return stats
