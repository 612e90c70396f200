-- The program under test: its runs, what its handlers saw, what Kafka says of its groups.
local cjson = require "cjson"
local proc = require "support.proc"
local tool = require "support.tool"

local rille = {
  program = os.getenv "RILLE" or "build/rille",
  root = os.getenv "RILLE_ROOT" or ".",
  brokers = os.getenv "RILLE_TEST_BROKERS",
  sasl = os.getenv "RILLE_TEST_SASL",
}

-- Handlers get `say`: a line to the file named by their first argument, at once. It stands on the script's first
-- line, so that line numbers are those of the text.
local PRELUDE = [[local log = assert(io.open(arg[1], "a")); local function say(...) ]]
  .. [[local t = table.pack(...); for i = 1, t.n do t[i] = tostring(t[i]) end; ]]
  .. [[log:write(table.concat(t, " "), "\n"); log:flush() end; ]]

-- Says each batch and each of its messages.
rille.SEE = [[
return function(batch)
  say("batch", batch.number, batch.cause, #batch)
  for _, m in batch:messages() do say("message", m.topic, m.partition, m.offset, m.value) end
end
]]

local serial = 0

-- A name nobody else in this run has.
function rille.name(what)
  serial = serial + 1
  return ("%s-%s-%d"):format(what, proc.base():match "[^./]*$", serial)
end

-- A fresh topic; options: partitions, configs, brokers.
function rille.topic(options)
  options = options or {}
  local name = options.name or rille.name "topic"
  tool.ask("create", {
    topic = name, partitions = options.partitions or 1, configs = options.configs, brokers = options.brokers,
  })
  return name
end

-- n messages {"n":0}… in a topic, over its partitions in turn.
function rille.fill(topic, n, options)
  options = options or {}
  tool.ask("generate", {
    topic = topic, n = n, partitions = options.partitions or 1, from = options.from or 0, size = options.size,
    txn = options.txn, ["end"] = options["end"], brokers = options.brokers, keys = options.keys,
  })
end

-- values (strings, or tables as tool.produce takes them) into a topic.
function rille.send(topic, values, options)
  local records = {}
  for i, v in ipairs(values) do records[i] = type(v) == "table" and v or { v = v, p = 0 } end
  local request = { topic = topic, records = records }
  for k, v in pairs(options or {}) do request[k] = v end
  return tool.ask("produce", request).at
end

function rille.script(text)
  return proc.write(proc.folder() .. "/handler.lua", PRELUDE .. text)
end

-- Starts the program with these words.
function rille.start(words, options)
  local all = { rille.program }
  for _, word in ipairs(words) do all[#all + 1] = word end
  return proc.start(all, options)
end

local function add(words, ...)
  for _, word in ipairs { ... } do words[#words + 1] = word end
end

-- Runs a handler: options text (SEE), topic or topics, group, args (more options), after (its own arguments,
-- behind the file it says to), log (that file), brokers; and those of proc.start.
function rille.run(options)
  local path = rille.script(options.text or rille.SEE)
  local log = options.log or path:gsub("handler%.lua$", "said")
  local words = { "run", path, "-b", options.brokers or rille.brokers }
  for _, topic in ipairs(options.topics or { options.topic }) do add(words, "-t", topic) end
  if options.group then add(words, "-G", options.group) end
  add(words, table.unpack(options.args or {}))
  add(words, "--", log, table.unpack(options.after or {}))
  local process = rille.start(words, options)
  process.log, process.script = log, path
  return process
end

-- Runs to its end, with the status that is expected (0).
function rille.finish(options, status)
  local process = rille.run(options)
  local got = process:wait(options.limit or 30)
  if got ~= (status or 0) then
    error(("status %s, not %d, of %s\n%s"):format(got, status or 0, process.command, process:err()), 2)
  end
  return process
end

-- Runs this body of a handler once, with `out` and the arguments in `arg`: for what only the program can make (Avro).
-- Gives what it printed.
function rille.once(body, ...)
  local words = { "run", "--code", "return function(_, out) " .. body .. "\nend", "-b", rille.brokers, "--input-format", "lines" }
  add(words, "--input", proc.write(proc.folder() .. "/once", "1\n"), "--", ...)
  local run = rille.start(words)
  local status = run:wait(30)
  if status ~= 0 then error(("status %s of %s\n%s"):format(status, run.command, run:err()), 2) end
  return run:out()
end

-- The lines a handler said, each split at blanks; those that begin with `kind` only, where it is given.
function rille.said(process, kind)
  local lines = {}
  for line in proc.read(process.log):gmatch "([^\n]*)\n" do
    local words = {}
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    words.line = line
    if not kind or words[1] == kind then lines[#lines + 1] = words end
  end
  return lines
end

function rille.count(process, kind)
  return #rille.said(process, kind)
end

-- Waits until the handler said `n` lines of a kind (message); fails when it does not.
function rille.await(process, n, kind, limit)
  kind = kind or "message"
  local ok = proc.till(limit or 20, function()
    return rille.count(process, kind) >= n or not process:running() and rille.count(process, kind) >= n
  end)
  if not ok then
    error(("%d lines of %s, not %d: %s\n%s"):format(rille.count(process, kind), kind, n, process.command,
      process:err()), 2)
  end
  return process
end

-- How often each message was handled, from what handlers said: { ["topic/partition/offset"] = times }, and in all.
function rille.times(...)
  local times, all = {}, 0
  for _, process in ipairs { ... } do
    for _, w in ipairs(rille.said(process, "message")) do
      local at = w[2] .. "/" .. w[3] .. "/" .. w[4]
      times[at] = (times[at] or 0) + 1
      all = all + 1
    end
  end
  return times, all
end

function rille.distinct(...)
  local n = 0
  for _ in pairs((rille.times(...))) do n = n + 1 end
  return n
end

-- What a group has committed in a topic: { ["0"] = offset }.
function rille.committed(group, topic, brokers)
  return tool.ask("offsets", { group = group, brokers = brokers }).offsets[topic] or {}
end

-- Lag by kafka-consumer-groups: the sum over a topic's partitions, all of one that it does not list since nothing of
-- it was committed; nil when it lists nothing.
function rille.lag(group, topic, brokers)
  local lags, sum = {}, 0
  for _, row in ipairs(tool.ask("describe", { group = group, brokers = brokers }).rows) do
    if row.topic == topic then lags[("%d"):format(row.partition)] = tonumber(row.lag) end
  end
  if not next(lags) then return nil end
  local begins = tool.ask("ends", { topic = topic, brokers = brokers, begin = true }).offsets
  for partition, last in pairs(tool.ask("ends", { topic = topic, brokers = brokers }).offsets) do
    sum = sum + (lags[partition] or last - begins[partition])
  end
  return sum
end

function rille.read(topic, options)
  options = options or {}
  return tool.ask("read", { topic = topic, isolation = options.isolation, brokers = options.brokers }).records
end

-- The values in a topic as they lie in it (of several partitions: one after the other); null as the word null.
function rille.sequence(topic, options)
  local values = {}
  for i, r in ipairs(rille.read(topic, options)) do values[i] = r.v == tool.null and "null" or r.v or r.v64 end
  return values
end

-- The same, sorted.
function rille.values(topic, options)
  local values = rille.sequence(topic, options)
  table.sort(values)
  return values
end

-- The headers of a record as { name = value } (last one wins).
function rille.headers(record)
  local headers = {}
  for _, h in ipairs(record.h) do headers[h.n] = h.v end
  return headers
end

-- NDJSON text to a list of values.
function rille.ndjson(text)
  local values = {}
  for line in text:gmatch "[^\n]+" do values[#values + 1] = cjson.decode(line) end
  return values
end

return rille
