-- A schema registry of a spec's own, to be stopped, frozen and asked; and a door before it.
local cjson = require "cjson"
local proc = require "support.proc"
local tool = require "support.tool"

local registry = {}
registry.__index = registry

local root = os.getenv "RILLE_ROOT" or "."

local function call(verb, dir)
  local words = { proc.quote(root .. "/tests/broker/registry"), verb, proc.quote(dir) }
  assert(os.execute(table.concat(words, " ") .. " >" .. dir .. ".words 2>&1"), proc.read(dir .. ".words"))
end

function registry.start()
  local self = setmetatable({ dir = proc.folder() .. "/registry" }, registry)
  call("start", self.dir)
  self.url = proc.read(self.dir .. "/url"):match "%S+"
  return self
end

function registry:stop() call("stop", self.dir) end
function registry:resume() call("resume", self.dir) end

-- Freezes and thaws it: connections stay, answers do not come.
function registry:signal(name)
  os.execute(("kill -%s %s"):format(name, proc.read(self.dir .. "/pid"):match "%d+"))
end

-- Registers a schema, and gives its id. options: type (JSON, PROTOBUF), references.
function registry:add(subject, schema, options)
  options = options or {}
  local answer = tool.ask("http", {
    method = "POST", url = self.url .. "/subjects/" .. subject .. "/versions",
    type = "application/vnd.schemaregistry.v1+json",
    body = cjson.encode { schema = schema, schemaType = options.type, references = options.references },
  })
  assert(answer.status == 200, answer.body)
  return math.tointeger(cjson.decode(answer.body).id)
end

-- A value in Confluent's framing.
function registry.framed(id, datum) return string.pack(">I1I4", 0, id) .. datum end

local function wait_for_file(path, process)
  assert(proc.till(30, function() return proc.read(path) ~= "" or not process:running() end))
  return proc.read(path):match "%S+" or error("the door did not open: " .. process:err())
end

-- A server that lets only those through who show `authorization` ("-": all), over TLS with `keys`, and with a
-- client's certificate out of `trusted`. Gives its URL and the process.
function registry:door(authorization, keys, trusted)
  local address = proc.folder() .. "/address"
  local words = { "java", "-Xmx100m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", root .. "/build/broker/classes",
    "Door", address, self.url:match "^http://[^/]*", authorization, keys, trusted }
  local process = proc.start(words)
  local place = wait_for_file(address, process)
  return (keys and "https://" or "http://") .. place .. self.url:match "^http://[^/]*(.*)$", process
end

-- A certificate for the loopback, as PEM files (.pem, .key) and as a store for Java (.p12): where, without the ending.
function registry.certificate(name)
  local at = proc.folder() .. "/" .. name
  assert(os.execute(([[cd %s && exec >%s.words 2>&1 &&
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=%s -addext subjectAltName=IP:127.0.0.1 \
      -keyout %s.key -out %s.pem &&
    openssl pkcs12 -export -in %s.pem -inkey %s.key -out %s.p12 -passout pass:store-secret]])
    :format(at:match "(.*)/", name, name, name, name, name, name, name)))
  return at
end

return registry
