-- What a handler sees of a batch (S8.1, S8.4, S8.5): scripts that check with assert, run by the program.
package.path = "tests/broker/?.lua;" .. package.path
local proc = require "support.proc"
local rille = require "support.rille"
local wire = require "support.wire"

-- Runs a handler's body over values; the settings go before it in the script's table.
local function run(body, values, settings, options)
  local text = ("return { %s handle = function(batch, out)\n%s\nend }"):format(settings or "", body)
  local words = { "run", "--code", text, "--input", "-", "--input-format", "lines" }
  for _, word in ipairs(options or {}) do words[#words + 1] = word end
  local process = rille.start(words, { stdin = table.concat(values, "\n") .. "\n" })
  return process:wait(20), process:out(), process:err()
end

local function pass(...)
  local status, out, err = run(...)
  assert.equal(0, status, err)
  return out, err
end

local function stop(part, ...)
  local status, _, err = run(...)
  assert.equal(4, status, err)
  assert.is_truthy(err:find(part, 1, true), err)
  return err
end

local ALERTS = {
  '{"objectId":"x","candidate":{"magpsf":17.5,"rb":0.9}}',
  '{"objectId":"y","candidate":{"magpsf":18,"rb":null}}',
  '{"objectId":"z","candidate":{"rb":0.2}}',
}
local FIELDS = 'fields = { "objectId", mag = "candidate.magpsf", rb = { path = "candidate.rb", type = "f64" } },'

describe("a batch", function()
  after_each(proc.end_all)

  -- 8 MB of text in a state that may hold 4: what is made into Lua values at all does not fit.
  it("makes a column into an array only when it is read", function()
    local values = {}
    for i = 1, 400 do values[i] = ('{"id":%d,"mag":%d,"text":"%d%s"}'):format(i, i % 7, i, ("x"):rep(20000)) end
    local settings = 'fields = { "id", "mag", "text" }, batch = { size = 400, timeout = 60 },' ..
      ' limits = { memory = "4MiB" }, bisect = false,'
    local out = pass([[
      assert(#batch == 400)
      local some = batch:where "text ~= nil and text ~= 'x' and mag > 3"
      local x = some:tensor { "id", "mag" }
      print(#some, x.shape[1], #batch:sort("text"), #batch.mag, some[1].fields.id)]], values, settings)
    assert.equal("171\t171\t400\t400\t4\n", out)
    stop("not enough memory: limits.memory is 4194304 bytes", "print(#batch.text)", values, settings, { "--retries", "0" })
  end)

  it("has a length, a number, a cause, an attempt, and messages by index", function()
    pass([[
      assert(#batch == 2 and batch.number == 1 and batch.cause == "size" and batch.attempt == 1 and batch.part == nil)
      assert(batch[1].value == "a" and batch[2].value == "b" and batch[3] == nil and batch[0] == nil)
      assert(batch[1] == batch[1])
      local n = 0
      for i, m in ipairs(batch) do n = n + 1; assert(m == batch[i]) end
      for i, m in batch:messages() do n = n + 1; assert(m == batch[i]) end
      assert(n == 4)
    ]], { "a", "b" }, "batch = { size = 2 },")
  end)

  it("S8.1 columns hold nil where a value is missing or null, NaN in one declared f64", function()
    pass([[
      assert(batch.objectId.n == 3 and batch.objectId[3] == "z")
      assert(batch.mag.n == 3 and batch.mag[1] == 17.5 and math.type(batch.mag[2]) == "integer" and batch.mag[3] == nil)
      assert(batch.rb[1] == 0.9 and batch.rb[2] ~= batch.rb[2] and batch.columns.rb[3] == 0.2)
      local rows = batch:rows()
      assert(rows.n == 3 and rows[1].objectId == "x" and rows[3].mag == nil and rows[3].rb == 0.2)
      assert(batch[2].fields.mag == 18)
    ]], ALERTS, FIELDS)
  end)

  it("S8.4 a column is the script's copy", function()
    pass([[
      batch.mag[1] = 99
      assert(batch.mag[1] == 99 and #batch:where "mag < 18" == 1)
    ]], ALERTS, FIELDS)
  end)

  it("sorts and groups by single values: a list or an array is the script's fault", function()
    local fields = 'fields = { mags = "prv[*].mag", image = { path = "image", type = "f32", shape = {2} } },'
    local alerts = { '{"prv":[{"mag":2},{"mag":1}],"image":[1,2]}' }
    stop("batch:sort: the column 'mags' is a list a row", 'batch:sort "mags"', alerts, fields)
    stop("batch:sort: the column 'image' is an array a row", 'batch:sort "image"', alerts, fields)
    stop("batch:group_by: the column 'mags' is a list a row", 'batch:group_by "mags"', alerts, fields)
  end)

  it("a misspelt method is said to be near one, with and without fields", function()
    stop("there is no field 'wher' (did you mean the batch's 'where'?)", "batch:wher 'mag < 18'", ALERTS, FIELDS)
    stop("(or did you mean the batch's 'messages'?)", "batch:messagse()", ALERTS)
    stop("there is no field 'objectid' (did you mean 'objectId'?)", "print(batch.objectid)", ALERTS, FIELDS)
  end)

  it("S8.5 sort, group_by and tensor know a field by its path, too; as a member it has its name", function()
    pass([[
      assert(batch:sort("candidate.magpsf", "desc")[1].fields.objectId == "y")
      local groups = 0
      for mag, view in batch:group_by "candidate.magpsf" do groups = groups + 1 end
      assert(groups == 2 and batch:tensor({ "candidate.magpsf" }).size == 3)
    ]], ALERTS, FIELDS)
    stop("there is no field 'candidate.magpsf': the field of this path is 'mag'", "print(batch['candidate.magpsf'])", ALERTS,
      FIELDS)
  end)

  it("S8.5 where gives a view that counts from 1 and shares messages", function()
    pass([[
      local sure = batch:where "rb < 0.5"
      assert(#sure == 1 and sure[1] == batch[3] and sure.objectId[1] == "z" and sure.number == batch.number)
      assert(#batch:where "mag ~= 17.5" == 1, "missing passes no cut")
    ]], ALERTS, FIELDS)
  end)

  it("map calls a function a message", function()
    pass([[
      local t = batch:map(function(m, i) if i ~= 2 then return m.value .. i end end)
      assert(t.n == 3 and t[1] == "a1" and t[2] == nil and t[3] == "c3")
    ]], { "a", "b", "c" })
  end)

  it("S4.6 an unknown name stops the run with the nearest, and no retry", function()
    local err = stop("there is no field 'mga' (did you mean 'mag'?)", "print 'tried' return batch.mga", ALERTS, FIELDS,
      { "--retries", "3", "--backoff", "0" })
    assert.is_truthy(err:find("--code:2:", 1, true), err)
  end)

  it("S8.5 a batch that is over raises, and so do its views and messages", function()
    pass([[
      if kept then
        for _, use in pairs {
          function() return #kept end, function() return kept[1] end, function() return view[1] end,
          function() return message.value end, function() return message:decode() end,
          function() return kept.mag end, function() out:forward("-", kept) end,
        } do
          local ok, err = pcall(use)
          assert(not ok and tostring(err):find("over", 1, true), tostring(err))
        end
      end
      kept, view, message = batch, batch:where "rb < 5", batch[1]
    ]], ALERTS, "batch = { size = 1 }, " .. FIELDS)
  end)

  it("S4.3 parts of a batch say which they are", function()
    local out = pass([[
      if #batch > 1 and batch[#batch].value ~= "b" then error "once more" end
      print(batch.part, batch.attempt, #batch)
      if batch[1].value == "c" then error "c" end
    ]], { "a", "b", "c", "d" }, "dead_letter = '-',")
    assert.is_truthy(out:find("1%-2/4\t2\t2\n"), out)
    assert.is_truthy(out:find("4%-4/4\t%d\t1\n"), out)
  end)

  it("decodes by a function of the script; what it refuses is dead-lettered by itself", function()
    local out, err = pass([[
      assert(#batch == 2 and batch.v[1] == 1 and batch.v[2] == 3 and batch[1]:decode().v == 1)
      print "handled"
    ]], { "1", "bad", "3" }, [[
      dead_letter = "file:/dev/null", fields = { v = { path = "v", type = "i64" } },
      decode = function(m) local v = math.tointeger(m.value); if not v then return nil, "no number" end return { v = v } end,
    ]])
    assert.equal("handled\n", out)
    assert.is_truthy(err:find("no number", 1, true), err)
  end)

  it("sort, group_by and select give views of views, which forward in their order", function()
    local out = pass([[
      local sorted = batch:sort("objectId", "desc")
      assert(sorted[1] == batch[3] and sorted.objectId[3] == "x" and batch.objectId[1] == "x")
      local ids = {}
      for rb, view in sorted:group_by "rb" do ids[#ids + 1] = rb .. view.objectId[1] .. #view end
      assert(table.concat(ids, " ") == "0.2z1 0.9x1", table.concat(ids, " "))
      out:forward("-", sorted:select{ 3, 1 })
      out:forward("-", batch:select(batch:tensor{ "mag" }:column(1):gt(17.6)):sort "mag")
    ]], ALERTS, FIELDS)
    assert.equal(ALERTS[1] .. "\n" .. ALERTS[3] .. "\n" .. ALERTS[2] .. "\n", out)
  end)

  it("with joins scores to the batch: where, rows and tensor know them, messages go out as they came", function()
    local out = pass([[
      local x, complete = batch:tensor{ "mag", "rb" }
      assert(#x == 3 and x:rows(complete).shape[1] == 1 and x[2][1] == 18 and complete[1] and not complete[2])
      local scored = batch:with{ score = rille.tensor{ 0.5, 0.95, 0.99 } }
      local high = scored:where "score > 0.9 and objectId ~= 'z'"
      assert(#high == 1 and high:rows()[1].score > 0.94 and high.columns.score[1] == high.score[1])
      out:send("-", { id = high.objectId[1], score = ("%.2f"):format(high.score[1]) })
      out:forward("-", high)
    ]], ALERTS, FIELDS)
    assert.equal('{"id":"y","score":"0.95"}\n' .. ALERTS[2] .. "\n", out)
    stop("there is a column 'mag' already", "batch:with{ mag = { 1, 2, 3 } }", ALERTS, FIELDS)
    stop("'where' is a batch's own", "batch:with{ where = { 1, 2, 3 } }", ALERTS, FIELDS)
    stop("did you mean `score`", "batch:with{ score = { 1, 2, 3 } }:where 'scor > 1'", ALERTS, FIELDS)
  end)

  it("views and columns of rows, where a message has several", function()
    local process = rille.start { "run", "--input", wire.file { "a,1,true\nb,2,false", "c,2.0,true\nd,,false\ne,5,true" },
      "--code", [[return { decode = "csv", csv = { columns = { "name", "v", "flag" } },
      fields = { "name", "v", flag = { path = "flag", type = "bool" } }, handle = function(batch, out)
      local function list(view) return table.concat(view.name, "") end
      local x, complete = batch:tensor{ "v" }
      assert(#batch == 5 and #x == 5 and x:rows(complete):sum() == 10 and not complete[4])
      assert(list(batch:sort("v", "desc")) == "ebcad" and list(batch:select(complete)) == "abce")
      local w = batch:with{ twice = x:column(1) * 2 }
      assert(list(w:where "twice > 3 and twice == v + v") == "bce")
      local seen = {}
      for flag, view in w:group_by "flag" do seen[#seen + 1] = tostring(flag) .. list(view) end
      assert(table.concat(seen, " ") == "trueace falsebd")
      out:forward("-", batch:sort("v", "desc"):where "v > 1") -- a message once, where its first row stands
      end }]] }
    assert.equal(0, process:wait(20), process:err())
    local out = process:out()
    local _, lines = out:gsub("\n", "")
    assert.equal(2, lines)
    assert.is_truthy(out:find '"offset":1.*"offset":0', out)
  end)
end)
