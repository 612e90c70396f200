-- Learns on from a live stream: each batch of a group is gone over three times, and committed after the last.
--
--   rille run examples/susy/online.lua -b localhost:9092 -t susy-train -G cgonline --idle 10
--
-- How well the network does on a batch is looked at before it learns from it: an honest test that costs no rows. The
-- network is saved after every fourth batch and when the run ends. A process that dies has committed the batches since the
-- last save, and they do not come again: what the network learned from them, three batches at most, is lost. A batch that was
-- learned from and not committed comes again: if the network was saved in between it knows these rows a little better than
-- the others.
--
-- After `--`: the file to begin with and to save to (online.onnx). A new network begins only when there is no such file: one
-- that cannot be read, or is damaged, is an error and stays as it is.
local susy = require "susy"

local PASSES, MINI_BATCH, SAVE_EVERY = 3, 32, 4
local NO_SUCH_FILE = 2 -- the system's ENOENT
local file = arg[1] or "online.onnx"

local function begin()
  local there, _, code = io.open(file, "rb")
  if there then there:close() end
  if code == NO_SUCH_FILE then return susy.network(20261130), "begins with a new network" end
  return assert(rille.mlp.load(file)), "goes on with " .. file
end

local network, how = begin()
print(how)
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
    if batches % SAVE_EVERY == 0 then assert(network:save(file)) end
    print(("batch %d: %d rows, before learning: loss %.4f, accuracy %.4f"):format(batches, #x, loss, accuracy))
  end,
  close = function()
    assert(network:save(file))
    if rows > 0 then print(("%d rows, accuracy %.4f before learning"):format(rows, right / rows)) end
  end,
}
