-- examples/acai.lua: from an alert's bytes to its scores.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local program = require "support.rille"
local wire = require "support.wire"

describe("acai.lua", function()
  after_each(proc.end_all)

  local example = program.root .. "/examples/acai.lua"

  -- The folder with the models; nil, and why, where they or the runtime are not.
  local function models()
    local files, why = wire.data "models/acai_v.d1_dnn_20201130.onnx"
    if not files then return nil, why end
    local try = program.start { "run", "--code", ("rille.model(%q) return function() end"):format(files[1]), "--input", "-" }
    try:wait(30)
    local absent = try:err():match "there is no ONNX Runtime[^\n]*"
    if absent then return nil, absent end
    return files[1]:match "^(.*)/"
  end

  local function scored(values)
    local folder, why = models()
    if not folder then return nil, why end
    local run = program.start { "run", example, "-q", "--input", wire.file(values), "--", folder }
    assert.equal(0, run:wait(60), run:err())
    return program.ndjson(run:out())
  end

  it("gives the published scores of a real alert, from its bytes on", function()
    local files, why = wire.data "ztf/2695378462115010012.avro"
    local results
    if files then results, why = scored(wire.read(files)) end
    if not results then return pending(why) end
    assert.equal(1, #results)
    local acai = results[1].acai
    assert.is_true(math.abs(acai.v - 0.99385) < 1e-5, tostring(acai.v))
    for _, name in ipairs { "h", "o", "n", "b" } do
      assert.is_true(acai[name] >= 0 and acai[name] < 0.004, name .. " " .. tostring(acai[name]))
    end
    assert.is_nil(results[1].no_score)
  end)

  local function is_score(x) return x >= 0 and x <= 1 end

  it("scores the alert whose cutouts have NaN where nothing was measured", function()
    local files, why = wire.data "ztf/2475433850015015000.avro"
    local results
    if files then results, why = scored(wire.read(files)) end
    if not results then return pending(why) end
    local out = input.passes([[return { decode = "avro", fields = { s = "cutoutScience.stampData" },
      handle = function(batch)
        local image = rille.fits.image(batch.s[1])
        print(image.size - image:eq(image):to("int64"):sum() > 0)
      end }]], wire.file(wire.read(files)))
    assert.equal("true\n", out, "there is NaN in it")
    for _, name in ipairs { "h", "v", "o", "n", "b" } do assert.is_true(is_score(results[1].acai[name]), name) end
  end)

  it("says why an alert has no score: a null cutout, a missing feature; the others of its batch have theirs", function()
    local files, why = wire.data "ztf/*.avro"
    local results
    if files then results, why = scored(wire.read(files)) end
    if not results then return pending(why) end
    assert.equal(#files, #results)
    local without = {}
    for _, r in ipairs(results) do
      if r.no_score then
        assert.is_nil(r.acai)
        without[r.objectId] = r.no_score
      else
        for _, name in ipairs { "h", "v", "o", "n", "b" } do assert.is_true(is_score(r.acai[name]), r.objectId) end
      end
    end
    assert.same({ ZTF20abyfpze = "cutoutScience: there are no bytes: null came" }, without)
  end)
end)
