-- Trains the tutorial's network on a topic, several times over, and saves it as ONNX. In a plain Lua:
--
--   lua5.4 examples/susy/train.lua [BROKERS [TOPIC [FILE [EPOCHS]]]]
--
-- Partition 0 is read from its beginning to the end that there is at the start, an epoch after the other, without a group:
-- nothing is committed, and whoever else reads the topic is not disturbed. Rows pass through a shuffle buffer into
-- mini-batches of 64. The seeds make a second run give the same network. Where no row is complete none is written.
package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local rille = require "rille"
local susy = require "susy"

local brokers, set = arg[1], os.getenv "RILLE_BROKERS"
if brokers and set and set ~= "" and set ~= brokers then -- the environment would win
  error(("RILLE_BROKERS is %s, and the first argument %s: leave one out"):format(set, brokers), 0)
end
local topic = arg[2] or "susy-train"
local file, epochs = arg[3] or "susy.onnx", math.tointeger(tonumber(arg[4] or 10))

local network, shuffle = susy.network(20261130), rille.shuffle { size = 4096, seed = 1 }
local epoch, rows, loss = 1, 0, 0

local function learn(mini_batches)
  for x, y in mini_batches do
    rows, loss = rows + #x, loss + network:train(x, y) * #x
  end
end

local function finish_epoch()
  learn(shuffle:rest(64))
  if rows == 0 then error(("%s: partition 0 has no complete row, so there is nothing to learn from"):format(topic), 0) end
  print(("epoch %d: %d rows, loss %.4f"):format(epoch, rows, loss / rows))
  epoch, rows, loss = epoch + 1, 0, 0
end

-- Batches are cut at their size, not by time: so the seeds alone decide what is shuffled into what.
for batch in
  rille.stream {
    brokers = brokers, topics = topic, partitions = "0", start = "beginning", exit_at_end = true, epochs = epochs,
    decode = "csv", csv = susy.csv, fields = susy.fields,
    batch = { size = 4096, timeout = 60 },
  }
do
  if batch.epoch > epoch then finish_epoch() end
  shuffle:add(susy.rows(batch))
  learn(shuffle:batches(64))
end
finish_epoch()
assert(network:save(file))
