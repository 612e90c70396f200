-- Scores the rows of a topic through a consumer group, and tells how good the scores are.
--
--   rille run examples/susy/infer.lua -b localhost:9092 -t susy-test -G testcg -e
--   rille run examples/susy/infer.lua -b localhost:9092 -t susy-test -G testcg2 --idle 10
--
-- With -e the run ends at the end that there is when it begins; with --idle 10 once nothing came for 10 seconds, which is
-- TensorFlow-IO's stream time-out. Offsets are committed when a batch is done, and not before: several such processes share
-- the group, and one that dies leaves its rows to the others.
--
-- After `--`: the network's file (susy.onnx), and `onnx` to run it in ONNX Runtime and not in rille itself.
local susy = require "susy"

local file = arg[1] or "susy.onnx"
local network = arg[2] == "onnx" and rille.model(file) or assert(rille.mlp.load(file))
local accuracy, auc, loss = rille.metrics.accuracy(), rille.metrics.auc(), rille.metrics.log_loss()
local rows = 0

return {
  decode = "csv",
  csv = susy.csv,
  fields = susy.fields,
  batch = { size = 4096 },
  handle = function(batch)
    local x, y = susy.rows(batch)
    local scores = network(x)
    accuracy:update(scores, y)
    auc:update(scores, y)
    loss:update(scores, y)
    rows = rows + #x
  end,
  close = function()
    if rows == 0 then return print "0 rows" end
    print(("%d rows: accuracy %.4f, AUC %.4f, loss %.4f"):format(rows, accuracy:value(), auc:value(), loss:value()))
  end,
}
