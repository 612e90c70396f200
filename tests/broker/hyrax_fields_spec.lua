-- hyrax 2 and 10: a stream has no length; fields, ids and hooks, as far as fields reach.
local proc = require "support.proc"
local rille = require "support.rille"

describe("hyrax fields", function()
  after_each(proc.end_all)

  local function alerts()
    local topic = rille.topic()
    rille.send(topic, {
      '{"objectId":"ZTF1","candid":2510000000000000003,"candidate":{"rb":0.9,"magpsf":17.25},"extra":1}',
      '{"objectId":"ZTF2","candid":2510000000000000004,"candidate":{"rb":0.1,"magpsf":19.5}}',
      '{"objectId":"ZTF3","candid":2510000000000000005,"candidate":{"magpsf":18}}',
    })
    return topic
  end

  local function finish(text, args, status)
    return rille.finish({ topic = alerts(), group = rille.name "group", args = { "-e", table.unpack(args or {}) }, text = text },
      status)
  end

  it("hyrax 2 the stream has no length", function()
    local run = finish [[local rille = require "rille"
      return function(batch) say(pcall(function() return #rille.stream end) == false, #batch) end]]
    assert.equal("true 3", rille.said(run)[1].line)
  end)

  it("hyrax 10 an id field and named fields reach the handler as columns, ids whole", function()
    local run = finish [[return {
      fields = { id = "objectId", candid = "candid", rb = "candidate.rb", mag = "candidate.magpsf" },
      handle = function(batch)
        for i = 1, #batch do say(batch.id[i], batch.candid[i], batch.rb[i], batch.mag[i]) end
      end }]]
    local lines = {}
    for i, l in ipairs(rille.said(run)) do lines[i] = l.line end
    assert.same({
      "ZTF1 2510000000000000003 0.9 17.25", "ZTF2 2510000000000000004 0.1 19.5", "ZTF3 2510000000000000005 nil 18",
    }, lines)
  end)

  local MISSING = [[return { fields = { id = "objectId", wrong = "candidate.magpfs" }, handle = function() say "ran" end }]]

  it("hyrax 10 a field that no message has is a warning with the nearest name; with --strict-fields an error", function()
    local run = finish(MISSING)
    assert.equal("ran", rille.said(run)[1].line)
    assert.is_truthy(run:err():find("candidate.magpfs", 1, true), run:err())
    assert.is_truthy(run:err():find("candidate.magpsf", 1, true), run:err())
    run = finish(MISSING, { "--strict-fields" }, 4)
    assert.equal(0, #rille.said(run))
    assert.is_truthy(run:err():find("candidate.magpfs", 1, true), run:err())
  end)

  it("hyrax 10 a field that some messages lack is no warning", function()
    local run = finish([[return { fields = { rb = "candidate.rb" }, handle = function() say "ran" end }]],
      { "--strict-fields" })
    assert.is_nil(run:err():find("candidate.rb", 1, true), run:err())
  end)

  it("hyrax 10 no fields means all", function()
    local run = finish [[return { decode = "json", handle = function(batch)
      for _, row in ipairs(batch:rows()) do say(row.objectId, row.candidate.magpsf, row.extra) end
    end }]]
    assert.equal("ZTF1 17.25 1", rille.said(run)[1].line)
    assert.equal("ZTF3 18 nil", rille.said(run)[3].line)
  end)

  it("hyrax 10 a decode function of the script is honoured, message by message", function()
    local run = finish [[return {
      decode = function(message) return { id = message.value:match '"objectId":"(%w+)"' } end,
      handle = function(batch) for _, row in ipairs(batch:rows()) do say(row.id) end end }]]
    assert.same({ "ZTF1", "ZTF2", "ZTF3" }, { rille.said(run)[1].line, rille.said(run)[2].line, rille.said(run)[3].line })
  end)
end)
