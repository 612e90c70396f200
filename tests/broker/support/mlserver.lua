-- MLServer with the braai model (make mlserver puts it into build/mlserver).
local cjson = require "cjson"

local proc = require "support.proc"

local mlserver = {}

local root = os.getenv "RILLE_ROOT" or "."
local data = os.getenv "RILLE_TEST_DATA" or "../shared/data"

mlserver.triplets = data .. "/models/usage_triplets.npy"
mlserver.candidates = data .. "/models/usage_candidates.csv"
mlserver.braai = data .. "/models/braai_d6_m9.onnx"

-- Why the specs of it are left out; nil: they are not.
function mlserver.absent()
  if proc.read(root .. "/build/mlserver/.done") == "" then return "no build/mlserver: run make mlserver" end
  if proc.read(mlserver.braai) == "" then return ("no models in %s (RILLE_TEST_DATA)"):format(data) end
end

local function free_ports(n)
  local text = "import socket; s = [socket.socket() for _ in range(%d)]; [x.bind(('127.0.0.1', 0)) for x in s]; "
    .. "print(*[x.getsockname()[1] for x in s])"
  local pipe = assert(io.popen(proc.quote(root .. "/build/mlserver/bin/python") .. " -c " .. proc.quote(text:format(n))))
  local ports = {}
  for port in pipe:read("a"):gmatch "%d+" do ports[#ports + 1] = math.tointeger(tonumber(port)) end
  pipe:close()
  return ports
end

-- Starts it: its process, and the URI of the model.
function mlserver.start()
  local dir, ports = proc.folder(), free_ports(3)
  local pipe = assert(io.popen("realpath " .. proc.quote(mlserver.braai)))
  local braai = pipe:read "l"
  pipe:close()
  proc.write(dir .. "/settings.json", cjson.encode {
    host = "127.0.0.1", http_port = ports[1], grpc_port = ports[2], metrics_port = ports[3], parallel_workers = 0,
  })
  proc.write(dir .. "/model-settings.json", cjson.encode {
    name = "braai", implementation = "onnx_model.OnnxModel", parameters = { uri = braai },
    inputs = { { name = "triplets", datatype = "FP32", shape = { -1, 63, 63, 3 } } },
    outputs = { { name = "score", datatype = "FP32", shape = { -1, 1 } } },
  })
  local process = proc.start({ root .. "/build/mlserver/bin/mlserver", "start", dir },
    { env = { PYTHONPATH = root .. "/tests/mlserver" } })
  return process, ("kserve://127.0.0.1:%d/braai"):format(ports[1])
end

return mlserver
