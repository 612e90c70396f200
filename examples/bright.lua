-- Forwards bright, real alerts to the topic `bright`.
--
--   rille run examples/bright.lua -b localhost:9092
--
-- Three fields of each alert are read, and nothing else of it; what passes goes on byte for byte, with its key.
return {
  topics = "ztf",
  group = "bright",
  fields = { id = "objectId", mag = "candidate.magpsf", rb = "candidate.rb" },
  batch = { size = 512, timeout = 0.5 },
  handle = function(batch, out)
    local bright = batch:where "rb >= 0.65 and mag < 18.5"
    out:forward("bright", bright)
    print(("batch %d: %d alerts (%s), %d bright"):format(batch.number, #batch, batch.cause, #bright))
  end,
}
