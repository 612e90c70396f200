-- The CSV job: the 18 numbers of each row as one float32 tensor, the label from the message's key. After the first batch
-- and each 16th behind it one message goes to the topic that the first argument names: their timestamps tell the time,
-- without a request a batch that bare consumption has not. How many rows were complete, how many are signal and how many
-- were handled between the first of those messages and the last goes to the file named by the second argument, a line a
-- lane.
local to, batches, complete, signal, sent, rows, first, last = arg[1], 0, 0, 0, 0, 0, nil, nil
local names, fields = require "susy_fields" "f64"

return {
  decode = "csv",
  csv = { columns = names },
  fields = fields,
  handle = function(batch, out)
    local features, whole = batch:tensor(names)
    local label = batch:tensor { "label" }
    complete, signal, rows = complete + whole:to("int64"):sum(), signal + label:sum(), rows + #features
    if batches % 16 == 0 then
      first, last, sent = first or rows, rows, sent + 1
      out:send(to, ("%d %d"):format(#features, features.shape[2]))
    end
    batches = batches + 1
  end,
  close = function()
    local file <close> = assert(io.open(arg[2], "a"))
    file:write(("complete=%d signal=%.0f sent=%d timed=%d\n"):format(complete, signal, sent, (last or 0) - (first or 0)))
  end,
}
