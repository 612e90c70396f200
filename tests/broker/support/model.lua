-- A server of models of a spec's own (tool/Model.java), to be stopped and started again at its port.
local proc = require "support.proc"

local model = {}
model.__index = model

local root = os.getenv "RILLE_ROOT" or "."
local libs = os.getenv "KAFKA_LIBS" or root .. "/build/kafka/libs"

function model.start()
  local self = setmetatable({ port = "0", trouble = proc.folder() .. "/trouble" }, model)
  self:resume()
  return self
end

function model:resume()
  local address = proc.folder() .. "/address"
  self.process = proc.start { "java", "-Xmx100m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
    "-cp", root .. "/build/broker/classes:" .. libs .. "/*", "Model", address, self.port, self.trouble }
  assert(proc.till(30, function() return proc.read(address) ~= "" or not self.process:running() end))
  self.port = proc.read(address):match ":(%d+)" or error("the model did not come up: " .. self.process:err())
  self.uri = "kserve://127.0.0.1:" .. self.port .. "/sum"
end

function model:stop()
  self.process:kill "TERM"
  assert(self.process:wait(10))
end

-- From now on its calls get that status; nil: it is well again.
function model:answers(status)
  if not status then return assert(os.remove(self.trouble)) end
  local file <close> = assert(io.open(self.trouble .. ".new", "w"))
  assert(file:write(status))
  assert(file:close())
  assert(os.rename(self.trouble .. ".new", self.trouble))
end

-- Freezes and thaws it: connections stay, answers do not come.
function model:signal(name) self.process:kill(name) end

return model
