-- The command line of `rille run`, without a broker.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local function run(words, stdin)
  local process = rille.start(words, { stdin = stdin })
  local status = process:wait(15)
  return status, process:out(), process:err()
end

describe("rille run over a file", function()
  after_each(proc.end_all)

  local PRINT = "return function(batch) for _, m in batch:messages() do print(m.value) end end"

  local function script(text) return proc.write(proc.folder() .. "/handler.lua", text) end

  it("needs no broker: lines of a file", function()
    local path = proc.write(proc.folder() .. "/lines", "one\ntwo\nthree")
    local status, out, err = run { "run", script(PRINT), "--input", path, "--input-format", "lines" }
    assert.equal(0, status, err)
    assert.equal("one\ntwo\nthree\n", out)
  end)

  it("reads a file as one value, whatever is in it", function()
    local path = proc.write(proc.folder() .. "/whole", "one\n\ntwo\0\n")
    local code = "return function(batch) print(#batch, batch[1].value == 'one\\n\\ntwo\\0\\n') end"
    local status, out, err = run { "run", "--code", code, "--input", path, "--input-format", "whole" }
    assert.equal(0, status, err)
    assert.equal("1\ttrue\n", out)
    status, out, err = run { "run", "--code", code, "--input", "/dev/null", "--input-format", "whole" }
    assert.equal(0, status, err)
    assert.equal("", out)
  end)

  it("a file that is one value is not cut at its line breaks, and JSON that is another form is told so", function()
    for bytes, want in pairs {
      ["Obj\1x\ny"] = "begins with Obj 01, as Avro's containers do, and is not lines: --input-format whole",
      ["\0\0\0\0\7x\n"] = "begins with 00 and a number", ["\x1F\x8B\8\n"] = "unpack it first",
    } do
      local path = proc.write(proc.folder() .. "/binary", bytes)
      local words = { "run", "--code", PRINT, "--input", path }
      local status, out, err = run(words)
      assert.same({ 2, "" }, { status, out }, err)
      assert.is_truthy(err:find(want, 1, true), err)
    end
    local path = proc.write(proc.folder() .. "/binary", "Obj\1x\ny")
    local words = { "run", "--code", PRINT, "--input", path, "--input-format", "lines" }
    local status, out, err = run(words)
    assert.same({ 0, "Obj\1x\ny\n" }, { status, out }, err)
    status, out, err = run { "run", "--code", PRINT, "--fields", "a", "--input", path, "--input-format", "whole" }
    assert.same({ 4, "" }, { status, out }, err)
    assert.is_truthy(err:find('not JSON: it begins with Obj 01, as Avro\'s containers do: decode = "avro"', 1, true), err)
  end)

  it("a topic on the command line is not ignored for the script's input", function()
    local path = script "return { input = '/dev/null', handle = function() end }"
    local status, _, err = run { "run", path, "-t", "alerts" }
    assert.equal(2, status)
    assert.is_truthy(err:find("input is a file (/dev/null): take input out of the script", 1, true), err)
    status, _, err = run { "run", path }
    assert.equal(0, status, err)
  end)

  it("a topic, a group or a place in Kafka beside --input on the command line is status 2", function()
    for want, words in pairs {
      ["topics says what to read of Kafka, and input is a file (/dev/null): leave one out"] = { "-t", "alerts" },
      ["group says what to read of Kafka, and input is a file (/dev/null): leave one out"] = { "-G", "g" },
      ["start says where in Kafka to read, and input is a file (/dev/null): leave one out"] = { "-o", "5" },
    } do
      local status, out, err = run { "run", "--code", PRINT, "--input", "/dev/null", words[1], words[2] }
      assert.same({ 2, "" }, { status, out }, err)
      assert.is_truthy(err:find(want, 1, true), err)
    end
    local status, _, err = run { "run", "--code", PRINT, "--input", "kafka://127.0.0.1:1/alerts", "-t", "other" }
    assert.equal(2, status, err)
    assert.is_truthy(err:find("topics (other) and input (kafka://127.0.0.1:1/alerts) name different topics", 1, true), err)
  end)

  it("an input that cannot be read, or a dead-letter file that cannot be written, is status 2 at the start", function()
    for want, words in pairs {
      ["cannot read --input /nowhere/there"] = { "--input", "/nowhere/there" }, ["--input . is a folder"] = { "--input", "." },
      ["cannot write to output file:/nowhere/dead"] = { "--input", "/dev/null", "--dead-letter", "file:/nowhere/dead" },
    } do
      local status, out, err = run { "run", "--code", PRINT, table.unpack(words) }
      assert.same({ 2, "" }, { status, out }, err)
      assert.is_truthy(err:find(want, 1, true), err)
    end
  end)

  it("several files behind --input, as a shell makes them of *.avro, are told the way that there is", function()
    local second = proc.write(proc.folder() .. "/b.avro", "Obj")
    local want = ("--input takes one file, not %s too: run once for each, or let `rille send"):format(second)
    local status, out, err
    for _, words in ipairs {
      { "x.lua", "--input", "/dev/null", second, "/dev/zero" }, { "--input", "/dev/null", second, "x.lua" },
    } do
      status, out, err = run { "run", table.unpack(words) }
      assert.same({ 2, "" }, { status, out }, err)
      assert.is_truthy(err:find(want, 1, true), err)
    end
    for _, other in ipairs { "/nowhere/b.avro", (proc.write(proc.folder() .. "/b.lua", "")) } do
      status, out, err = run { "run", "x.lua", "--input", "/dev/null", other }
      assert.same({ 2, "" }, { status, out }, err)
      assert.is_truthy(err:find(("takes one script, not %s too"):format(other), 1, true), err)
    end
  end)

  it("reads standard input, and NDJSON where a line is no message of its own", function()
    local status, out, err = run({ "run", "--code", PRINT, "--input", "-" }, '{"a":1}\n{"a":[1, 2]}\n')
    assert.equal(0, status, err)
    assert.equal('{"a":1}\n{"a":[1, 2]}\n', out)
  end)

  it("--code runs Lua text in place of a script; arguments follow --", function()
    local status, out, err = run({
      "run", "--code", "local a, b = arg[1], arg[2]; return function(batch) print(#batch, a, b) end", "--input", "-",
      "--input-format", "lines", "--", "x", "-y",
    }, "1\n2\n")
    assert.equal(0, status, err)
    assert.equal("2\tx\t-y\n", out)
  end)

  it("writes outputs to - as lines", function()
    local status, out, err = run({
      "run", "--code", [[return function(batch, out) out:forward("-", batch:where("n > 1")) end]], "--input", "-", "-X",
      "client.id=x", "--fields", "n=n",
    }, '{"n":1}\n{"n":2}\n{"n":3}\n')
    assert.equal(0, status, err)
    assert.equal('{"n":2}\n{"n":3}\n', out)
  end)

  it("an output to a topic without a broker is status 2 and says so, at first use; a dead-letter topic at the start", function()
    local code = "return function(batch, out) print 'called'; out:forward('bright', batch) end"
    local status, out, err = run({ "run", "--code", code, "--input", "-" }, "{}\n")
    assert.equal(2, status, err)
    assert.equal("called\n", out)
    assert.is_truthy(err:find("output: topic bright: no brokers: give -b HOST:PORT", 1, true), err)
    status, out, err = run({ "run", "--code", code, "--input", "-", "--dead-letter", "dead" }, "{}\n")
    assert.equal(2, status, err)
    assert.equal("", out)
    assert.is_truthy(err:find("topic dead: no brokers: give -b HOST:PORT", 1, true), err)
  end)

  it("hyrax 10 a required field: an error with the nearest name when nothing has it, else the fault of what lacks it", function()
    local code = "return { fields = { x = { path = 'mag', required = true } }, handle = function(b) print(#b, b.x[1]) end }"
    local status, out, err = run({ "run", "--code", code, "--input", "-" }, '{"mog":1}\n{"mog":2}\n')
    assert.equal(4, status, err)
    assert.equal("", out)
    assert.is_truthy(err:find("'mog'", 1, true), err)
    status, out, err = run({ "run", "--code", code, "--input", "-", "--dead-letter", "file:/dev/null" }, '{"mog":1}\n{"mag":2}\n')
    assert.equal(0, status, err)
    assert.equal("1\t2\n", out)
    assert.is_truthy(err:find("1 dead letter", 1, true), err)
  end)

  it("S4.2 a required field that the whole first batch lacks is each message's fault where a dead letter takes it", function()
    local function over(path, ...)
      return run({
        "run", "--code", ("return { fields = { a = { path = '%s', required = true } }, batch = { size = 1 }, " ..
          "handle = function(b) print(b.a[1]) end }"):format(path), "--input", "-", ...,
      }, '{"mog":1}\n{"mag":null}\n{"mag":1}\n')
    end
    local dead = "file:" .. proc.folder() .. "/dead"
    local status, out, err = over("mag", "--dead-letter", dead)
    assert.equal(0, status, err)
    assert.equal("1\n", out)
    local first = "stdin[0] offset 0: required field 'a' (mag) is missing: there is 'mog': dead-lettered"
    assert.is_truthy(err:find(first, 1, true), err)
    assert.is_truthy(err:find("stdin[0] offset 1: required field 'a' (mag) is null: dead-lettered", 1, true), err)
    assert.is_truthy(err:find("2 dead letters", 1, true), err)
    assert.equal(0, (over("mag", "--dead-letter", dead, "--strict-fields")))
  end)

  describe("S4.2 what failed of a file is named by file and line", function()
    local decode = "return { decode = 'json', fields = { a = 'a' }, handle = function() error 'no' end }"
    local function record(topic, partition, offset, value)
      return ('{"topic":"%s","partition":%d,"offset":%d,"value":"%s"}\n'):format(topic, partition, offset, value)
    end
    local function file(text)
      local path = proc.folder() .. "/places"
      local f = assert(io.open(path, "w"))
      f:write(text)
      f:close()
      return path
    end
    -- Each place in turn: as a warning of a dead letter, as the error that ends a run, and as the handler's.
    local function names(path, input, places, ...)
      local dead = "file:" .. proc.folder() .. "/dead"
      local status, _, err = run({ "run", "--code", decode, "--input", path, "--dead-letter", dead, ... }, input)
      assert.equal(0, status, err)
      for _, place in ipairs(places) do assert.is_truthy(err:find(" " .. place .. ": ", 1, true), place .. "\n" .. err) end
      status, _, err = run({ "run", "--code", decode, "--input", path, ... }, input)
      assert.equal(4, status, err)
      assert.is_truthy(err:find(" " .. places[1] .. ": the", 1, true), places[1] .. "\n" .. err)
    end

    it("records as out:send writes them", function()
      local path = file ""
      local each = "for _, m in ipairs(b) do out:send('file:%s', m.value) end"
      local code = ("return { handle = function(b, out) " .. each .. " end }"):format(path)
      local status, _, err = run({ "run", "--code", code, "--input", "-" }, "{x\n{y\n{z\n")
      assert.equal(0, status, err)
      local origin = "file:" .. path .. "[-1] offset -1"
      names(path, nil, { path .. ":1: " .. origin, path .. ":2: " .. origin, path .. ":3: " .. origin })
    end)
    it("records with a topic of their own, a blank line between", function()
      local path = file(record("t", 3, 70, "{x") .. "\n" .. record("u", 0, 5, "{y"))
      names(path, nil, { path .. ":1: t[3] offset 70", path .. ":3: u[0] offset 5" })
    end)
    it("plain lines", function()
      local path = file '{x\n{"a":1}\n{y\n'
      names(path, nil, { path .. ":1: " .. path .. "[0] offset 0", path .. ":2: " .. path .. "[0] offset 1",
        path .. ":3: " .. path .. "[0] offset 2" })
    end)
    it("whole files", function()
      local path = file "{x\n{y"
      names(path, nil, { path .. ":1: " .. path .. "[0] offset 0" }, "--input-format", "whole")
    end)
    it("a file of a long path, whose end is told", function()
      local folder, long = proc.folder(), ("é"):rep(100)
      for _ = 1, 4 do
        folder = folder .. "/" .. long
        assert(os.execute(("mkdir '%s'"):format(folder)))
      end
      local path = proc.write(folder .. "/last", record("t", 3, 70, "{x"))
      local status, _, err = run { "run", "--code", decode, "--input", path }
      assert.equal(4, status, err)
      assert.is_truthy(err:find(long .. "/last:1: t[3] offset 70: the", 1, true), err)
      assert.is_truthy(err:find("…é", 1, true) and utf8.len(err), err)
    end)
    it("standard input", function()
      names("-", "{x\n" .. record("t", -1, -1, "{y"), { "stdin:1: stdin[0] offset 0", "stdin:2: t[-1] offset -1" })
    end)
  end)

  it("S4.4 a required field that is misspelled does not dead-letter the topic", function()
    local code = "return { fields = { a = { path = 'magg', required = true } }, handle = print }"
    local words = { "run", "--code", code, "--input", "-", "--dead-letter", "file:" .. proc.folder() .. "/dead" }
    local status, out, err = run(words, ('{"mag":1}\n'):rep(1500))
    assert.equal(4, status)
    assert.equal("", out)
    local last = "stdin[0] offset 999: required field 'a' (magg) is missing: there is 'mag', dead letter after dead letter"
    assert.is_truthy(err:find(last, 1, true), err:sub(-800))
    assert.is_nil(err:find("offset 1000:", 1, true))
  end)

  it("S8.1 without a dead letter a required null stops at its message, as null", function()
    local code = "return { fields = { a = { path = 'a', required = true } }, handle = function(b) print(#b) end }"
    local status, out, err = run({ "run", "--code", code, "--input", "-" }, '{"a":null}\n{"a":null}\n')
    assert.equal(4, status, err)
    assert.equal("", out)
    assert.is_truthy(err:find("stdin[0] offset 0: the value does not decode: required field 'a' (a) is null", 1, true), err)
    assert.is_nil(err:find("in none", 1, true), err)
  end)

  it("a required header that is not there is its message's fault, from the first batch on", function()
    local code = "return { fields = { h = { path = '@headers.h', required = true } }, batch = { size = 1 }, " ..
      "handle = function(b) print(b.h[1]) end }"
    local path = proc.write(proc.folder() .. "/messages", '{"topic":"t","partition":0,"offset":0,"value":1}\n' ..
      '{"topic":"t","partition":0,"offset":1,"headers":[{"name":"h","value":"x"}],"value":2}\n')
    local status, out, err = run { "run", "--code", code, "--input", path, "--dead-letter", "file:" .. proc.folder() .. "/dead" }
    assert.equal(0, status, err)
    assert.equal("x\n", out)
    assert.is_truthy(err:find("required field 'h' (@headers.h) is missing: dead-lettered", 1, true), err)
  end)

  -- What stands on the screen in the end: \r goes to the line's begin, \27[K erases from there.
  local function screen(bytes)
    local lines = {}
    for line in bytes:gsub("\r\n", "\n"):gmatch "[^\n]*" do lines[#lines + 1] = line:gsub(".*\r\27%[K", "") end
    return table.concat(lines, "\n")
  end

  it("on a terminal, what a script prints and the progress line do not mix", function()
    local shown = proc.folder() .. "/shown"
    -- The first batch waits until the progress line stands.
    local code = [[local first = true
      return function(batch, out)
        while first do
          local file = io.open(arg[1])
          first = not (file and file:read "a":find("lag ?", 1, true))
          if file then file:close() end
        end
        print "printed"; io.write("writ", "ten\n"); io.stdout:write "by method\n"
        out:send("-", { sent = 1 })
      end]]
    local path = proc.write(proc.folder() .. "/lines", "1\n2\n")
    local command = { rille.program, "run", "--code", code, "--input", path, "--batch-size", "1", "--", shown }
    for k, word in ipairs(command) do command[k] = proc.quote(word) end
    local process = proc.start { "script", "-qefc", table.concat(command, " "), shown }
    assert.equal(0, process:wait(20), process:out())
    local bytes = proc.read(shown)
    assert.is_truthy(bytes:find("\r\27[K", 1, true), "no progress line was shown")
    local batch = "printed\nwritten\nby method\n{\"sent\":1}\n"
    assert.is_truthy(screen(bytes):find("\n" .. batch .. batch .. "rille: 2 messages", 1, true), screen(bytes))
  end)

  it("-c ends after so many messages, --batch-size cuts them", function()
    local status, out, err = run({
      "run", "--code", "return function(batch) print(#batch) end", "--input", "-", "--input-format", "lines", "-c", "5",
      "--batch-size", "2",
    }, ("x\n"):rep(20))
    assert.equal(0, status, err)
    assert.equal("2\n2\n1\n", out)
  end)

  it("the command line wins over the environment, the environment over the script", function()
    local path = script 'return { batch = { size = 5 }, handle = function(batch) print(#batch) end }'
    local function first(env, ...)
      local words = { "run", path, "--input", "-", "--input-format", "lines", ... }
      local p = rille.start(words, { env = env, stdin = ("x\n"):rep(20) })
      assert.equal(0, p:wait(10), p:err())
      return p:out():match "%d+"
    end
    assert.equal("5", first {})
    assert.equal("7", first { RILLE_BATCH_SIZE = "7" })
    assert.equal("3", first({ RILLE_BATCH_SIZE = "7" }, "--batch-size", "3"))
  end)

  it("a missing input is an error that names it", function()
    local status, _, err = run { "run", "--code", PRINT, "--input", "/nowhere/there" }
    assert.is_true(status ~= 0)
    assert.is_truthy(err:find("/nowhere/there", 1, true), err)
  end)

  it("the script's folder is on package.path, and require cjson works", function()
    local dir = proc.folder()
    proc.write(dir .. "/helper.lua", "return { word = 'helped' }")
    local path = proc.write(dir .. "/main.lua",
      'local h, c = require "helper", require "cjson"; return function() print(h.word, c.encode { 1 }) end')
    local status, out, err = run({ "run", path, "--input", "-", "--input-format", "lines" }, "x\n")
    assert.equal(0, status, err)
    assert.equal("helped\t[1]\n", out)
  end)

  it("what failed and what to do is the last line, its traceback right before it, the summary before both", function()
    for _, code in ipairs { "return function() error 'no' end", "return function(_, out) out:send(5) end",
      "return { open = function() error 'no' end, handle = function() end }" } do
      local status, _, err = run({ "run", "--code", code, "--input", "-" }, "{}\n")
      assert.equal(4, status, err)
      local line = "([^\n]*)\n"
      local summary, traceback, cause =
        err:match("^rille: %d+ messages?" .. line .. "rille: error: (stack traceback:\n.*)\nrille: error: " .. line .. "$")
      assert.is_truthy(summary, err)
      assert.is_truthy(traceback:find("--code", 1, true), err)
      assert.is_truthy(cause:find("--code:1: ", 1, true), err)
    end
  end)

  it("a summary at the end goes to standard error, no progress line when it is no terminal", function()
    local _, _, err = run({ "run", "--code", "return function() end", "--input", "-", "--input-format", "lines" }, "x\ny\n")
    assert.is_truthy(err:find("2", 1, true), err)
    assert.is_nil(err:find("\r", 1, true))
  end)
end)

describe("the command line", function()
  after_each(proc.end_all)

  for name, case in pairs {
    ["an unknown command names the nearest"] = { { "rnu" }, "run" },
    ["an unknown option names the nearest"] = { { "run", "--bacth-size", "3", "--code", "return print" }, "--batch-size" },
    ["an option without its value"] = { { "run", "x.lua", "-t" }, "-t" },
    ["a number that is none"] = { { "run", "--code", "return print", "-t", "x", "--batch-size", "many" }, "many" },
    ["neither script nor --code"] = { { "run", "-t", "x" }, "script" },
    ["a script that is not there"] = { { "run", "/nowhere.lua", "-t", "x" }, "/nowhere.lua" },
    ["a delivery that does not exist"] = {
      { "run", "--code", "return print", "-t", "x", "--delivery", "twice" }, "at_least_once",
    },
    ["a table key that does not exist"] = { { "run", "--code", "return { handel = print }", "-t", "x" }, "handle" },
    ["send without a topic"] = { { "send" }, "-t" },
    ["lag without a group"] = { { "lag" }, "-G" },
    ["kcat's -C"] = { { "-C", "-b", "x", "-t", "y" }, "rille tap -t TOPIC" },
    ["kcat's -P, behind other options"] = { { "-b", "x", "-t", "y", "-P" }, "rille send -t TOPIC" },
    ["kcat's -L"] = { { "-L" }, "kafka-topics --describe" },
    ["a mode of kcat's after a command"] = { { "tap", "-C", "-t", "x" }, "rille tap -t TOPIC" },
    ["a letter of kcat's that is not ours"] = { { "send", "-t", "x", "-z", "lz4" }, "compression.codec" },
    ["an option before its command"] = { { "-t", "x" }, "options follow their command" },
    ["a directive of -f that is none"] = { { "tap", "-b", "x", "-t", "y", "-f", "%q" }, "usage: rille tap" },
    ["tap with a topic that -t is missing before"] = { { "tap", "-b", "x", "y" }, "-t" },
  } do
    it(name .. " is status 2", function()
      local status, out, err = run(case[1])
      assert.equal(2, status, err)
      assert.equal("", out)
      assert.is_truthy(err:lower():find(case[2]:lower(), 1, true), err)
    end)
  end

  it("help goes to standard output, status 0, and lists every command", function()
    local status, out = run { "--help" }
    assert.equal(0, status)
    for _, command in ipairs { "run", "broker", "send", "tap", "lag", "groups", "seek", "version" } do
      assert.is_truthy(out:find(command, 1, true), command)
      local s, text = run { command, "--help" }
      assert.equal(0, s)
      assert.is_truthy(text:find(command, 1, true))
    end
    assert.is_truthy(select(2, run { "run", "--help" }):find("--batch-size", 1, true))
  end)

  it("version names rille, librdkafka and Lua", function()
    for _, words in ipairs { { "version" }, { "--version" } } do
      local status, out = run(words)
      assert.equal(0, status)
      for _, part in ipairs { "rille", "librdkafka", "Lua" } do assert.is_truthy(out:find(part, 1, true), out) end
    end
  end)

  it("says nothing but the mistake on an unreachable broker, status 3", function()
    local status, out, err = run {
      "run", "--code", "return print", "-t", "x", "-b", "127.0.0.1:1", "--connect", "2",
    }
    assert.equal(3, status, err)
    assert.equal("", out)
    assert.is_truthy(err:find("127.0.0.1:1", 1, true), err)
  end)
end)
