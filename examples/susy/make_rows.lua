-- Rows for the tutorial: a label and 18 features each, made up or from the real SUSY data set.
--
--   lua5.4 examples/susy/make_rows.lua [ROWS [SEED]]          made up, always the same ones for a seed
--   lua5.4 examples/susy/make_rows.lua ROWS SUSY.csv[.gz]     the first of the real ones
--
-- Standard output: a row a line, LABEL<tab>CSV, for `rille send -K '\t'`; 1 is signal, 0 background. Standard error: how
-- many there are of each, and of those made up what the best classifier there can be reaches:
--
--   rows=100000 signal=45931 background=54069 best_auc=0.8760 best_test_auc=0.8753
--
-- Rows that are made up: 18 independent normal numbers, whose means lie DISTANCE apart in signal and background, are mixed,
-- and each becomes a feature of SUSY's kind by a function that only grows: momenta and masses are positive and skewed,
-- angles have bounds. All of that could be undone, so the features tell as much as the numbers behind them, of which the
-- likelihood ratio is known; and with it the best area under the ROC curve that any classifier has: Phi(DISTANCE / sqrt 2),
-- and by chance a little more or less in the last 40 % of the rows, which `send` keeps for the test.
local DISTANCE = 1.634 -- gives 0.876, which is what is published for SUSY
local SIGNAL = 0.4576 -- the share of signal in SUSY

-- How each feature looks: p positive and skewed, s symmetric, a an angle, c a cosine.
local KINDS = "psapsapapspppppppc"

local SHAPES = {
  p = function(y) return math.exp(0.4 * y - 0.1) end,
  s = function(y) return y end,
  a = function(y) return 1.74 * y / math.sqrt(3 + y * y) end,
  c = function(y) return 1 / (1 + math.exp(-y)) end,
}

local function gauss()
  return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random())
end

-- The means of signal, whatever the seed of the rows; those of background are 0.
local function away(n)
  local mean, square = {}, 0
  math.randomseed(1)
  for i = 1, n do
    mean[i] = gauss()
    square = square + mean[i] ^ 2
  end
  for i = 1, n do mean[i] = mean[i] * DISTANCE / math.sqrt(square) end
  return mean
end

-- A function that gives a row at each call: label, CSV, and the logarithm of the likelihood ratio (less a constant).
local function generator(seed)
  local n = #KINDS
  local mean, shapes = away(n), {}
  for i = 1, n do shapes[i] = SHAPES[KINDS:sub(i, i)] end
  math.randomseed(seed)
  return function()
    local label, z, cells, ratio = math.random() < SIGNAL and 1 or 0, {}, {}, 0
    for i = 1, n do
      z[i] = gauss() + label * mean[i]
      ratio = ratio + z[i] * mean[i]
    end
    for i = 1, n do cells[i] = ("%.8f"):format(shapes[i](z[i] + 0.25 * z[i % n + 1])) end
    return label, table.concat(cells, ","), ratio
  end
end

-- The same of a file: the label is its first column.
local function reader(path)
  local file
  if path:find "%.gz$" then
    file = assert(io.popen("gzip -dc -- '" .. path:gsub("'", [['\'']]) .. "'"))
  else
    file = assert(io.open(path))
  end
  return function()
    local line = file:read "l"
    if not line then return end
    local label, cells = line:match "^([^,]+),(.+)$"
    label = tonumber(label)
    assert(label == 0 or label == 1, "no row of SUSY: " .. line)
    return label == 1 and 1 or 0, cells
  end
end

-- ---- the best there can be ----

-- The normal distribution's probability of a value below x, by Simpson's rule.
local function phi(x)
  local n, sum = 1000, 0
  for i = 0, n do
    local weight = (i == 0 or i == n) and 1 or i % 2 == 1 and 4 or 2
    sum = sum + weight * math.exp(-(x * i / n) ^ 2 / 2)
  end
  return 0.5 + sum * x / n / 3 / math.sqrt(2 * math.pi)
end

-- The area under the ROC curve of { score, label } from `first` on: how often signal has more than background. NaN where
-- there is only one of them.
local function area(rows, first)
  local part = table.move(rows, first, #rows, 1, {})
  table.sort(part, function(a, b) return a[1] < b[1] end)
  local signal, background, pairs_right = 0, 0, 0
  for _, row in ipairs(part) do
    if row[2] == 1 then
      signal, pairs_right = signal + 1, pairs_right + background
    else
      background = background + 1
    end
  end
  return pairs_right / (signal * background)
end

-- ---- the rows ----

local rows, from = math.tointeger(tonumber(arg[1] or 100000)), arg[2] or "20261130"
if not rows then error "usage: make_rows.lua [ROWS [SEED or FILE]]" end
local seed = math.tointeger(tonumber(from))
local next_row = seed and generator(seed) or reader(from)
local made, signal = {}, 0
io.stdout:setvbuf("full", 1 << 16)
for i = 1, rows do
  local label, cells, ratio = next_row()
  if not label then
    io.stderr:write(("make_rows.lua: %s has %d rows, not %d\n"):format(from, i - 1, rows))
    os.exit(1)
  end
  signal, made[i] = signal + label, ratio and { ratio, label }
  io.write(label, "\t", cells, "\n")
end
io.stderr:write(("rows=%d signal=%d background=%d"):format(rows, signal, rows - signal))
if seed then
  local best, best_test = phi(DISTANCE / math.sqrt(2)), area(made, rows * 6 // 10 + 1)
  io.stderr:write((" best_auc=%.4f"):format(best), best_test == best_test and (" best_test_auc=%.4f"):format(best_test) or "")
end
io.stderr:write "\n"
