-- A server of models of a spec's own (tool/Model.java), to be stopped and started again at its port.
local proc = require "support.proc"

local model = {}
model.__index = model

local root = os.getenv "RILLE_ROOT" or "."
local libs = os.getenv "KAFKA_LIBS" or root .. "/build/kafka/libs"

function model.start()
  local self = setmetatable({ port = "0", loading = proc.folder() .. "/loading" }, model)
  self:resume()
  return self
end

function model:resume()
  local address = proc.folder() .. "/address"
  self.process = proc.start { "java", "-Xmx100m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
    "-cp", root .. "/build/broker/classes:" .. libs .. "/*", "Model", address, self.port, self.loading }
  assert(proc.till(30, function() return proc.read(address) ~= "" or not self.process:running() end))
  self.port = proc.read(address):match ":(%d+)" or error("the model did not come up: " .. self.process:err())
  self.uri = "kserve://127.0.0.1:" .. self.port .. "/sum"
end

function model:stop()
  self.process:kill "TERM"
  assert(self.process:wait(10))
end

-- While it is loading it has its port, and no model.
function model:is_loading(yes)
  if yes then return assert(io.open(self.loading, "w")):close() end
  assert(os.remove(self.loading))
end

-- Freezes and thaws it: connections stay, answers do not come.
function model:signal(name) self.process:kill(name) end

return model
