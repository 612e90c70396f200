-- rille.model with ONNX Runtime: real models against their truth, where the library is looked for, the declarations
-- against the official header, and the manual's examples, each run.
package.path = "tests/broker/?.lua;" .. package.path
local pages = require "support.pages"
local proc = require "support.proc"
local onnx = require "support.onnx"
local program = require "support.rille"
local wire = require "support.wire"

local build = program.program:match "^(.*)/[^/]*$"
local fetched = "build/onnxruntime/"
local runtime = os.getenv "RILLE_ONNXRUNTIME" or build .. "/libonnxruntime.so"

local function is_there(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function needs(path) if not is_there(path) then pending(path .. " is not there: make onnxruntime-test") end end

local function absolute(path)
  local pipe = assert(io.popen("realpath " .. proc.quote(path)))
  local whole = pipe:read "l"
  pipe:close()
  return whole
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

-- Runs a handler on one message: status, output, errors.
local function run(text, options)
  options = options or {}
  local words = { "env", "-C", options.cwd or ".", options.program or program.program, "run", "--code", text }
  for _, word in ipairs { "--input", "-", "--input-format", "lines" } do words[#words + 1] = word end
  for _, word in ipairs(options.words or {}) do words[#words + 1] = word end
  local env = { RILLE_ONNXRUNTIME = options.runtime or runtime }
  for name, value in pairs(options.env or {}) do env[name] = value end
  local process = proc.start(words, { stdin = options.stdin or "1\n", env = env })
  return process:wait(60), process:out(), process:err()
end

describe("the declarations of ONNX Runtime", function()
  local function arguments(list)
    local _, commas = list:gsub("%b()", ""):gsub(",", "")
    return list:find "%S" and commas + 1 or 0
  end

  -- Ours: { { name, place in the table, number of arguments } ... }.
  local function ours()
    local text = proc.read "src/model/onnx_api.h"
    local body, list, at = text:match "struct rl_ort_api (%b{})":gsub("/%*.-%*/", ""), {}, 0
    for member in body:sub(2, -2):gmatch "%s*([^;]+);" do
      local first, last = member:match "^RL_ORT_GAP%((%d+), (%d+)%)$"
      local name, args = member:match "^RL_ORT%((%w+), (.*)%)$"
      local released = member:match "^RL_ORT_RELEASE%((%w+)%)$"
      if first then
        assert.equal(at, tonumber(first))
        at = tonumber(last)
      elseif released then
        list[#list + 1] = { "Release" .. released, at, 1 }
      else
        if not name then name, args = member:match "%(%*(%w+)%)%((.*)%)$" end
        list[#list + 1] = { name, at, arguments(args) }
      end
      at = at + 1
    end
    return list
  end

  it("stand where the official table has them, with as many arguments", function()
    local path = fetched .. "ort-sys/lib.rs"
    needs(path)
    local body, theirs, at = proc.read(path):match "pub struct OrtApi {\n(.-)\n}\n", {}, 0
    for name, kind in (body:gsub("\tpub ", "\0"):gsub("$", "\0")):gmatch "%z([%w_]+):%s([^%z]*)" do
      local _, n = (kind:match "fn(%b())" or ""):gsub("[%w_]+: ", "")
      theirs[name] = { name, at, n }
      at = at + 1
    end
    assert.is_true(at > 250, at .. " functions were found")
    local list = ours()
    assert.is_true(#list > 30)
    for _, own in ipairs(list) do assert.same(theirs[own[1]], own) end
  end)

  it("are the official header's: places, types and numbers", function()
    local folder = os.getenv "ONNXRUNTIME_HEADER" or fetched .. "header"
    if not is_there(folder .. "/onnxruntime_c_api.h") then
      pending(folder .. " (ONNXRUNTIME_HEADER) has no onnxruntime_c_api.h: make onnx-header")
    end
    -- A sanitizer's library, which the interpreter may have been started with, is not for the compiler.
    local check = proc.start { "env", "-u", "LD_PRELOAD", os.getenv "CC" or "gcc", "-std=c17", "-Wall", "-Werror",
      "-fsyntax-only", "-Isrc", "-I" .. folder, "tests/deps/onnx_header.c" }
    assert.equal(0, check:wait(60), check:err())
  end)
end)

describe("where ONNX Runtime is looked for", function()
  after_each(proc.end_all)

  local SCORE = [[local m = rille.model(arg[1])
    return function() print(m(rille.tensor({ { 1, 2 } }, "float32")).score[1][1]) end]]

  local function folder_with(...)
    local folder = proc.folder()
    onnx.linear(folder .. "/m.onnx", { 1, 10 })
    for _, command in ipairs { ... } do assert(os.execute(("cd %s && %s"):format(proc.quote(folder), command))) end
    return folder
  end

  local function copy_of_program()
    return "mkdir -p usr/bin && cp " .. proc.quote(absolute(program.program)) .. " usr/bin/rille"
  end

  local function score(folder, options)
    options.words = { "--", folder .. "/m.onnx" }
    options.program = options.program or folder .. "/usr/bin/rille"
    return run(SCORE, options)
  end

  it("RILLE_ONNXRUNTIME, beside the program, in lib/rille", function()
    needs(runtime)
    local link = "ln -s " .. proc.quote(absolute(runtime)) .. " "
    local cases = {
      { { copy_of_program() }, absolute(runtime) },
      { { copy_of_program(), link .. "usr/bin/libonnxruntime.so" }, "" },
      { { copy_of_program(), "mkdir -p usr/lib/rille", link .. "usr/lib/rille/libonnxruntime.so" }, "" },
    }
    for _, case in ipairs(cases) do
      local status, out, err = score(folder_with(table.unpack(case[1])), { runtime = case[2] })
      assert.equal(0, status, err)
      assert.equal("21.0\n", out)
    end
  end)

  it("never in the working directory; and without one, the command to run is said at the load", function()
    needs(runtime)
    local folder = folder_with(copy_of_program(), "ln -s " .. proc.quote(absolute(runtime)) .. " libonnxruntime.so")
    local status, out, err = score(folder, { runtime = "", cwd = folder })
    if status == 0 then pending "this system has an ONNX Runtime of its own" end
    assert.equal(2, status, err)
    assert.equal("", out)
    has(err, "there is no ONNX Runtime: `make onnxruntime`")
    local relative = table.pack(score(folder, { runtime = "libonnxruntime.so", cwd = folder }))
    assert.equal(2, relative[1])
    has(relative[3], "an absolute path is wanted")
  end)

  it("one that is there and does not load is told with its file and the reason", function()
    local garbage = "echo garbage > "
    local places = { "usr/bin/libonnxruntime.so", "usr/lib/rille/libonnxruntime.so" }
    for _, place in ipairs(places) do
      local folder = folder_with(copy_of_program(), "mkdir -p usr/lib/rille", garbage .. place)
      local status, out, err = score(folder, { runtime = "" })
      if status == 0 then pending "this system has an ONNX Runtime of its own" end
      assert.equal(2, status, err)
      assert.equal("", out)
      has(err, "libonnxruntime.so, which is there, does not load: ")
      has(err, folder .. "/usr/")
      has(err, "file too short")
      assert.is_nil(err:find("there is no ONNX Runtime", 1, true), err)
    end
  end)

  it("one that is looked for next is taken although the first does not load", function()
    needs(runtime)
    local link = "ln -s " .. proc.quote(absolute(runtime)) .. " usr/lib/rille/libonnxruntime.so"
    local folder = folder_with(copy_of_program(), "mkdir -p usr/lib/rille", "echo garbage > usr/bin/libonnxruntime.so", link)
    local status, out, err = score(folder, { runtime = "" })
    assert.equal(0, status, err)
    assert.equal("21.0\n", out)
  end)

  it("a system's that does not load is told, too", function()
    local folder = folder_with(copy_of_program(), "mkdir -p lib && echo garbage > lib/libonnxruntime.so.1")
    local status, _, err = score(folder, { runtime = "", env = { LD_LIBRARY_PATH = folder .. "/lib" } })
    if status == 0 then pending "this system has an ONNX Runtime of its own" end
    assert.equal(2, status, err)
    has(err, folder .. "/lib/libonnxruntime.so.1: file too short")
  end)

  it("a model that is missing is told at the load, with its path, in one line", function()
    local status, _, err = run [[rille.model "/nowhere/m.onnx" return function() end]]
    assert.equal(2, status)
    has(err, "onnx:/nowhere/m.onnx: cannot read the file: No such file or directory")
  end)
end)

describe("a run under way", function()
  after_each(proc.end_all)

  -- Opened in the handler: limits.time is the load's as well, and a slow machine may need it for the library.
  local FOREVER = [[return function()
      local m = rille.model(arg[1])
      print "it runs" io.flush()
      while true do pcall(m, rille.tensor({ 1 }, "float32")) end
    end]]

  local function forever(...)
    needs(runtime)
    local words = { program.program, "run", "--code", FOREVER, "--input", "-", "--input-format", "lines", ... }
    for _, word in ipairs { "--", onnx.loop(proc.folder() .. "/loop.onnx", 1 << 50) } do words[#words + 1] = word end
    return proc.start(words, { stdin = "1\n", env = { RILLE_ONNXRUNTIME = runtime } })
  end

  it("is ended by limits.time, and the batch is to blame", function()
    local endless = forever("--limits-time", "2")
    assert.equal(4, endless:wait(30), endless:err())
    has(endless:err(), "the call took longer than limits.time (2")
  end)

  it("is ended by a stop, when the drain is over", function()
    local endless = forever("--drain", "0.5")
    assert.is_true(proc.till(20, function() return endless:out() == "it runs\n" end), endless:err())
    endless:kill "TERM"
    assert.equal(0, endless:wait(20), endless:err())
    has(endless:err(), "batch 1 is left unfinished")
  end)
end)

-- A run that is as slow each time: no message is to blame for it, and it is not tried for ever without a rest.
describe("a time-out in this process", function()
  after_each(proc.end_all)

  local SLOW = [[
    local tries, m = 0, nil
    return { backoff = 0.1, backoff_max = 0.4, retries = 0, handle = function(batch)
      m = m or rille.model(arg[1], { timeout = tonumber(arg[2]) })
      tries = tries + 1
      io.write("try ", tries, "\n") io.flush()
      if tries < tonumber(arg[3]) then m(rille.tensor({ 1 }, "float32")) end
    end }]]

  local function slow(timeout, tries, ...)
    needs(runtime)
    local words = { program.program, "run", "--code", SLOW, "--input", "-", "--input-format", "lines", ... }
    local loop = onnx.loop(proc.folder() .. "/loop.onnx", 1 << 50)
    for _, word in ipairs { "--", loop, timeout, tries } do words[#words + 1] = word end
    return proc.start(words, { stdin = "1\n", env = { RILLE_ONNXRUNTIME = runtime } })
  end

  it("s4_1 is the weather: the batch is tried again, and nothing is dead-lettered", function()
    local dead = proc.folder() .. "/dead"
    local process = slow("0.2", "4", "--dead-letter", "file:" .. dead)
    assert.equal(0, process:wait(30), process:err())
    assert.equal("try 1\ntry 2\ntry 3\ntry 4\n", process:out())
    has(process:err(), "the run took longer than its timeout (0.2 s)")
    assert.is_false(is_there(dead) and proc.read(dead) ~= "")
  end)

  it("s4_1 ends when the outage is over", function()
    local process = slow("0.2", "1000", "--outage", "2")
    assert.equal(4, process:wait(30), process:err())
    has(process:err(), "gave up after --outage 2 s: ")
    has(process:err(), "the run took longer than its timeout (0.2 s)")
    assert.is_truthy(process:out():find "try 3\n")
  end)

  it("s4_1 ends at once on a signal", function()
    local process = slow("0.2", "1000")
    assert.is_true(proc.till(20, function() return process:out():find "try 4\n" ~= nil end), process:err())
    local began = os.time()
    process:kill "TERM"
    assert.equal(0, process:wait(20), process:err())
    assert.is_true(os.time() - began <= 2, process:err())
  end)

  it("limits.time that is shorter is the batch's all the same", function()
    local process = slow("60", "1000", "--limits-time", "3")
    assert.equal(4, process:wait(30), process:err())
    has(process:err(), "the call took longer than limits.time (3")
  end)
end)

describe("a network of rille.mlp", function()
  after_each(proc.end_all)

  it("is the same in ONNX Runtime, within 1e-5", function()
    needs(runtime)
    local status, out, err = run([[
      local net = rille.mlp { 5, 16, 8, 2, hidden = "relu", output = "sigmoid", seed = 3 }
      local x = {}
      for i = 1, 64 do
        x[i] = {}
        for j = 1, 5 do x[i][j] = math.sin(i * 7 + j * 3) * 4 end
      end
      x = rille.tensor(x, "float32")
      local y = rille.tensor.stack({ x:column(1):gt(0):to "float32", x:column(2):gt(1):to "float32" }, -1)
      for _ = 1, 20 do net:train(x, y) end
      assert(net:save(arg[1]))
      local saved = rille.model(arg[1], { batch = 10 })
      local here, there = net(x), saved(x)
      return function() print(#here, here.shape[2], (here - there):max() < 1e-5, (there - here):max() < 1e-5) end]],
      { words = { "--", proc.folder() .. "/net.onnx" } })
    assert.equal(0, status, err)
    assert.equal("64\t2\ttrue\ttrue\n", out)
  end)
end)

-- The truth stands in the CSV beside the triplets: scores of the models' own authors.
describe("real models", function()
  after_each(proc.end_all)

  local FEATURES = "drb diffmaglim ra dec magpsf sigmapsf chipsf fwhm sky chinr sharpnr sgscore1 distpsnr1 sgscore2 "
    .. "distpsnr2 sgscore3 distpsnr3 ndethist ncovhist scorr nmtchps clrcoeff clrcounc neargaia neargaiabright"
  local TRUTH = [[
    local folder, names, fields = arg[1], {}, {}
    for name in ("%s"):gmatch "%%S+" do names[#names + 1] = name end
    for _, name in ipairs(names) do fields[#fields + 1] = { path = name, type = "f64" } end
    for _, name in ipairs { "acai_h", "acai_v", "acai_o", "acai_n", "acai_b", "new_drb" } do
      fields[#fields + 1] = { path = name, type = "f64" }
    end
    local function count(name, scores, batch)
      local truth, near = batch.columns[name], 0
      for i = 1, #batch do near = near + (math.abs(scores[i][1] - truth[i]) <= 1e-6 and 1 or 0) end
      print(name, near, #batch)
    end
    return { decode = "csv", csv = { header = true }, fields = fields, handle = function(batch)
      local features, complete = batch:tensor(names)
      local triplets = assert(rille.tensor.load(folder .. "/usage_triplets.npy"))
      assert(#features:rows(complete) == 39 and triplets.dtype == "float64")
      for kind in ("hvonb"):gmatch "." do
        local m = rille.model(folder .. "/acai_" .. kind .. ".d1_dnn_20201130.onnx", { batch = tonumber(arg[2]) })
        count("acai_" .. kind, m { features = features, triplets = triplets }, batch)
      end
      count("new_drb", rille.model(folder .. "/braai_d6_m9.onnx", { batch = tonumber(arg[2]) })(triplets), batch)
    end }]]
  local WANT = "acai_h\t39\t39\nacai_v\t39\t39\nacai_o\t39\t39\nacai_n\t39\t39\nacai_b\t39\t39\nnew_drb\t39\t39\n"

  local function check(library, batch)
    local files, why = wire.data "models/usage_candidates.csv"
    if not files then pending(why) end
    needs(library)
    local words = { program.program, "run", "--code", TRUTH:format(FEATURES), "--input", files[1], "--input-format", "whole",
      "--", files[1]:match "^(.*)/", batch }
    local process = proc.start(words, { env = { RILLE_ONNXRUNTIME = library } })
    assert.equal(0, process:wait(120), process:err())
    assert.equal(WANT, process:out())
  end

  it("ACAI and braai give their authors' scores, 39 of 39 within 1e-6", function() check(runtime) end)
  it("the same when the batch is split", function() check(runtime, "10") end)
  it("the same with the oldest runtime that is tested", function()
    needs(fetched .. "1.20.0/libonnxruntime.so")
    check(absolute(fetched .. "1.20.0/libonnxruntime.so"))
  end)
end)

-- What follows --> in an example is what it prints.
describe("rille-model(7)", function()
  after_each(proc.end_all)

  local alerts = '{"id":"ZTF1","mag":17.5,"rb":0.5}\n{"id":"ZTF2","mag":18.5,"rb":0.75}\n{"id":"ZTF3","rb":0.9}\n'
  for i, block in ipairs(pages.examples "src/man/rille-model.7.in") do
    local want = {}
    for line in block:gmatch "%-%-> ([^\n]*)" do want[#want + 1] = line .. "\n" end
    if #want > 0 then
      it(("example %d prints what it says"):format(i), function()
        needs(runtime)
        local folder = proc.folder()
        onnx.linear(folder .. "/score.onnx", { 1, 10 })
        local text = block
        if not text:find("handle = ", 1, true) then
          text = ("return { fields = { 'id', 'mag', 'rb' }, handle = function(batch, out) %s\nend }"):format(block)
        end
        local status, out, err = run(text, { stdin = alerts, cwd = folder })
        assert.equal(0, status, err)
        assert.equal(table.concat(want), out)
      end)
    end
  end
end)
