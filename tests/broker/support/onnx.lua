-- Small models as ONNX files, written as the protobuf that the format is.
local proc = require "support.proc"

local onnx = {}

local function varint(n)
  local bytes = {}
  while n >= 0x80 do
    bytes[#bytes + 1] = string.char(n & 0x7f | 0x80)
    n = n >> 7
  end
  return table.concat(bytes) .. string.char(n)
end

-- A field: an integer, or bytes.
local function put(field, value)
  if math.type(value) == "integer" then return varint(field << 3) .. varint(value) end
  return varint(field << 3 | 2) .. varint(#value) .. value
end

local FLOAT, INT64, BOOL = 1, 7, 9

-- A tensor's name, sizes and type (float32); a text is a free size.
local function port(name, sizes, kind)
  local shape = ""
  for _, size in ipairs(sizes) do shape = shape .. put(1, put(type(size) == "string" and 2 or 1, size)) end
  return put(1, name) .. put(2, put(1, put(1, kind or FLOAT) .. put(2, shape)))
end

-- attributes: { axis = 1 } or { axes = { 1 } }.
local function node(op, inputs, output, attributes)
  local text = ""
  for _, input in ipairs(inputs) do text = text .. put(1, input) end
  text = text .. put(2, output) .. put(4, op)
  for name, value in pairs(attributes or {}) do
    local ints = ""
    for _, i in ipairs(type(value) == "table" and value or {}) do ints = ints .. put(8, i) end
    text = text .. put(5, put(1, name) .. (type(value) == "table" and ints .. put(20, 7) or put(3, value) .. put(20, 2)))
  end
  return text
end

local function constant(name, sizes, values)
  local text = ""
  for _, size in ipairs(sizes) do text = text .. put(1, size) end
  return text .. put(2, 1) .. put(8, name) .. put(9, string.pack(("<" .. ("f"):rep(#values)), table.unpack(values)))
end

local function write(path, graph)
  proc.write(path, put(1, 8) .. put(8, put(2, 17)) .. put(7, graph .. put(2, "made")))
  return path
end

-- y = x + 1 + 1 ..., n times, x [1]: a run that takes as long as one likes.
function onnx.loop(path, n)
  local body = put(1, node("Identity", { "go" }, "still")) .. put(1, node("Add", { "was", "step" }, "is")) .. put(2, "body")
    .. put(5, constant("step", { 1 }, { 1 })) .. put(11, port("i", {}, INT64)) .. put(11, port("go", {}, BOOL))
    .. put(11, port("was", { 1 })) .. put(12, port("still", {}, BOOL)) .. put(12, port("is", { 1 }))
  local loop = node("Loop", { "n", "", "x" }, "y") .. put(5, put(1, "body") .. put(6, body) .. put(20, 5))
  local times = put(2, INT64) .. put(8, "n") .. put(9, string.pack("<i8", n))
  return write(path, put(1, loop) .. put(5, times) .. put(11, port("x", { 1 })) .. put(12, port("y", { 1 })))
end

-- score [N, 1]: the mean of each image [N, sizes...].
function onnx.mean(path, sizes)
  return write(path, put(1, node("Flatten", { "image" }, "flat", { axis = 1 }))
    .. put(1, node("ReduceMean", { "flat" }, "score", { axes = { 1 }, keepdims = 1 }))
    .. put(11, port("image", { "N", table.unpack(sizes) })) .. put(12, port("score", { "N", 1 })))
end

-- score [N]: weights . features [N, #weights], and half of it.
function onnx.linear(path, weights)
  return write(path, put(1, node("MatMul", { "features", "w" }, "column"))
    .. put(1, node("Identity", { "column" }, "score")) .. put(1, node("Mul", { "column", "half" }, "half_score"))
    .. put(5, constant("w", { #weights, 1 }, weights)) .. put(5, constant("half", { 1 }, { 0.5 }))
    .. put(11, port("features", { "N", #weights })) .. put(12, port("score", { "N", 1 }))
    .. put(12, port("half_score", { "N", 1 })))
end

return onnx
