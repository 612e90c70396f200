-- Selects JSON alerts and sends them on as Avro: typed, a third of the bytes, and checked before they leave.
--
--   rille run examples/alerts_to_avro.lua -b localhost:9092 -t alerts -G to-avro -e
--   rille run examples/alerts_to_avro.lua -b localhost:9092 -t alerts -G to-avro -e -- confluent 900
--
-- After `--`: the framing and, for Confluent's, the schema's number at the registry. A container, which brings its
-- schema along, is what it writes by itself; `single-object` and `bare` are for readers that have the schema.
local schema = rille.avro.schema [[{
  "type": "record", "name": "bright", "namespace": "example", "fields": [
    { "name": "objectId", "type": "string" },
    { "name": "candid", "type": "long" },
    { "name": "candidate", "type": { "type": "record", "name": "candidate", "fields": [
      { "name": "jd", "type": "double" },
      { "name": "fid", "type": "int" },
      { "name": "ra", "type": "double" },
      { "name": "dec", "type": "double" },
      { "name": "magpsf", "type": "float" },
      { "name": "sigmapsf", "type": "float" },
      { "name": "rb", "type": ["null", "float"], "default": null }
    ] } }
  ] }]]

-- An alert has more members than the schema: drop_unknown leaves them out. One that lacks a field, or has a text where
-- a number belongs, is an error that names the path, and that alert goes to the dead letters by itself.
local options = { framing = arg[1] or "container", id = tonumber(arg[2]), drop_unknown = true }

return {
  decode = "json",
  fields = { mag = "candidate.magpsf", rb = "candidate.rb" },
  handle = function(batch, out)
    local bright = batch:where "mag < 18.5 and rb >= 0.65"
    for _, message in bright:messages() do
      out:send("alerts-avro", schema:encode(message:decode(), options), { key = message.key })
    end
    print(("%d alerts, %d sent as Avro"):format(#batch, #bright))
  end,
}
