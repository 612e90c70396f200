-- hyrax 10, the models' part: examples/infer_stream.lua, which is hyrax's infer_stream.
local cjson = require "cjson"
local onnx = require "support.onnx"
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local EXAMPLE = rille.root .. "/examples/infer_stream.lua"

local function runtime()
  local path = os.getenv "RILLE_ONNXRUNTIME" or rille.program:match "^(.*)/[^/]*$" .. "/libonnxruntime.so"
  local file = io.open(path)
  if not file then pending(path .. " is not there: make onnxruntime") end
  file:close()
  return path
end

-- A model that gives the mean of images [N, 2, 3]; a topic of these values; one for the results.
local function made(values)
  local at = { library = runtime(), topic = rille.topic(), results = rille.topic(), group = rille.name "group" }
  at.model = onnx.mean(proc.folder() .. "/mean.onnx", { 2, 3 })
  rille.send(at.topic, values)
  return at
end

local function infer(at, ...)
  return rille.start({ "run", EXAMPLE, "-b", rille.brokers, "-t", at.topic, "-G", at.group, ... },
    { env = { RILLE_ONNXRUNTIME = at.library } })
end

local function finish(at, ...)
  local run = infer(at, "-e", "--", at.model, at.results, ...)
  assert.equal(0, run:wait(30), run:err())
  return run
end

-- What was sent on: { [key] = value }, and how many.
local function results(at)
  local by, n = {}, 0
  for _, record in ipairs(rille.read(at.results)) do
    by[record.k] = cjson.decode(record.v)
    n = n + 1
  end
  return by, n
end

local function image(id, first) return ('{"object_id":%s,"image":[[%d,2,3],[4,5,6]],"more":[1]}'):format(id, first) end

describe("hyrax models", function()
  after_each(proc.end_all)

  it("hyrax 10 string ids and stacked arrays reach the model, one result per id is sent on, and all is committed", function()
    local at = made { image('"A1"', 1), image("7", 13), image('"09"', 25) }
    local run = finish(at)
    local by, n = results(at)
    assert.equal(3, n)
    assert.same({ object_id = "A1", result = { 3.5 } }, by.A1)
    assert.same({ object_id = 7, result = { 5.5 } }, by["7"])
    assert.same({ object_id = "09", result = { 7.5 } }, by["09"])
    assert.equal("batch 1: 3 images, 3 results\n", run:out())
    assert.equal(0, rille.lag(at.group, at.topic))
  end)

  it("hyrax 10 a function a field is honoured", function()
    local at = made { image('"A1"', 1), image('"A2"', 13) }
    local prepare = proc.write(proc.folder() .. "/prepare.lua", [[return {
      object_id = function(id) return "field-" .. id end,
      image = function(images) return images:clip(nil, 6) * 2 end }]])
    finish(at, prepare)
    local by, n = results(at)
    assert.equal(2, n)
    assert.same({ object_id = "field-A1", result = { 7 } }, by["field-A1"])
    assert.same({ object_id = "field-A2", result = { 26 / 3 } }, { object_id = by["field-A2"].object_id,
      result = { math.abs(by["field-A2"].result[1] - 26 / 3) < 1e-5 and 26 / 3 } })
  end)

  it("hyrax 10 a requested field that is nowhere is an error that names it, and nothing is committed", function()
    local at = made { '{"object_id":"A1","picture":[[1,2,3],[4,5,6]]}', '{"object_id":"A2","picture":[[1,2,3],[4,5,6]]}' }
    local run = infer(at, "-e", "--", at.model, at.results)
    assert.equal(4, run:wait(30), run:err())
    assert.is_truthy(run:err():find("image", 1, true), run:err())
    assert.same({}, rille.committed(at.group, at.topic))
    assert.equal(0, select(2, results(at)))
  end)

  it("hyrax 10 a message without its image goes to the dead letters by itself, and has no result", function()
    local holed = '{"object_id":"A3","image":[[1,2,3],[4,null,6]]}'
    local at = made { image('"A1"', 1), '{"object_id":"A2"}', holed, image('"A4"', 13) }
    local dead = rille.topic()
    local run = infer(at, "-e", "--dead-letter", dead, "--", at.model, at.results)
    assert.equal(0, run:wait(30), run:err())
    local by, n = results(at)
    assert.equal(2, n)
    assert.is_truthy(by.A1 and by.A4)
    assert.equal(2, #rille.read(dead))
    assert.equal(0, rille.lag(at.group, at.topic))
  end)

  it("a message without its id is rejected, and not told as a result", function()
    local at = made { image('"A1"', 1), image("null", 2), image('"A3"', 3) }
    local run = infer(at, "-e", "-q", "--dead-letter", rille.topic(), "--", at.model, at.results)
    assert.equal(0, run:wait(30), run:err())
    assert.equal(2, select(2, results(at)))
    assert.is_truthy(run:out():find("3 images, 2 results", 1, true), run:out())
  end)

  it("hyrax 10 exactly one stream per run: one member of the group, committed batch by batch, none when it ended", function()
    local at = made { image('"A1"', 1), image('"A2"', 2), image('"A3"', 3) }
    local run = infer(at, "--batch-size", "2", "--batch-timeout", "0.1", "--", at.model, at.results)
    assert.is_true(proc.till(20, function() return (rille.committed(at.group, at.topic)["0"] or 0) == 3 end), run:err())
    assert.equal(1, #tool.ask("group", { group = at.group }).members)
    run:kill "INT"
    assert.equal(0, run:wait(10), run:err())
    assert.equal(0, #tool.ask("group", { group = at.group }).members)
    assert.equal(3, select(2, results(at)))
  end)
end)
