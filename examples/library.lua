-- The same engine in a plain Lua 5.4, without `rille run`:
--
--   lua5.4 examples/library.lua localhost:9092 alerts
--
-- Asking for the next batch commits the last one. A break, a return or an error closes the consumer and leaves what
-- was not acknowledged for the next run; batch:done() acknowledges at once.
local rille = require "rille"

local brokers, topic = arg[1] or "localhost:9092", arg[2] or "alerts"
local faintest = 0

for batch in
  rille.stream {
    brokers = brokers,
    topics = topic,
    group = "library",
    fields = { mag = "candidate.magpsf" },
    exit_at_end = true,
  }
do
  local mag = batch.mag
  for i = 1, #batch do
    if mag[i] and mag[i] > faintest then faintest = mag[i] end
  end
  print(("batch %d: %d alerts"):format(batch.number, #batch))
end

print(("the faintest alert: magnitude %.2f"):format(faintest))
