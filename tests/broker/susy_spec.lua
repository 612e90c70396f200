-- examples/susy: TensorFlow-IO's tutorial on 10,000 rows, as examples/susy/README.md goes through it.
local proc = require "support.proc"
local rille = require "support.rille"

local folder = rille.root .. "/examples/susy"
local module = (os.getenv "RILLE_SO" or rille.root .. "/build/rille.so"):gsub("rille%.so$", "?.so")

describe("examples/susy", function()
  local ROWS, TRAINING = 10000, 6000
  local train, test, made, file

  local function finish(words, env)
    env = env or {}
    env.RILLE_BROKERS = rille.brokers
    local run = proc.start(words, { env = env })
    assert.equal(0, run:wait(120), run.command .. "\n" .. run:err())
    return run:out(), run:err()
  end

  local function run(script, ...)
    return (finish { rille.program, "run", "-q", folder .. "/" .. script, ... })
  end

  local function trained(path, epochs, topic)
    local lua = os.getenv "LUA" or "lua5.4"
    return finish({ lua, folder .. "/train.lua", rille.brokers, topic or train, path, epochs }, {
      LUA_CPATH_5_4 = module .. ";;", LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "",
    })
  end

  local function scores(out)
    local rows, accuracy, auc, loss = out:match "^(%d+) rows: accuracy ([%d.]+), AUC ([%d.]+), loss ([%d.]+)\n$"
    assert(rows, out)
    return tonumber(rows), tonumber(accuracy), tonumber(auc), tonumber(loss)
  end

  local function best_of(words) return assert(tonumber(words:match "best_test_auc=([%d.]+)"), words) end

  -- What the tutorial's first cells do, once for all tests.
  lazy_setup(function()
    train, test = rille.topic(), rille.topic { partitions = 2 }
    made = select(2, finish({ folder .. "/send", tostring(ROWS) }, { TRAIN = train, TEST = test, RILLE = rille.program }))
    file = proc.folder() .. "/susy.onnx"
  end)

  after_each(proc.end_all)

  it("make_rows.lua gives the same rows for a seed, and the best AUC there can be for them", function()
    local out, err = finish { "lua5.4", folder .. "/make_rows.lua", "500", "7" }
    assert.same({ out, err }, { finish { "lua5.4", folder .. "/make_rows.lua", "500", "7" } })
    assert.is_false(out == (finish { "lua5.4", folder .. "/make_rows.lua", "500", "8" }))
    local signal, background, best = err:match "^rows=500 signal=(%d+) background=(%d+) best_auc=([%d.]+) best_test_auc="
    assert.equal(500, signal + background)
    assert.equal("0.8760", best)
    local lines = 0
    for line in out:gmatch "[^\n]+" do
      local _, commas = line:gsub(",", "")
      assert.is_truthy(line:find "^[01]\t")
      assert.equal(17, commas)
      lines = lines + 1
    end
    assert.equal(500, lines)
    assert.is_true(math.abs(best_of(made) - 0.876) < 0.015, made)
  end)

  it("make_rows.lua reads the real file, gzip'd or not, and says when it is shorter", function()
    local dir = proc.folder()
    local row = "%s.000000000000000000e+00,9.728614687919616699e-01,6.538545489311218262e-01" .. (",1.5e-01"):rep(16) .. "\n"
    proc.write(dir .. "/SUSY.csv", row:format "0" .. row:format "1")
    local want = ("%d\t9.728614687919616699e-01,6.538545489311218262e-01" .. (",1.5e-01"):rep(16) .. "\n")
    assert(os.execute(("gzip -k %s/SUSY.csv"):format(dir)))
    for _, name in ipairs { "/SUSY.csv", "/SUSY.csv.gz" } do
      local out, err = finish { "lua5.4", folder .. "/make_rows.lua", "2", dir .. name }
      assert.equal(want:format(0) .. want:format(1), out)
      assert.equal("rows=2 signal=1 background=1\n", err)
    end
    local short = proc.start { "lua5.4", folder .. "/make_rows.lua", "3", dir .. "/SUSY.csv" }
    assert.equal(1, short:wait(10))
    assert.is_truthy(short:err():find("has 2 rows, not 3", 1, true), short:err())
  end)

  it("send splits 60 to 40, with the features as value and the label as key", function()
    local a, b = rille.read(train), rille.read(test)
    assert.same({ TRAINING, ROWS - TRAINING }, { #a, #b })
    local of = {}
    for _, r in ipairs(b) do
      of[r.k] = of[r.k] or r.p
      assert.equal(of[r.k], r.p, "a label has one partition")
    end
    assert.is_truthy(of["0"] and of["1"])
  end)

  it("train.lua learns, the same for a seed, and infer.lua scores every row once; the lag is 0", function()
    local out = trained(file, 10)
    local first, last = out:match "epoch 1: 6000 rows, loss ([%d.]+)", out:match "epoch 10: 6000 rows, loss ([%d.]+)"
    assert.is_true(tonumber(last) < tonumber(first) and tonumber(last) < 0.55, out)
    local again = proc.folder() .. "/again.onnx"
    assert.equal(out, trained(again, 10))
    assert.equal(proc.read(file), proc.read(again))

    local group = rille.name "testcg"
    local rows, accuracy, auc, loss = scores(run("infer.lua", "-t", test, "-G", group, "-e", "--", file))
    assert.equal(ROWS - TRAINING, rows)
    local best = best_of(made)
    assert.is_true(auc > best - 0.02 and auc < best + 0.01, auc .. " of " .. best)
    assert.is_true(accuracy > 0.77 and loss < 0.5, accuracy .. " " .. loss)
    assert.equal(0, rille.lag(group, test))
    assert.equal("0 rows\n", run("infer.lua", "-t", test, "-G", group, "-e", "--", file))
  end)

  -- 6,000 rows are too few to find out all that can be found.
  it("of 24,000 rows the network learns to within 0.01 of the best AUC that there can be", function()
    local more, rest, path = rille.topic(), rille.topic { partitions = 2 }, proc.folder() .. "/more.onnx"
    local _, words = finish({ folder .. "/send", "40000" }, { TRAIN = more, TEST = rest, RILLE = rille.program })
    trained(path, 4, more)
    local rows, _, auc = scores(run("infer.lua", "-t", rest, "-G", rille.name "testcg", "-e", "--", path))
    assert.equal(16000, rows)
    assert.is_true(math.abs(auc - best_of(words)) < 0.01, auc .. " of " .. words)
  end)

  it("infer.lua with --idle ends as the tutorial's stream time-out does, and scores the same", function()
    if proc.read(file) == "" then trained(file, 10) end
    local one, two = rille.name "testcg", rille.name "testcg"
    local by_idle = run("infer.lua", "-t", test, "-G", one, "--idle", "1", "--", file)
    local by_end = run("infer.lua", "-t", test, "-G", two, "-e", "--", file)
    assert.same({ scores(by_end) }, { scores(by_idle) })
    assert.same({ 0, 0 }, { rille.lag(one, test), rille.lag(two, test) })
  end)

  it("infer.lua scores the same in ONNX Runtime", function()
    if proc.read(file) == "" then trained(file, 10) end
    local words = { "run", "-q", folder .. "/infer.lua", "-b", rille.brokers, "-t", test, "-e", "--", file, "onnx" }
    local by_onnx = rille.start(words)
    local status = by_onnx:wait(60)
    local absent = by_onnx:err():match "there is no ONNX Runtime[^\n]*"
    if absent then return pending(absent) end
    assert.equal(0, status, by_onnx:err())
    local want, got = { scores(run("infer.lua", "-t", test, "-e", "--", file)) }, { scores(by_onnx:out()) }
    for i = 1, 4 do assert.is_true(math.abs(want[i] - got[i]) < 1e-3, by_onnx:out()) end
  end)

  it("online.lua learns from every row of a live group once it came, and goes on where it stopped", function()
    local group, path = rille.name "cgonline", proc.folder() .. "/online.onnx"
    local function learn()
      local out = run("online.lua", "-t", train, "-G", group, "--idle", "1", "--", path)
      assert.equal(0, rille.lag(group, train))
      return out, tonumber(out:match "(%d+) rows, accuracy [%d.]+ before learning\n$"),
        tonumber(out:match "accuracy ([%d.]+) before learning\n$")
    end
    local out, rows, accuracy = learn()
    assert.is_truthy(out:find("begins with a new network", 1, true))
    assert.equal(TRAINING, rows)
    assert.is_true(accuracy > 0.65, out)
    finish({ folder .. "/send", "2000", "5" }, { TRAIN = train, TEST = rille.topic(), RILLE = rille.program })
    out, rows, accuracy = learn()
    assert.is_truthy(out:find("goes on with", 1, true))
    assert.equal(1200, rows)
    assert.is_true(accuracy > 0.75, out)
  end)

  it("train.lua on a topic without rows fails and leaves the file as it was; brokers that differ are refused", function()
    local path = proc.write(proc.folder() .. "/susy.onnx", "as it was")
    local function fails(words, brokers, part)
      local process = proc.start({ os.getenv "LUA" or "lua5.4", folder .. "/train.lua", table.unpack(words) }, {
        env = { RILLE_BROKERS = brokers, LUA_CPATH_5_4 = module .. ";;", LD_PRELOAD = os.getenv "RILLE_PRELOAD" or "" },
      })
      assert.equal(1, process:wait(60), process:out())
      assert.is_truthy(process:err():find(part, 1, true), process:err())
      assert.equal("", process:out())
      assert.equal("as it was", proc.read(path))
    end
    fails({ rille.brokers, rille.topic(), path, "2" }, rille.brokers, "partition 0 has no complete row")
    fails({ "elsewhere:9092", train, path, "1" }, rille.brokers, "and the first argument elsewhere:9092: leave one out")
  end)

  it("online.lua goes on with a file only when it is whole, and never writes over one that is not", function()
    local path = proc.write(proc.folder() .. "/online.onnx", "damaged")
    local group = rille.name "cgonline"
    local words = { rille.program, "run", "-q", folder .. "/online.lua", "-t", train, "-G", group, "--idle", "1", "--", path }
    local process = proc.start(words, { env = { RILLE_BROKERS = rille.brokers } })
    assert.equal(2, process:wait(60), process:err())
    assert.is_truthy(process:err():find("online.onnx: ", 1, true), process:err())
    assert.equal("damaged", proc.read(path))
  end)

  it("online.lua saves after every fourth batch: a process that dies loses no more", function()
    local path, group = proc.folder() .. "/online.onnx", rille.name "cgonline"
    local process = proc.start({ rille.program, "run", "-q", folder .. "/online.lua", "-t", train, "-G", group, "--", path },
      { env = { RILLE_BROKERS = rille.brokers } })
    assert.is_true(proc.till(60, function() return proc.read(path) ~= "" end), process:err())
    process:kill "KILL"
    process:wait(10)
    local out = run("online.lua", "-t", train, "-G", group, "--idle", "1", "--", path)
    assert.is_truthy(out:find("goes on with", 1, true), out)
  end)

  -- On fewer rows, with a shorter time-out; the broker is there already.
  it("README.md: its commands run as they stand there, one after the other", function()
    rille.topic { name = "susy-train" }
    rille.topic { name = "susy-test", partitions = 2 }
    local dir, lines = proc.folder(), {}
    for block in proc.read(folder .. "/README.md"):gmatch "```sh\n(.-)```" do
      for line in block:gmatch "[^\n]+" do
        local other = line:find "^make" or line:find "^export" or line:find "^rille broker" or line:find "100000 SUSY.csv.gz |"
        if not other then lines[#lines + 1] = line:gsub("%-%-idle 10", "--idle 1") end
      end
    end
    assert.equal(9, #lines)
    assert(os.execute(("ln -s %s/examples %s/examples"):format(proc.quote(rille.root), dir)))
    local lua = ("lua5.4() { LD_PRELOAD=%s command %s \"$@\"; }\n"):format(
      proc.quote(os.getenv "RILLE_PRELOAD" or ""), os.getenv "LUA" or "lua5.4")
    local program = ("rille() { %s \"$@\"; }\n"):format(proc.quote(rille.program))
    local script = proc.write(dir .. "/tutorial", "set -e -o pipefail\n" .. lua .. program .. table.concat(lines, "\n") .. "\n")
    local out = finish({ "bash", "-c", ("cd %s && . %s"):format(dir, script) }, {
      LUA_CPATH_5_4 = module .. ";;", RILLE = rille.program, LD_PRELOAD = "",
    })
    assert.is_truthy(out:find("epoch 10: 6000 rows", 1, true), out)
    local _, twice = out:gsub("4000 rows: accuracy", "")
    assert.equal(2, twice)
    assert.is_truthy(out:find "total +0", out)
    assert.is_truthy(out:find("6000 rows, accuracy", 1, true), out)
  end)
end)
