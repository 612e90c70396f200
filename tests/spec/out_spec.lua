-- What a handler sends to stdout and files, and how a wrong call is said (S5.1, S5.5, S4.6).
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"

local function run(body, values, settings)
  local process = rille.start({
    "run", "--code", ("return { %s handle = function(batch, out)\n%s\nend }"):format(settings or "", body),
    "--input", "-", "--input-format", "lines",
  }, { stdin = table.concat(values or { "{}" }, "\n") .. "\n" })
  return process:wait(20), process:out(), process:err()
end

describe("out", function()
  after_each(proc.end_all)

  it("sends tables and scalars as JSON, one a line", function()
    local status, out, err = run [[
      out:send("-", { b = 1, a = {}, c = rille.json.array {}, d = 10000.0, e = rille.null })
      out:send("-", 5)
      out:send("-", false)
      out:send("-", rille.null)
    ]]
    assert.equal(0, status, err)
    assert.equal('{"a":{},"b":1,"c":[],"d":10000.0,"e":null}\n5\nfalse\nnull\n', out)
  end)

  it("forwards batches, views and messages as they came", function()
    local status, out, err = run([[
      out:forward("-", batch:where "m > 1")
      out:forward("-", batch[1])
    ]], { '{"m":1}', '{"m": 2}', '{"m":3}' }, "fields = { 'm' },")
    assert.equal(0, status, err)
    assert.equal('{"m": 2}\n{"m":3}\n{"m":1}\n', out)
  end)

  it("S5.1 leaves nothing behind of an attempt that failed", function()
    local status, out = run([[
      out:send("-", { attempt = batch.attempt })
      if batch.attempt == 1 then error "again" end
    ]], { "a" }, "retries = 1, backoff = 0,")
    assert.equal(0, status)
    assert.equal('{"attempt":2}\n', out)
  end)

  it("S4.3 says once why a batch is halved, and that no message was at fault when all its parts passed", function()
    local lines = { "1", "2", "3", "4", "5", "6", "7", "8" }
    local function count(text, part) return select(2, text:gsub(part, "")) end
    local why = "batch 1 of 8 messages failed, and is halved to find the one at fault: %-%-code:%d: too many"
    local status, out, err = run('if #batch > 3 then error "too many" end print(#batch)', lines)
    assert.equal(0, status, err)
    assert.equal("2\n2\n2\n2\n", out)
    assert.equal(1, count(err, why), err)
    assert.equal(1, count(err, "warning: batch 1 failed as a whole and passed in parts, so no message is at fault"), err)
    local dead = "dead_letter = 'file:" .. proc.folder() .. "/halved',"
    status, out, err = run('if batch[1].value == "5" or #batch > 1 then error "too many" end', lines, dead)
    assert.equal(0, status, err)
    assert.equal("", out)
    assert.equal(1, count(err, why), err)
    assert.equal(0, count(err, "no message is at fault"), err)
  end)

  it("rejects one message", function()
    local path = proc.folder() .. "/dead"
    local status, out, err = run([[ out:reject(batch[1], "too faint") out:forward("-", batch[2]) ]], { "1", "2" },
      ("dead_letter = 'file:%s',"):format(path))
    assert.equal(0, status, err)
    assert.equal("2\n", out)
    assert.is_truthy(proc.read(path):find("too faint", 1, true) or proc.read(path):find("value", 1, true), proc.read(path))
  end)

  it("S4.6 misuse stops the run with status 4, the line and the nearest name", function()
    for body, part in pairs {
      ["out:send('t', 'v', { kye = 'x' })"] = "unknown option 'kye' (did you mean 'key'?)",
      ["out:send('a b', 'v')"] = "'a b' is no topic",
      ["out:forwrd('t', batch)"] = "out has no 'forwrd' (did you mean 'forward'?)",
      ["out:emit('t', 'v')"] = "out has no 'emit'",
      ["out:send('t')"] = "a value is missing",
      ["out:forward('-', 5)"] = "a message or a batch is wanted, not number",
      ["out:forward('-')"] = "a message or a batch is wanted, not no value",
      ["out:forward(batch, '-')"] = 'out:forward: the topic comes first: out:forward("TOPIC", batch)',
      ["out:forward(batch[1], '-')"] = 'out:forward: the topic comes first: out:forward("TOPIC", message)',
      ["out:reject(batch, 'why')"] = "out:reject: a message is wanted, not a batch",
      ["out.send('-', 5)"] = "out:send(...)",
      ["out:reject(batch[1])"] = "the reason must be a string",
    } do
      local status, _, err = run(body, nil, "retries = 5, dead_letter = 'file:/dev/null',")
      assert.equal(4, status, err)
      assert.is_truthy(err:find("--code:2: ", 1, true) and err:find(part, 1, true), err)
    end
  end)

  it("S4.6 a reject without a dead-letter topic says so, with its line", function()
    local status, _, err = run "out:reject(batch[1], 'why')"
    assert.equal(4, status, err)
    assert.is_truthy(err:find("--code:2: out:reject: there is no dead-letter topic", 1, true), err)
  end)

  it("a folder as input is refused once", function()
    local process = rille.start { "run", "--code", "return function() end", "--input", "." }
    assert.equal(2, process:wait(20))
    local _, lines = process:err():gsub("\n", "")
    assert.equal(1, lines, process:err())
  end)

  it("D 12 raises what JSON cannot hold", function()
    local status, _, err = run "out:send('-', { a = { 0/0 } })"
    assert.equal(4, status)
    assert.is_truthy(err:find("NaN", 1, true), err)
  end)

  it("S10 limits.output bounds what one call stages", function()
    local status, out, err = run("for _ = 1, 20 do out:send('-', ('x'):rep(100)) end", nil, "limits = { output = 1000 },")
    assert.equal(4, status)
    assert.equal("", out)
    assert.is_truthy(err:find("limits.output", 1, true), err)
  end)
end)
