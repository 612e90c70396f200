-- Images out of a stream, through a model, and a result for each id sent on.
--
--   rille run examples/infer_stream.lua -b localhost:9092 -t images -G infer --dead-letter bad -- model.onnx results
--   rille run examples/infer_stream.lua -b localhost:9092 -t images -G infer --dead-letter bad \
--     -- model.onnx results prepare.lua
--
-- A message is JSON with `object_id`, a text or a number, and `image`, nested arrays of the shape that the model takes.
-- A batch's images become one tensor, one row a message; a message without a whole image or an id is rejected, which
-- needs --dead-letter. After `--`: the model (a file, or kserve://HOST:PORT/NAME),
-- the topic of the results, and, if wanted, a file that returns a function for each field that is to be changed on its
-- way: { object_id = function(id) return id end, image = function(images) return images:normalize() end }.
local model = rille.model(arg[1] or "model.onnx", { batch = 512 })
local results = arg[2] or "results"
local prepare = arg[3] and dofile(arg[3]) or {}

local function same(value) return value end
local id_of, images_of = prepare.object_id or same, prepare.image or same

-- What one row of the answer says: a number or array, or a table of them by the outputs' names.
local function result(answer, i)
  if type(answer) ~= "table" then return answer[i] end
  local row = {}
  for name, output in pairs(answer) do row[name] = output[i] end
  return row
end

return {
  decode = "json",
  fields = {
    id = "object_id",
    image = { path = "image", type = "f32", shape = { table.unpack(model.inputs[1].shape, 2) } },
  },
  strict_fields = true, -- a field that no message has is an error at the first batch, not a stream of nothing
  in_flight = 1, -- each batch is committed before the next is handled
  handle = function(batch, out)
    local images, complete = batch:tensor "image"
    local good = batch:select(complete)
    for _, message in batch:select(~complete):messages() do out:reject(message, "no whole image") end
    local answer = model { [model.inputs[1].name] = images_of(images:rows(complete)) }
    local sent = 0
    for i = 1, #good do
      local id = good.id[i] ~= nil and id_of(good.id[i])
      if id then
        out:send(results, { object_id = id, result = result(answer, i) }, { key = tostring(id) })
        sent = sent + 1
      else
        out:reject(good[i], "no object_id")
      end
    end
    print(("batch %d: %d images, %d results"):format(batch.number, #batch, sent))
  end,
}
