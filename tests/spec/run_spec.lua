-- tests/run itself: what it must never take for a pass. Runs it in a small tree of its own.
package.path = "tests/broker/?.lua;" .. package.path
local sh = require "support.sh"

local folder

local function write(path, text, mode)
  local file = assert(io.open(folder .. "/" .. path, "w"))
  file:write(text)
  file:close()
  if mode then sh(("chmod %s %s/%s"):format(mode, folder, path)) end
end

-- A unit program, as a shell script, and the source that names it.
local function unit(name, script)
  write("tests/unit/" .. name .. ".c", "")
  write("build/unit/" .. name, "#!/bin/sh\n" .. script, "755")
end

-- What the tests/run around this one was told is not for this one.
local function run(environment, arguments)
  local clean = "env -u BUILD -u RILLE -u WRAP -u ONLY -u RILLE_PRELOAD -u LD_PRELOAD"
  return sh(("%s %s %s/tests/run %s"):format(clean, environment or "", folder, arguments or ""))
end

local function last_line(out) return out:match "([^\n]*)\n*$" end

describe("tests/run", function()
  before_each(function()
    folder = sh("mktemp -d"):match "%S+"
    sh(("mkdir -p %s/tests/unit %s/tests/spec %s/tests/broker %s/build/unit"):format(folder, folder, folder, folder))
    sh("cp tests/run tests/tap.lua tests/busted.lua " .. folder .. "/tests/")
  end)
  after_each(function() sh("rm -rf " .. folder) end)

  it("sums unit programs and specs", function()
    unit("base_a", "echo 'ok one'; echo 'ok two'; echo '2 passed, 0 failed'")
    write("tests/spec/a_spec.lua", "it('three', function() end)")
    local out, status = run()
    assert.equal("3 passed, 0 failed", last_line(out), out)
    assert.equal(0, status)
  end)

  it("fails when a test failed and shows why", function()
    unit("base_a", "echo 'ok one'; echo '  x.c:1: not: it'; echo 'not ok two'; echo '1 passed, 1 failed'; exit 1")
    write("tests/spec/a_spec.lua", "it('bad', function() error 'spilled' end) it('worse', function() assert.equal(1, 2) end)")
    local out, status = run()
    assert.equal("1 passed, 3 failed", last_line(out), out)
    assert.equal(1, status)
    assert.truthy(out:find("x.c:1: not: it", 1, true), out)
    assert.truthy(out:find("spilled", 1, true), out)
    assert.truthy(out:find("not ok 2 - worse", 1, true), out)
  end)

  it("tells what was left out and why, of one file and one reason in one line", function()
    local three = "for _, n in ipairs { 'b', 'c', 'd' } do it(n, function() pending '100% of the time' end) end\n"
    write("tests/spec/a_spec.lua", three ..
      "it('one', function() end) it('alone', function() pending 'no camera' end)")
    local out, status = run()
    assert.equal(0, status, out)
    assert.truthy(out:find("tests/spec/a_spec.lua: 3 tests: 100% of the time\n", 1, true), out)
    assert.truthy(out:find("a_spec.lua: alone: tests/spec/a_spec.lua:2: no camera\n", 1, true), out)
    assert.truthy(out:find("\n4 skipped\n1 passed, 0 failed", 1, true), out)
  end)

  it("fails when a program dies before it said its results", function()
    unit("base_a", "echo 'ok one'; kill -SEGV $$")
    local out, status = run()
    assert.equal("1 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
    assert.truthy(out:find("died with status 139", 1, true), out)
  end)

  it("fails when a program ends badly though its tests passed, as a leak does", function()
    unit("base_a", "echo 'ok one'; echo '1 passed, 0 failed'; exit 23")
    local out, status = run()
    assert.equal("1 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
  end)

  it("takes a variant's own ONNX Runtime, else the plain build's, and what the environment says before both", function()
    local function taken(environment)
      local out = run("env -u RILLE_ONNXRUNTIME BUILD=" .. folder .. "/build/x " .. (environment or ""))
      return out:match "runtime=(%S*)", out
    end
    unit("base_a", "")
    sh(("mkdir -p %s/build/x && mv %s/build/unit %s/build/x/"):format(folder, folder, folder))
    write("build/x/unit/base_a", "#!/bin/sh\necho runtime=$RILLE_ONNXRUNTIME; echo 'not ok a'; echo '0 passed, 1 failed'")
    assert.equal("", (taken()))
    write("build/libonnxruntime.so", "")
    assert.equal(folder .. "/build/libonnxruntime.so", (taken()))
    write("build/x/libonnxruntime.so", "")
    assert.equal(folder .. "/build/x/libonnxruntime.so", (taken()))
    assert.equal("/mine.so", (taken "RILLE_ONNXRUNTIME=/mine.so"))
  end)

  it("fails when a program is missing", function()
    write("tests/unit/base_a.c", "")
    local out, status = run()
    assert.equal("0 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
  end)

  it("fails when a spec does not load, exits early or has no test", function()
    write("tests/spec/a_spec.lua", "this is no Lua")
    write("tests/spec/b_spec.lua", "it('one', function() end) it('two', function() os.exit(0) end)")
    write("tests/spec/c_spec.lua", "local nothing")
    local out, status = run()
    assert.equal("1 passed, 3 failed", last_line(out), out)
    assert.equal(1, status)
  end)

  it("ends what hangs", function()
    unit("base_a", "echo 'ok one'; exec sleep 60")
    local out, status = run "TIMEOUT=1"
    assert.equal("1 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
    assert.truthy(out:find("took longer than 1 s", 1, true), out)
  end)

  it("tells what was left out, and why", function()
    write("tests/spec/a_spec.lua", "it('one', function() end) it('two', function() pending 'needs a moon' end)")
    local out, status = run()
    assert.equal("1 passed, 0 failed", last_line(out), out)
    assert.truthy(out:find("\n1 skipped\n1 passed, 0 failed", 1, true), out)
    assert.equal(0, status)
    assert.truthy(out:find "two: .*needs a moon", out)
  end)

  it("fails when nothing ran", function()
    local out, status = run()
    assert.equal("0 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
    unit("base_a", "echo 'ok one'; echo '1 passed, 0 failed'")
    out, status = run("", "no-such-file")
    assert.equal("0 passed, 1 failed", last_line(out), out)
    assert.equal(1, status)
  end)

  it("takes kinds and filters", function()
    unit("base_a", "echo 'ok one'; echo '1 passed, 0 failed'")
    unit("base_b", "echo 'not ok one'; echo '0 passed, 1 failed'; exit 1")
    write("tests/spec/a_spec.lua", "it('bad', function() error 'spilled' end)")
    assert.equal("1 passed, 0 failed", last_line((run("ONLY=unit", "base_a"))))
    assert.equal("0 passed, 1 failed", last_line((run "ONLY=spec")))
  end)

  describe("with Kafka", function()
    local function broker(script)
      write("tests/broker/a_spec.lua", "")
      write("tests/broker/b_spec.lua", "")
      write("tests/broker/run", "#!/bin/sh\n" .. script, "755")
    end

    it("sums the files of one run", function()
      broker [[
        echo '# a_spec.lua: status 0, 3 s'; echo 'ok 1 - one'; echo '1..1'
        echo '# b_spec.lua: status 1, 4 s'; echo 'not ok 1 - two'; echo '# because'; echo '1..1'; exit 1]]
      local out, status = run()
      assert.equal("1 passed, 1 failed", last_line(out), out)
      assert.equal(1, status)
      assert.truthy(out:find("# because", 1, true), out)
    end)

    it("fails when a file says nothing", function()
      broker "echo '# a_spec.lua: status 0, 3 s'; echo 'ok 1 - one'; echo '1..1'"
      local out, status = run()
      assert.equal("1 passed, 1 failed", last_line(out), out)
      assert.equal(1, status)
    end)

    it("fails when Kafka does not start", function()
      broker "echo 'no Kafka'; exit 1"
      local out, status = run()
      assert.equal("0 passed, 2 failed", last_line(out), out)
      assert.equal(1, status)
      assert.truthy(out:find("no Kafka", 1, true), out)
    end)
  end)
end)
