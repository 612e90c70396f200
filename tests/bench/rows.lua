-- rows.lua N [DISTINCT]   N rows of 18 numbers shaped like the SUSY data set's: two overlapping clouds, a fixed seed
--
-- Standard output: lines LABEL<tab>CSV, for `rille send -K '\t'`, DISTINCT (20,000) different ones in turn; the label is 1
-- (signal, 46 %) or 0. Standard error: "signal=S", how many have label 1.
local n = math.tointeger(tonumber(arg[1])) or error "rows.lua N [DISTINCT]"
local distinct = math.min(n, math.tointeger(tonumber(arg[2])) or 20000)
math.randomseed(20261130)
local random = math.random

local function gauss() return math.sqrt(-2 * math.log(1 - random())) * math.cos(2 * math.pi * random()) end

local away = {}
for i = 1, 18 do away[i] = gauss() / 3 end

local lines, signal = {}, {}
for i = 1, distinct do
  local row = {}
  signal[i] = random() < 0.46
  for j = 1, 18 do row[j] = ("%.8f"):format(gauss() + (signal[i] and away[j] or 0)) end
  lines[i] = ("%d\t%s\n"):format(signal[i] and 1 or 0, table.concat(row, ","))
end

local count = 0
io.stdout:setvbuf("full", 1 << 20)
for i = 0, n - 1 do
  local at = i % distinct + 1
  if signal[at] then count = count + 1 end
  io.write(lines[at])
end
io.stderr:write(("signal=%d\n"):format(count))
