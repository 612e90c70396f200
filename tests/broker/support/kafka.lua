-- A Kafka of a spec's own, to be stopped and killed.
local proc = require "support.proc"

local kafka = {}
kafka.__index = kafka

local script = (os.getenv "RILLE_ROOT" or ".") .. "/tests/broker/kafka"

local function call(verb, dir, ...)
  local words = { proc.quote(script), verb, proc.quote(dir) }
  for _, word in ipairs { ... } do words[#words + 1] = proc.quote(word) end
  assert(os.execute(table.concat(words, " ") .. " >" .. dir .. ".words 2>&1"), proc.read(dir .. ".words"))
end

-- Starts one; options are server properties "key=value".
function kafka.start(...)
  local self = setmetatable({ dir = proc.folder() .. "/kafka" }, kafka)
  call("start", self.dir, ...)
  self.address = proc.read(self.dir .. "/address"):match "%S+"
  return self
end

function kafka:stop() call("stop", self.dir) end
function kafka:kill() call("kill", self.dir) end
function kafka:resume() call("resume", self.dir) end

-- Freezes and thaws it: connections stay, answers do not come.
function kafka:signal(name)
  os.execute(("kill -%s %d"):format(name, self:pid()))
end

function kafka:pid()
  return math.tointeger(proc.read(self.dir .. "/pid"):match "%d+")
end

return kafka
