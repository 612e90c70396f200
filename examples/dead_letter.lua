-- Sends messages that cannot be used to a dead-letter topic, one by one, and goes on with the rest.
--
--   rille run examples/dead_letter.lua -b localhost:9092 -t alerts -G checked
--
-- Three ways lead there: a value that is no JSON never reaches the handler; out:reject names a message and a reason;
-- and when the handler raises, the batch is tried again, then halved until the message at fault stands alone.
return {
  decode = "json",
  dead_letter = "alerts-dead",
  retries = 1,
  backoff = 0.1,
  handle = function(batch, out)
    for i, alert in ipairs(batch:rows()) do
      if not alert.objectId then
        out:reject(batch[i], "no objectId")
      else
        -- An alert without its candidate raises here, by itself.
        out:send("checked", { id = alert.objectId, mag = alert.candidate.magpsf }, { key = alert.objectId })
      end
    end
  end,
}
