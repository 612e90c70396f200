-- The CSV job: the 18 numbers of each row as one float32 tensor, the label from the message's key. After each batch one
-- message goes to the topic that the first argument names, so that its timestamps tell when batches ended. How many rows
-- were complete, and how many are signal, goes to the file named by the second argument, a line a lane.
local to, complete, signal, sent, first = arg[1], 0, 0, 0, nil
local names, fields = require "susy_fields" "f64"

return {
  decode = "csv",
  csv = { columns = names },
  fields = fields,
  handle = function(batch, out)
    local features, whole = batch:tensor(names)
    local label = batch:tensor { "label" }
    first = first or #batch
    complete, signal, sent = complete + whole:to("int64"):sum(), signal + label:sum(), sent + 1
    out:send(to, ("%d %d"):format(#features, features.shape[2]))
  end,
  close = function()
    local file <close> = assert(io.open(arg[2], "a"))
    file:write(("complete=%d signal=%.0f sent=%d first=%d\n"):format(complete, signal, sent, first or 0))
  end,
}
