-- Messages and Avro values made byte by byte, for handlers that run over --input.
local proc = require "support.proc"

local wire = {}

local DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local PAIRS = {} -- two digits, by their twelve bits
for i = 0, 4095 do PAIRS[i] = DIGITS:sub((i >> 6) + 1, (i >> 6) + 1) .. DIGITS:sub((i & 63) + 1, (i & 63) + 1) end

function wire.base64(bytes)
  local out, n, whole = {}, 0, #bytes // 3 * 3
  for i = 1, whole, 3 do
    local a, b, c = bytes:byte(i, i + 2)
    out[n + 1] = PAIRS[a << 4 | b >> 4]
    out[n + 2] = PAIRS[(b & 15) << 8 | c]
    n = n + 2
  end
  local a, b = bytes:byte(whole + 1, -1)
  if b then
    out[n + 1] = PAIRS[a << 4 | b >> 4] .. PAIRS[(b & 15) << 8]:sub(1, 1) .. "="
  elseif a then
    out[n + 1] = PAIRS[a << 4] .. "=="
  end
  return table.concat(out)
end

wire.null = {} -- a message without a value

-- A file of messages for --input; each value is a string, wire.null, or { key, value }.
function wire.file(values)
  local lines = {}
  for i, v in ipairs(values) do
    local key, value = nil, v
    if type(v) == "table" and v ~= wire.null then key, value = v[1], v[2] end
    key = key and ('"key_base64":"%s",'):format(wire.base64(key)) or ""
    value = value == wire.null and '"value":null' or ('"value_base64":"%s"'):format(wire.base64(value))
    lines[i] = ('{"topic":"alerts","partition":0,"offset":%d,%s%s}\n'):format(i - 1, key, value)
  end
  return proc.write(proc.folder() .. "/messages", table.concat(lines))
end

-- ---- Avro ----

function wire.long(n)
  local zigzag, out = n << 1 ~ (n < 0 and -1 or 0), {}
  while zigzag >> 7 ~= 0 do
    out[#out + 1] = string.char(zigzag & 127 | 128)
    zigzag = zigzag >> 7
  end
  return table.concat(out) .. string.char(zigzag)
end

function wire.string(s) return wire.long(#s) .. s end

local SYNC = ("sync"):rep(4)

-- An object container of these records, which are encoded already.
function wire.container(schema, ...)
  local data = table.concat { ... }
  local head = wire.long(1) .. wire.string "avro.schema" .. wire.string(schema) .. wire.long(0)
  return "Obj\1" .. head .. SYNC .. wire.long(select("#", ...)) .. wire.long(#data) .. data .. SYNC
end

-- ---- real files ----

-- The files that a shell pattern finds among the test data, by name; nil, and why, when the data is not there.
function wire.data(pattern)
  local folder = os.getenv "RILLE_TEST_DATA" or "../shared/data"
  local files = {}
  local pipe = assert(io.popen("ls -d " .. proc.quote(folder) .. "/" .. pattern .. " 2>/dev/null"))
  for path in pipe:lines() do files[#files + 1] = path end
  pipe:close()
  if #files == 0 then return nil, ("no %s in %s (RILLE_TEST_DATA)"):format(pattern, folder) end
  return files
end

-- What they hold.
function wire.read(files)
  local values = {}
  for i, path in ipairs(files) do values[i] = proc.read(path) end
  return values
end

return wire
