-- The Open Inference Protocol against a server of other people's: MLServer with the braai model.
local mlserver = require "support.mlserver"
local proc = require "support.proc"
local rille = require "support.rille"

local absent = mlserver.absent()

-- Prints the scores of the models named in its arguments over the triplets, a line a model: shapes and numbers.
local SCORES = [[
local rille = require "rille"
local triplets = assert(rille.tensor.load(arg[1])):to "float32"
for i = 2, #arg do
  local m = rille.model(arg[i], { batch = 7, timeout = 60 })
  local t = m.inputs[1]
  local scores = m(triplets)
  local holes = m(rille.tensor.stack { triplets[1], triplets[1] * (0 / 0) }):reshape(2)
  print("holes", holes[1] == scores[1][1], holes[2] ~= holes[2])
  print(#scores, m.outputs[1].name, t.name, table.concat(scores:reshape(#scores):totable(), " "))
end
return function() end]]

local function numbers(line)
  local out = {}
  for word in line:match("triplets%s(.*)$"):gmatch "%S+" do out[#out + 1] = tonumber(word) end
  return out
end

local function near(a, b)
  assert.equal(#a, #b)
  for i = 1, #a do assert.is_true(math.abs(a[i] - b[i]) < 1e-6, ("row %d: %.9g and %.9g"):format(i, a[i], b[i])) end
end

-- The column of the table that holds what braai gave when it was published.
local function truth()
  local rows, column = {}, nil
  for line in io.lines(mlserver.candidates) do
    local words = {}
    for word in (line .. ","):gmatch "([^,]*)," do words[#words + 1] = word end
    if not column then
      for i, name in ipairs(words) do column = name == "new_drb" and i or column end
    else
      rows[#rows + 1] = tonumber(words[column])
    end
  end
  return rows
end

describe("MLServer", function()
  teardown(proc.end_all)

  it("braai gives on the server what it gave when it was published, and what it gives in process", function()
    if absent then
      pending(absent)
      return
    end
    local server, uri = mlserver.start()
    local words = { "run", "--code", SCORES, "--input", "/dev/null", "--", mlserver.triplets, uri }
    local beside = io.open(os.getenv "RILLE_ONNXRUNTIME" or rille.program:match "^(.*)/[^/]*$" .. "/libonnxruntime.so")
    if beside then words[#words + 1] = mlserver.braai end
    local run = rille.start(words)
    assert.equal(0, run:wait(120), run:err() .. server:err())
    local lines = {}
    for line in run:out():gmatch "[^\n]+" do lines[#lines + 1] = line end
    assert.equal("holes\ttrue\ttrue", lines[1]) -- NaN goes and comes as null
    assert.equal("39\tscore\ttriplets", lines[2]:match "^%S+%s%S+%s%S+")
    near(numbers(lines[2]), truth())
    if not beside then
      pending "the scores are those published; in process: no libonnxruntime.so, make onnxruntime"
      return
    end
    beside:close()
    assert.equal(lines[1], lines[3])
    near(numbers(lines[4]), numbers(lines[2]))
  end)
end)
