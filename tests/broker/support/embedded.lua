-- What support.rille asks Apache Kafka for, asked of the embedded broker through the program's own commands: cases
-- that need no more than that run on both (embedded_spec), those that ask for more are pending there.
local cjson = require "cjson"
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local embedded = {}

-- How many topics of 1, 2 … partitions are to be had: each takes the broker up to a third of a second to make.
local POOL = { 118, 6, 3 }
local broker, own, used, leave_out

local function told(words, options)
  local run = rille.start(words, options)
  local status = run:wait(30)
  assert(status == 0, ("status %s of %s\n%s"):format(status, run.command, run:err()))
  return run:out()
end

local function pool()
  local names = {}
  for partitions, n in ipairs(POOL) do
    for i = 1, n do names[#names + 1] = ("pool-%d-%d:%d"):format(partitions, i, partitions) end
  end
  return table.concat(names, ",")
end

local function lacks(what) leave_out("the embedded broker has no " .. what) end

local api = {}

-- The broker keeps no settings of a topic, and its clients cannot make one.
function api.topic(options)
  options = options or {}
  if options.configs then lacks "settings of a topic" end
  local partitions = options.partitions or 1
  used[partitions] = (used[partitions] or 0) + 1
  assert(used[partitions] <= (POOL[partitions] or 0), "too few topics")
  return ("pool-%d-%d"):format(partitions, used[partitions])
end

local function line(topic, record)
  local out = { topic = topic, partition = record.p or 0, offset = 0, timestamp = record.ts or 1600000000000,
    key = record.k or not record.k64 and cjson.null or nil, key_base64 = record.k64, headers = setmetatable({}, cjson.array_mt) }
  for i, h in ipairs(record.h or {}) do
    out.headers[i] = { name = h[1], value = h[2] }
  end
  out.value_base64 = record.v64 or (record.v and record.v ~= cjson.null and tool.base64(record.v)) or nil
  if not out.value_base64 then out.value = cjson.null end
  return cjson.encode(out)
end

function api.send(topic, values)
  local by_partition = {}
  for _, v in ipairs(values) do
    local record = type(v) == "table" and v or { v = v }
    local p = record.p or 0
    by_partition[p] = by_partition[p] or {}
    table.insert(by_partition[p], line(topic, record))
  end
  for p, lines in pairs(by_partition) do
    told({ "send", "-b", rille.brokers, "-t", topic, "-p", tostring(p), "--input-format", "ndjson" },
      { stdin = table.concat(lines, "\n") .. "\n" })
  end
end

function api.fill(topic, n, options)
  options = options or {}
  if options.txn then lacks "transactions" end
  local records, from = {}, options.from or 0
  for i = 0, n - 1 do
    local value = ('{"n":%d}'):format(from + i)
    if options.size then value = value:sub(1, -2) .. ',"pad":"' .. ("x"):rep(options.size - #value - 9) .. '"}' end
    records[i + 1] = { p = i % (options.partitions or 1), v = value }
  end
  api.send(topic, records)
end

local function record_of(message)
  local h = {}
  for i, header in ipairs(message.headers) do h[i] = { n = header.name, v = header.value, v64 = header.value_base64 } end
  local value = message.value
  if value ~= cjson.null and type(value) ~= "string" and not message.value_base64 then value = message.raw end
  return { p = message.partition, o = message.offset, k = message.key, k64 = message.key_base64, v = value,
    v64 = message.value_base64, h = h, ts = message.timestamp }
end

function api.read(topic)
  local records = {}
  local out = told { "tap", "-b", rille.brokers, "-t", topic, "-e" }
  for text in out:gmatch "[^\n]+" do
    local message = cjson.decode(text)
    message.raw = text:match '%],"value":(.*)}$' -- JSON stands in it as it is
    records[#records + 1] = record_of(message)
  end
  table.sort(records, function(a, b)
    if a.p ~= b.p then return a.p < b.p end
    return a.o < b.o
  end)
  return records
end

local function rows(group)
  local run = rille.start { "lag", "-b", rille.brokers, "-G", group, "--json" }
  local status = run:wait(30)
  if status ~= 0 and run:err():find("has committed nothing", 1, true) then return {} end
  assert(status == 0, run:err())
  return rille.ndjson(run:out())
end

function api.committed(group, topic)
  local committed = {}
  for _, row in ipairs(rows(group)) do
    if row.topic == topic and row.committed ~= cjson.null then
      committed[("%d"):format(row.partition)] = math.tointeger(row.committed)
    end
  end
  return committed
end

function api.lag(group, topic)
  local sum
  for _, row in ipairs(rows(group)) do
    if row.topic == topic and row.lag ~= cjson.null then sum = (sum or 0) + row.lag end
  end
  return sum
end

-- For the file: the pool takes its time, which other cases can use.
function embedded.start()
  broker = rille.start { "broker", "--topics", pool() }
  proc.keep(broker)
end

function embedded.stop()
  broker:kill "TERM"
  assert(broker:wait(10) == 0, broker:err())
end

-- From here on the cases speak to it, until embedded.leave(). pending: what leaves a case out, with the reason.
function embedded.enter(pending)
  assert(proc.till(100, function() return broker:out():match "127%.0%.0%.1:%d+" end), broker:err())
  own, used, leave_out = { brokers = rille.brokers, sasl = rille.sasl, ask = tool.ask, embedded = false }, {}, pending
  rille.brokers, rille.sasl, rille.embedded = broker:out():match "127%.0%.0%.1:%d+", nil, true
  for name, fn in pairs(api) do own[name], rille[name] = rille[name], fn end
  tool.ask = function(what) lacks("admin call: " .. what) end
end

function embedded.leave()
  tool.ask, own.ask = own.ask, nil
  for name, value in pairs(own) do rille[name] = value end
end

return embedded
