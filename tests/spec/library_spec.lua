-- S11: the module in this Lua, over files: no broker needed. tests/broker has the rest.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "rille"

local function lines(...)
  return proc.write(proc.folder() .. "/lines", table.concat({ ... }, "\n") .. "\n")
end

local function stream(path, more)
  local settings = { input = path, input_format = "lines", explain = 0 }
  for k, v in pairs(more or {}) do settings[k] = v end
  return rille.stream(settings)
end

local function has(text, part) assert.is_truthy(tostring(text):find(part, 1, true), tostring(text)) end

local function length(batch) return #batch end

describe("rille.stream", function()
  it("gives batches and ends", function()
    local seen = {}
    for batch in stream(lines("a", "b", "c"), { batch = { size = 2 } }) do
      for _, m in batch:messages() do seen[#seen + 1] = batch.number .. m.value end
    end
    assert.same({ "1a", "1b", "2c" }, seen)
  end)

  it("S11.2 sends a batch's outputs when the next is asked for, and none of one that was left", function()
    local path, out_path = lines("1", "2", "3"), proc.folder() .. "/out"
    for batch, out in stream(path, { batch = { size = 1 } }) do
      out:forward("file:" .. out_path, batch)
      if batch.number == 2 then break end
    end
    assert.equal("1\n", proc.read(out_path))
  end)

  it("S11.2 batch:done() sends at once", function()
    local path, out_path = lines("1", "2"), proc.folder() .. "/out"
    local last = 1
    for batch, out in stream(path, { batch = { size = 1 } }) do
      local number = batch.number
      out:forward("file:" .. out_path, batch)
      batch:done()
      has(select(2, pcall(length, batch)), "over")
      has(select(2, pcall(out.send, out, "-", "x")), "nothing can be sent now")
      -- No closure over `batch` above: Lua 5.4.4 then forgets to close the stream here (a bug of its own).
      if number == last then break end
    end
    assert.equal("1\n", proc.read(out_path))
  end)

  it("closes what it gave when the loop goes on, ends, breaks or fails", function()
    local kept, message
    local s = stream(lines("a", "b"), { batch = { size = 1 } })
    for batch in s do
      if kept then has(select(2, pcall(function() return kept[1] end)), "over") end
      kept, message = batch, batch[1]
    end
    has(select(2, pcall(function() return message.value end)), "over")
    local ok, err = pcall(function()
      for batch in stream(lines("a")) do kept = batch; error "mine" end
    end)
    assert.is_false(ok)
    has(err, "mine")
    has(select(2, pcall(function() return #kept end)), "over")
  end)

  it("S11.1 refuses what the host does for handlers only", function()
    for setting, value in pairs {
      retries = 1, bisect = true, limits = { time = 1 }, lanes = 2, handle = print, every = { 1, print },
    } do
      local ok, err = pcall(stream, lines "a", { [setting] = value })
      assert.is_false(ok)
      has(err, setting)
      has(err, "library form")
    end
    has(select(2, pcall(rille.stream, {})), "topics")
    has(select(2, pcall(rille.stream, { topics = "t", grup = "g" })), "unknown setting 'grup' (did you mean 'group'?)")
    has(select(2, pcall(rille.stream, 5)), "table expected")
  end)

  it("S11.1 dead-letters what does not decode; the loop sees the rest", function()
    local dead = proc.folder() .. "/dead"
    local seen = {}
    for batch in stream(lines('{"a":1}', "not json", '{"a":3}'), { fields = { "a" }, dead_letter = "file:" .. dead }) do
      for i = 1, #batch do seen[#seen + 1] = batch.a[i] end
    end
    assert.same({ 1, 3 }, seen)
    assert.is_true(#proc.read(dead) > 0)
  end)

  it("decodes by a function, which may refuse", function()
    local dead = proc.folder() .. "/dead"
    local seen = {}
    for batch in stream(lines("1", "bad", "3"), {
      dead_letter = "file:" .. dead, fields = { "v" },
      decode = function(m)
        local v = math.tointeger(m.value)
        if not v then return nil, "no number" end
        return { v = v }
      end,
    }) do
      assert.equal(2, #batch)
      for i, m in batch:messages() do seen[#seen + 1] = m:decode().v + batch.v[i] end
    end
    assert.same({ 2, 6 }, seen)
    assert.is_true(#proc.read(dead) > 0)
  end)

  it("fails as a loop does: the error is raised, the stream is closed", function()
    local s = stream(lines('{"a":1}', "not json"), { fields = { "a" } })
    local ok, err = pcall(function() for _ in s do end end)
    assert.is_false(ok)
    has(err, "does not decode")
    s:close()
    assert.equal("rille.stream (closed)", tostring(s))
    assert.is_nil(s())
  end)

  it("S11.2 close is done once, and stop after it is nothing", function()
    local s = stream(lines "a")
    assert.equal("rille.stream (open)", tostring(s))
    assert.is_true(s:close())
    assert.is_true(s:close())
    s:stop()
    local t <close> = stream(lines "a")
    assert.equal(1, #t())
  end)

  it("S11.2 a finalizer cannot end a batch in the midst of one of its methods", function()
    local s <close> = stream(lines("1", "2"), { decode = "json" })
    local batch, why = s(), nil
    do setmetatable({}, { __gc = function() why = select(2, pcall(batch.done, batch)) end }) end
    collectgarbage()
    has(why, "must not be called by a finalizer")
    assert.equal(2, #batch)
  end)

  it("S11.4 is collected when it is dropped", function()
    for _ = 1, 5 do
      local s = stream(lines("a", "b"), { batch = { size = 1 } })
      local batch = s()
      assert.equal("a", batch[1].value)
    end
    collectgarbage()
    collectgarbage()
  end)

  it("runs several streams side by side", function()
    local a, b = stream(lines("a1", "a2"), { batch = { size = 1 } }), stream(lines("b1", "b2"), { batch = { size = 1 } })
    assert.equal("a1b1a2b2", a()[1].value .. b()[1].value .. a()[1].value .. b()[1].value)
    assert.is_nil(a())
    assert.is_nil(b())
  end)

  it("handlers' functions are there: json, null, where, log, version", function()
    assert.is_truthy(rille.version:match "^%d+%.%d+%.%d+$")
    assert.equal("[]", rille.json.encode(rille.json.array {}))
    assert.equal("it is later", "it is " .. rille.transient "later")
    assert.is_function(rille.log.warn)
  end)
end)
