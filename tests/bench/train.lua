-- The training job: 18 numbers of each row and the label from the message's key, in mini-batches of 64, shuffled. The first
-- argument is "kafka" (each batch is trained on as it comes; rille repeats the range) or "memory" (all rows are kept, and
-- trained on as often as the second says). How many rows were trained on, and the accuracy on the last batch, goes to the
-- file that the third names.
local mode, epochs = arg[1], tonumber(arg[2])
local names, fields = require "susy_fields" "f64"

local network = rille.mlp { 18, 128, 256, 128, 1, dropout = { 0.2, 0.4, 0.4 } }
local buffer = rille.shuffle { size = mode == "kafka" and 4096 or 0 }
local rows, epoch, x, y, kept = 0, 1, nil, nil, {}

local function train(batches)
  for features, label in batches do
    network:train(features, label)
    rows = rows + #features
  end
end

return {
  decode = "csv",
  csv = { columns = names },
  fields = fields,
  batch = { size = 4096 },
  handle = function(batch)
    if batch.epoch ~= epoch then train(buffer:rest(64)) end
    epoch = batch.epoch
    x, y = batch:tensor(names), batch:tensor { "label" }
    if mode == "kafka" then
      train(buffer:add(x, y):batches(64))
    else
      kept[#kept + 1] = { x, y }
    end
  end,
  close = function()
    for _ = 1, mode == "memory" and epochs or 0 do
      for _, part in ipairs(kept) do buffer:add(part[1], part[2]) end
      train(buffer:rest(64))
    end
    train(buffer:rest(64))
    local _, accuracy = network:evaluate(x, y)
    local file <close> = assert(io.open(arg[3], "w"))
    file:write(("rows=%d accuracy=%.4f\n"):format(rows, accuracy))
  end,
}
