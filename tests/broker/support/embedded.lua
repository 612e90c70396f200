-- What support.rille asks Apache Kafka for, asked of the embedded broker through the program's own commands: cases
-- that need no more than that run on both (embedded_spec).
local cjson = require "cjson"
local proc = require "support.proc"
local rille = require "support.rille"

local embedded = {}

-- How many topics of one partition are to be had: each takes the broker a third of a second to make.
local POOL = 64
local broker, own, used

local function told(words, options)
  local run = rille.start(words, options)
  local status = run:wait(30)
  assert(status == 0, ("status %s of %s\n%s"):format(status, run.command, run:err()))
  return run:out()
end

local function pool()
  local names = {}
  for i = 1, POOL do names[i] = ("pool-%d:1"):format(i) end
  return table.concat(names, ",")
end

local api = {}

-- The broker keeps no settings of a topic, and its clients cannot make one.
function api.topic(options)
  assert(not (options and options.configs) and (options and options.partitions or 1) == 1, "one partition, no settings")
  used = used + 1
  assert(used <= POOL, "too few topics")
  return "pool-" .. used
end

local function line(topic, record)
  local out = { topic = topic, partition = record.p or 0, offset = 0, timestamp = record.ts or 1600000000000,
    key = record.k or cjson.null, headers = setmetatable({}, cjson.array_mt) }
  for i, h in ipairs(record.h or {}) do
    out.headers[i] = { name = h[1], value = h[2] }
  end
  out.value_base64 = record.v64 or (record.v and require("support.tool").base64(record.v)) or nil
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
  return { p = message.partition, o = message.offset, k = message.key, v = value, v64 = message.value_base64, h = h,
    ts = message.timestamp }
end

function api.read(topic)
  local records = {}
  local out = told { "tap", "-b", rille.brokers, "-t", topic, "-e" }
  for text in out:gmatch "[^\n]+" do
    local message = cjson.decode(text)
    message.raw = text:match '^.*"value":(.*)}$' -- JSON stands in it as it is
    records[#records + 1] = record_of(message)
  end
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

-- From here on the cases speak to an embedded broker, until embedded.leave().
function embedded.enter()
  own, used = { brokers = rille.brokers }, 0
  broker = rille.start { "broker", "--topics", pool() }
  assert(proc.till(100, function() return broker:out():match "127%.0%.0%.1:%d+" end), broker:err())
  rille.brokers = broker:out():match "127%.0%.0%.1:%d+"
  own.embedded, rille.embedded = false, true
  for name, fn in pairs(api) do own[name], rille[name] = rille[name], fn end
  proc.keep(broker)
end

function embedded.leave()
  for name, value in pairs(own) do rille[name] = value end
  broker:kill "TERM"
  assert(broker:wait(10) == 0, broker:err())
end

return embedded
