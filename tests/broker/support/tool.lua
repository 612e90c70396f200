-- Apache Kafka's own clients, asked through one JVM for the whole run (tool/Tool.java).
local cjson = require "cjson"

local tool = { null = cjson.null }
local requests, answers

local function open()
  local at = assert(os.getenv "RILLE_TEST_RUN", "run the specs with tests/broker/run") .. "/"
    .. (os.getenv "RILLE_TEST_SLOT" or "0")
  requests = assert(io.open(at .. ".in", "w"))
  answers = assert(io.open(at .. ".out", "r"))
end

-- ask("create", { topic = … }): the answer as a table; an error answer is raised.
function tool.ask(what, request)
  if not requests then open() end
  request["do"] = what
  requests:write(cjson.encode(request), "\n")
  requests:flush()
  local line = answers:read "l" or error("the tool is gone: see " .. os.getenv "RILLE_TEST_RUN" .. "/tool.log")
  local answer = cjson.decode(line)
  if answer.error then error(what .. ": " .. answer.error, 2) end
  return answer
end

local alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- For keys and values that are not UTF-8: k64 and v64.
function tool.base64(bytes)
  return (bytes:gsub("..?.?", function(three)
    local a, b, c = three:byte(1, 3)
    local n = a << 16 | (b or 0) << 8 | (c or 0)
    local out = ""
    for i = 3, 3 - #three, -1 do
      local at = (n >> 6 * i & 63) + 1
      out = out .. alphabet:sub(at, at)
    end
    return out .. ("="):rep(3 - #three)
  end))
end

return tool
