-- Decodes with lua-cjson, as a script may with any library of its own.
--
--   rille run examples/cjson.lua -b localhost:9092 -t alerts -e
--
-- `decode` is a function here: what it returns is the message's value in message:decode() and batch:rows(). When it
-- returns nil and a reason, that message alone is bad. (lua-cjson reads 2510000000000000003 as 2.51e+18; rille.json
-- keeps it, so use this where a library is needed that knows something rille does not.)
local cjson = require "cjson.safe"

return {
  decode = function(message)
    if not message.value then return nil, "no value" end
    return cjson.decode(message.value)
  end,
  handle = function(batch, out)
    for i, alert in ipairs(batch:rows()) do
      out:send("-", { id = alert.objectId, mag = alert.candidate.magpsf, partition = batch[i].partition })
    end
  end,
}
