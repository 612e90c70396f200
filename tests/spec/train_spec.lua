-- rille.mlp, rille.metrics, rille.shuffle: in the module and in handlers.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local program = require "support.rille"
local rille = require "rille"

local T = rille.tensor

local function has(text, part) assert.is_truthy(tostring(text):find(part, 1, true), tostring(text)) end

local function fails(part, f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  has(err, part)
end

local function near(want, got) assert.is_true(math.abs(want - got) <= 1e-12, ("%.17g, not %.17g"):format(got, want)) end

-- NaN, and printed as such: 0/0 is -nan on some processors.
local function is_nan(x) assert.equal("nan", tostring(x)) end

-- n points of a square, and whether they lie in a ring within it.
local function ring(n, seed)
  local x, y = {}, {}
  local function next_unit()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 1073741824 - 1
  end
  for i = 1, n do
    local a, b = next_unit(), next_unit()
    x[i], y[i] = { a, b }, a * a + b * b < 0.5
  end
  return T(x, "float32"), T(y)
end

local function trained(steps, options)
  options = options or {}
  local m = rille.mlp { 2, 32, 16, 1, learning_rate = 0.01, dropout = { 0.1, 0 }, seed = options.seed }
  local loss
  for i = 1, steps do loss = m:train(ring(64, i)) end
  return m, loss
end

describe("rille.mlp", function()
  it("has the tutorial's 68,481 parameters", function()
    local m = rille.mlp { 18, 128, 256, 128, 1, hidden = "relu", output = "sigmoid", dropout = { 0.2, 0.4, 0.4 } }
    assert.equal(68481, m.parameters)
    assert.equal("rille.mlp 18-128-256-128-1 (68481 parameters)", tostring(m))
    assert.same({ { name = "features", dtype = "float32", shape = { -1, 18 } } }, m.inputs)
    assert.same({ { name = "score", dtype = "float32", shape = { -1, 1 } } }, m.outputs)
  end)

  it("learns what no line divides, and the same from the same seed", function()
    local m, last = trained(600)
    local x, y = ring(1000, 4711)
    local loss, accuracy = m:evaluate(x, y)
    assert.is_true(accuracy > 0.93, accuracy)
    assert.is_true(loss < 0.25 and last < 0.4)
    assert.same(m(x):totable(), trained(600)(x):totable())
    assert.not_same(m(x):totable(), trained(600, { seed = 2 })(x):totable())
  end)

  it("is a model: a tensor in, a tensor out, also by name", function()
    local m = trained(1)
    local x = ring(300, 1)
    local scores = m(x)
    assert.same({ 300, 1 }, scores.shape)
    assert.equal("float32", scores.dtype)
    assert.same(scores:totable(), m { features = x }:totable())
    assert.same({ 0, 1 }, m(x:rows {}).shape)
    assert.same(m(x:to "float64"):totable(), scores:totable())
    local holes = m(T { { 1, 2 }, { rille.null, 2 }, { 3, 4 } }):totable()
    is_nan(holes[2][1])
    assert.is_true(holes[1][1] > 0 and holes[3][1] > 0)
  end)

  it("takes labels as columns, as integers, as booleans, in one column or none", function()
    local x = T { { 1, 2 }, { 3, 4 } }
    local want
    for _, y in ipairs { T { 1, 0 }, T { { 1.0 }, { 0.0 } }, T { true, false }, { 1, 0, n = 2 } } do
      local loss = rille.mlp({ 2, 4, 1 }):train(x, y)
      want = want or loss
      assert.equal(want, loss)
    end
    local two = rille.mlp { 2, 4, 2 }
    assert.is_true(two:train(x, T { { 1, 0 }, { 0, 1 } }) > 0)
    fails("does not go with [2] rows of 2", two.train, two, x, T { 1, 0 })
  end)

  it("names shapes and rows that do not do", function()
    local m = rille.mlp { 2, 4, 1 }
    local x = T { { 1, 2 }, { 3, 4 } }
    fails("the shape [1, 3] of x does not go with the network's [n, 2]", m, T { { 1, 2, 3 } })
    fails("the shape [3] of y does not go with [2] rows of 1", m.train, m, x, T { 1, 0, 1 })
    fails("row 2 of x has NaN", m.train, m, T { { 1, 2 }, { 3, rille.null } }, T { 1, 0 })
    fails("row 1 of x has an infinity", m.evaluate, m, T { { 1 / 0, 2 } }, T { 1 })
    fails("row 2 of y is 2.0", m.train, m, x, T { 1, 2 })
    fails("row 2 of y is nan", m.train, m, x, { 1, n = 2 })
    fails("no number but a string", m.train, m, x, { "s", "b" })
  end)

  it("of no rows learns nothing", function()
    local m = rille.mlp { 2, 4, 1 }
    local before = m(T { { 1, 2 } }):item()
    is_nan(m:train(T.zeros { 0, 2 }, T.zeros { 0 }))
    local loss, accuracy = m:evaluate(T.zeros { 0, 2 }, T.zeros { 0 })
    is_nan(loss)
    is_nan(accuracy)
    assert.equal(before, m(T { { 1, 2 } }):item())
  end)

  it("refuses what cannot be", function()
    for part, f in pairs {
      ["a network has 2 to 17 sizes"] = function() rille.mlp { 3 } end,
      ["the size of a layer must be an integer"] = function() rille.mlp { 3, "x" } end,
      ["no layer has the size 0"] = function() rille.mlp { 3, 0 } end,
      ["unknown option 'dropot' (did you mean 'dropout'?)"] = function() rille.mlp { 3, 1, dropot = 1 } end,
      ["dropout has 1 rates for 2 hidden layers"] = function() rille.mlp { 3, 4, 5, 1, dropout = { 0.1 } } end,
      ["dropout is from 0 to below 1, not 1"] = function() rille.mlp { 3, 4, 1, dropout = 1 } end,
      ["learning_rate is above 0, not -1"] = function() rille.mlp { 3, 1, learning_rate = -1 } end,
      ['hidden = "relu" is all there is'] = function() rille.mlp { 3, 1, hidden = "tanh" } end,
      ["seed must be an integer"] = function() rille.mlp { 3, 1, seed = 0.5 } end,
      ["a table is wanted"] = function() rille.mlp(3) end,
      ["a network has no 'fit'"] = function() return rille.mlp({ 3, 1 }).fit end,
      ["call it with a colon: mlp:train"] = function() rille.mlp({ 3, 1 }).train() end,
      ["rille.mlp has no 'lod' (did you mean 'load'?)"] = function() return rille.mlp.lod end,
      ["features must be a tensor, not nil"] = function() rille.mlp { 3, 1 }() end,
      ["unknown option 'feature'"] = function() rille.mlp { 3, 1 } { feature = T { { 1, 2, 3 } } } end,
    } do fails(part, f) end
  end)

  it("says that its numbers grew too large, before they are spoilt", function()
    local m = rille.mlp { 1, 1, learning_rate = 1e38 }
    m:train(T { { 1 } }, T { 0 })
    local score = m(T { { 0 } }):item()
    fails("scale the features", m.train, m, T { { 10 } }, T { 1 })
    assert.equal(score, m(T { { 0 } }):item())
  end)

  it("is saved and loaded whole", function()
    local m = trained(50)
    local x, y = ring(100, 3)
    local path = proc.folder() .. "/m.onnx"
    assert.is_true(m:save(path))
    local back = assert(rille.mlp.load(path))
    assert.same(m(x):totable(), back(x):totable())
    assert.equal(m.parameters, back.parameters)
    local other = rille.mlp { 2, 32, 16, 1 }
    assert.is_true(other:load(path))
    assert.same(m(x):totable(), other(x):totable())
    assert.is_true(back:train(x, y) > 0)
    assert.not_same(m(x):totable(), back(x):totable())
    has(select(2, rille.mlp({ 2, 3, 1 }):load(path)), "a network of other sizes")
    fails("dropout is from 0 to below 1", rille.mlp.load, path, { dropout = 2 })
    assert.is_truthy(rille.mlp.load(path, { dropout = 0.5, learning_rate = 1e-4, seed = 5 }))
  end)

  it("of a file that is none, or cannot be written, gives nil and says which", function()
    local dir = proc.folder()
    local m = rille.mlp { 2, 1 }
    local function refused(part, ok, err)
      assert.is_nil(ok)
      has(err, part)
    end
    refused("/nowhere/m.onnx: No such file", rille.mlp.load "/nowhere/m.onnx")
    refused("/nowhere/m.onnx: No such file", m:load "/nowhere/m.onnx")
    refused("/nowhere/m.onnx: No such file", m:save "/nowhere/m.onnx")
    refused("bad: no network that rille.mlp wrote", rille.mlp.load(proc.write(dir .. "/bad", "not ONNX")))
    assert.is_true(m:save(dir .. "/m"))
    local whole, before = proc.read(dir .. "/m"), m(T { { 1, 2 } }):item()
    refused("cut: a damaged file", m:load(proc.write(dir .. "/cut", whole:sub(1, -2))))
    local flipped = whole:gsub("rille%.mlp", "rille.mlq")
    refused("flipped: no network", m:load(proc.write(dir .. "/flipped", flipped)))
    assert.equal(before, m(T { { 1, 2 } }):item())
  end)
end)

describe("rille.metrics", function()
  it("give what scikit-learn gives", function()
    local metrics = rille.metrics
    local score, label = T { 0.1, 0.4, 0.35, 0.8 }, T { 0, 0, 1, 1 }
    near(0.75, metrics.auc():update(score, label):value())
    near(0.75, metrics.accuracy():update(score, label):value())
    near(0.21616187468057912, metrics.log_loss():update(T({ 0.9, 0.1, 0.2, 0.65 }, "float64"), T { 1, 0, 0, 1 }):value())
    local c = metrics.confusion({ threshold = 0.375 }):update(score, label):value()
    assert.same({ 1, 1, 1, 1 }, { c.tp, c.fp, c.tn, c.fn })
    assert.same({ 0.5, 0.5, 0.5 }, { c.precision, c.recall, c.f1 })
  end)

  it("add up over batches of any shape and type", function()
    local auc, accuracy = rille.metrics.auc(), rille.metrics.accuracy()
    for _, metric in ipairs { auc, accuracy } do
      metric:update(T { { 0.1 }, { 0.4 } }, { false, false }):update({ 0.35 }, T({ 1 }, "uint8"))
      metric:update(T { { 9, 0.8 } }:column(2), T { true }):update(T.zeros { 0 }, T.zeros { 0, 1 })
      near(0.75, metric:value())
      metric:reset()
      is_nan(metric:value())
    end
    near(0.5, auc:update(T { 1, 1, 1 }, T { 0, 1, 0 }):value())
  end)

  it("have no value of nothing, nor an area of one kind", function()
    for _, name in ipairs { "auc", "accuracy", "log_loss" } do is_nan(rille.metrics[name]():value()) end
    is_nan(rille.metrics.auc():update(T { 0.5 }, T { 1 }):value())
    is_nan(rille.metrics.confusion():value().precision)
  end)

  it("name what does not do, and add nothing then", function()
    local auc = rille.metrics.auc()
    fails("scores of the shape [2] do not go with labels of [1]", auc.update, auc, T { 1, 2 }, T { 1 })
    fails("the shape [1, 2] of the scores", auc.update, auc, T { { 1, 2 } }, T { 1 })
    fails("the score of row 2 is NaN", auc.update, auc, { 0.5, n = 2 }, T { 1, 0 })
    fails("the label of row 1 is 0.5: labels are 0 and 1", auc.update, auc, T { 1 }, T { 0.5 })
    fails("the labels must be a tensor, not nil", auc.update, auc, T { 1 })
    local loss = rille.metrics.log_loss()
    fails("the score of row 1 is 2", loss.update, loss, T { 2 }, T { 1 })
    is_nan(auc:value())
    fails("unknown option 'thresold' (did you mean 'threshold'?)", rille.metrics.accuracy, { thresold = 1 })
    fails("a metric has no 'add'", function() return auc.add end)
  end)
end)

describe("rille.shuffle", function()
  -- 1 … n through a buffer, ten at a time: the order in which they came out, and the mini-batches' lengths.
  local function through(n, size, seed)
    local buffer = rille.shuffle { size = size, seed = seed }
    local order, lengths = {}, {}
    local function take(x, y)
      assert.equal(#x, #y)
      lengths[#lengths + 1] = #x
      for i = 1, #x do
        assert.equal(x[i][1], y[i] / 2)
        order[#order + 1] = y[i]
      end
    end
    for from = 1, n, 10 do
      local x, y = {}, {}
      for i = 1, 10 do x[i], y[i] = { (from + i - 1) / 2 }, from + i - 1 end
      buffer:add(T(x, "float32"), T(y))
      for a, b in buffer:batches(8) do take(a, b) end
      assert.is_true(#buffer < size + 8)
    end
    for a, b in buffer:rest(8) do take(a, b) end
    assert.equal(0, #buffer)
    return order, lengths
  end

  it("gives each row once, mixed, in mini-batches of which only the last is smaller", function()
    local order, lengths = through(100, 30)
    local sorted = table.move(order, 1, #order, 1, {})
    table.sort(sorted)
    for i = 1, 100 do assert.equal(i, sorted[i]) end
    assert.not_same(sorted, order)
    for i = 1, 12 do assert.equal(8, lengths[i]) end
    assert.same({ 4 }, { table.unpack(lengths, 13) })
    assert.same(order, (through(100, 30)))
    assert.not_same(order, (through(100, 30, 2)))
  end)

  it("keeps to the shapes and types of the first rows", function()
    local buffer = rille.shuffle { size = 0 }
    buffer:add(T { { 1, 2 } }, { 1 })
    fails("tensor 1 holds rows of int64 [1], those before of int64 [2]", buffer.add, buffer, T { { 1 } }, { 1 })
    fails("tensor 1 has 1 rows, tensor 2 has 2", buffer.add, buffer, T { { 1, 2 } }, { 1, 0 })
    fails("a row has 1 parts, those before had 2", buffer.add, buffer, T { { 1, 2 } })
    fails("size is wanted", rille.shuffle, {})
    fails("unknown option 'capacity'", rille.shuffle, { capacity = 1 })
    fails("a mini-batch has 1 row or more", buffer.batches, buffer, 0)
    fails("a shuffle buffer has no 'next'", function() return buffer.next end)
    assert.equal("rille.shuffle (1 rows, size 0)", tostring(buffer))
  end)
end)

describe("in a handler", function()
  after_each(proc.end_all)

  local function run(text, ...)
    local process = program.start({ "run", "--code", text, "--input", "-", "--input-format", "lines", "-q", ... },
      { stdin = "x\n" })
    return process:wait(60), process:out(), process:err()
  end

  it("a saved network is a model: ONNX Runtime gives the same scores", function()
    local runtime = os.getenv "RILLE_ONNXRUNTIME" or program.program:match "^(.*)/[^/]*$" .. "/libonnxruntime.so"
    local there = io.open(runtime)
    if not there then pending(runtime .. " is not there: make onnxruntime") end
    there:close()
    local text = [[return function()
      local x, y = rille.tensor.zeros { 500, 18 }, rille.tensor.zeros { 500 }
      x = (x + rille.tensor(arg)):to "float32"
      local rows = {}
      for i = 1, 500 do rows[i] = { math.sin(i), i % 7 } end
      x = x * rille.tensor(rows, "float32"):column(1):reshape(-1, 1)
      local m = rille.mlp { 18, 128, 256, 128, 1, dropout = { 0.2, 0.4, 0.4 } }
      for _ = 1, 20 do m:train(x, x:column(1):gt(0)) end
      assert(m:save(arg.path))
      local model = rille.model(arg.path)
      local far = model(x) - m(x)
      print(model.inputs[1].name, model.inputs[1].shape[2], model.outputs[1].name, #model(x))
      print(far:max() < 1e-5, far:min() > -1e-5, m(x):std() > 0.01)
    end]]
    local path = proc.folder() .. "/m.onnx"
    local numbers = {}
    for i = 1, 18 do numbers[i] = ("%g"):format(i / 7 - 1) end
    text = ("local arg = { path = %q, %s }; "):format(path, table.concat(numbers, ", ")) .. text
    local process = program.start({ "run", "--code", text, "--input", "-", "--input-format", "lines", "-q" },
      { stdin = "x\n", env = { RILLE_ONNXRUNTIME = runtime } })
    assert.equal(0, process:wait(60), process:err())
    assert.equal("features\t18\tscore\t500\ntrue\ttrue\ttrue\n", process:out())
  end)

  it("memory counts against the state's limit, and garbage is no memory", function()
    local status, _, err = run("return function() rille.mlp { 4096, 4096, 1 } end", "--limits-memory", "100MiB")
    assert.equal(4, status)
    has(err, "not enough memory")
    local out
    status, out, err = run("return function() for i = 1, 100 do rille.mlp { 1024, 1024, 1 } end print 'fine' end",
      "--limits-memory", "100MiB")
    assert.equal(0, status, err)
    assert.equal("fine\n", out)
    status, _, err = run([[return function()
      local m, auc = rille.mlp { 1, 4096, 1 }, rille.metrics.auc()
      local x = rille.tensor.zeros { 100000, 1 }
      for i = 1, 50 do auc:update(x, x) end
      m:train(x, x)
    end]], "--limits-memory", "100MiB")
    assert.equal(4, status)
    has(err, "not enough memory")
  end)

  it("a row that does not do is the message's fault; a misused network the script's", function()
    local status, _, err = run "return function() rille.mlp { 1, 1 }:train(rille.tensor { { 0 / 0 } }, { 1 }) end"
    assert.equal(4, status)
    has(err, "row 1 of x has NaN")
    has(err, "stdin[0] offset 0")
    status, _, err = run "return function() rille.mlp { 1, 1 }:train(5) end"
    assert.equal(4, status)
    has(err, "x must be a tensor, not number")
  end)
end)
