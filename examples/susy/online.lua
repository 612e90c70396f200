-- Learns on from a live stream: each batch of a group is gone over three times, and committed after the last.
--
--   rille run examples/susy/online.lua -b localhost:9092 -t susy-train -G cgonline --idle 10
--
-- How well the network does on a batch is looked at before it learns from it: an honest test that costs no rows. When the
-- run ends the network is saved. A batch that was learned from and not committed, because the process died in between,
-- comes again: the network then knows these rows a little better than the others.
--
-- After `--`: the file to begin with and to save to (online.onnx; a new network when it is not there).
local susy = require "susy"

local PASSES, MINI_BATCH = 3, 32
local file = arg[1] or "online.onnx"
local network = rille.mlp.load(file)
print(network and "goes on with " .. file or "begins with a new network")
network = network or susy.network(20261130)
local batches, rows, right = 0, 0, 0

local function learn(x, y, seed)
  local shuffle = rille.shuffle { size = #x, seed = seed }
  shuffle:add(x, y)
  for mini_x, mini_y in shuffle:rest(MINI_BATCH) do network:train(mini_x, mini_y) end
end

return {
  decode = "csv",
  csv = susy.csv,
  fields = susy.fields,
  batch = { size = 1024 },
  handle = function(batch)
    local x, y = susy.rows(batch)
    if #x == 0 then return end
    local loss, accuracy = network:evaluate(x, y)
    for pass = 1, PASSES do learn(x, y, PASSES * batches + pass) end
    batches, rows, right = batches + 1, rows + #x, right + accuracy * #x
    print(("batch %d: %d rows, before learning: loss %.4f, accuracy %.4f"):format(batches, #x, loss, accuracy))
  end,
  close = function()
    assert(network:save(file))
    if rows > 0 then print(("%d rows, accuracy %.4f before learning"):format(rows, right / rows)) end
  end,
}
