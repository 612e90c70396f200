-- Prints every message: where it stands, its key, the length of its value, its headers.
--
--   rille run examples/print.lua -b localhost:9092 -t alerts -e
--
-- A script may return a bare function; settings then come from the command line or the environment.
return function(batch)
  for _, message in batch:messages() do
    local where = ("%s[%d]@%d"):format(message.topic, message.partition, message.offset)
    local value = message.value
    print(where, message.key or "(no key)", value and #value .. " bytes" or "(null)")
    for _, header in ipairs(message.headers) do print("", header.name .. ":", header.value or "(null)") end
  end
end
