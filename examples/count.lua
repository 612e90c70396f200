-- Counts messages by key, and says every ten seconds, and at the end, which keys came most.
--
--   rille run examples/count.lua -b localhost:9092 -t alerts -- 5
--
-- State lives in the script: plain Lua variables. It is this process's own, and begins anew with it.
local top = tonumber(arg[1]) or 10
local counts, total = {}, 0

local function report()
  local keys = {}
  for key in pairs(counts) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  print(("%d messages, %d keys"):format(total, #keys))
  for i = 1, math.min(top, #keys) do print(counts[keys[i]], keys[i]) end
end

return {
  handle = function(batch)
    for _, message in batch:messages() do
      local key = message.key or "(no key)"
      counts[key] = (counts[key] or 0) + 1
    end
    total = total + #batch
  end,
  every = { 10, report },
  close = report,
}
