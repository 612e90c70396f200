-- The SUSY job: rows of 18 numbers to a tensor, through the network of the third argument (in ONNX Runtime when the fourth
-- is onnx), and how many of its scores are on their label's side. After each batch one message goes to the topic that the
-- first argument names, so that its timestamps tell when batches ended; sums go to the file named by the second.
local to, file = arg[1], arg[3]
local network = arg[4] == "onnx" and rille.model(file, { threads = 1 }) or assert(rille.mlp.load(file))
local rows, right, sent, first = 0, 0, 0, nil
local names, fields = require "susy_fields" "f32"

return {
  decode = "csv",
  csv = { columns = names },
  fields = fields,
  batch = { size = 4096 },
  handle = function(batch, out)
    local scores, labels = network((batch:tensor(names))), batch:tensor "label"
    local yes, is = scores:gt(0.5), labels:gt(0.5)
    first = first or #batch
    rows, sent = rows + #scores, sent + 1
    right = right + ((yes & is) | (~yes & ~is)):to("int64"):sum()
    out:send(to, ("%d"):format(#scores))
  end,
  close = function()
    local sums <close> = assert(io.open(arg[2], "a"))
    sums:write(("rows=%d right=%d sent=%d first=%d\n"):format(rows, right, sent, first or 0))
  end,
}
