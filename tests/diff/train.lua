-- train.lua FOLDER CASES NETWORKS   metrics of each case's scores and labels; networks, saved, and what they give; for train.py
local folder, cases, networks = arg[1], tonumber(arg[2]), tonumber(arg[3])
local rille = require "rille"
local T = rille.tensor

local function path(...) return folder .. "/" .. string.format(...) end

-- In batches of 100, as a stream brings them.
local function value(metric, scores, labels)
  for from = 1, #scores, 100 do
    local rows = {}
    for i = from, math.min(from + 99, #scores) do rows[#rows + 1] = i end
    metric:update(scores:rows(rows), labels:rows(rows))
  end
  return metric:value()
end

local out = assert(io.open(path "values", "w"))
for case = 1, cases do
  local scores, labels = assert(T.load(path("%d.scores.npy", case))), assert(T.load(path("%d.labels.npy", case)))
  local c = value(rille.metrics.confusion(), scores, labels)
  out:write(("%.17g %.17g %.17g %d %d %d %d %.17g %.17g %.17g\n"):format(value(rille.metrics.accuracy(), scores, labels),
    value(rille.metrics.auc(), scores, labels), value(rille.metrics.log_loss(), scores, labels), c.tn, c.fp, c.fn, c.tp,
    c.precision, c.recall, c.f1))
end
out:close()

for i = 1, networks do
  local x = assert(T.load(path("%d.x.npy", i)))
  local sizes = { x.shape[2], seed = i, learning_rate = 0.01 }
  for _ = 1, i % 4 do sizes[#sizes + 1] = 1 + (i * 37) % 200 end
  sizes[#sizes + 1] = 1 + i % 2
  local m = rille.mlp(sizes)
  local y = T.zeros { #x, 1 + i % 2 } + x:column(1):gt(0):to "float32":reshape(-1, 1)
  for _ = 1, 20 do m:train(x, y) end
  assert(m:save(path("%d.onnx", i)))
  assert(T.save(path("%d.y.npy", i), m(x)))
end
return function() end
