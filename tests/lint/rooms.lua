-- rooms.lua   checks the arrows between the rooms of src/: an #include points down or stays in its room, and no
-- C++ includes Lua
--
-- Prints each include that does not, and each file that is too long; exit status 1 when there is one.

-- What each room may include besides itself. kafka, codec and model do not know each other.
local below = {
  base = {},
  kafka = { "base" },
  codec = { "base" },
  model = { "base" },
  stream = { "kafka", "codec", "model", "base" },
  lua = { "stream", "kafka", "codec", "model", "base" },
  module = { "lua", "stream", "kafka", "codec", "model", "base" },
  cli = { "lua", "stream", "kafka", "codec", "model", "base" },
  man = { "cli", "base" }, -- makes the manual from the table of options
  main = { "cli", "lua", "stream", "kafka", "codec", "model", "base" },
}

-- Who may include the headers of which library.
local libraries = {
  { "^librdkafka/", "kafka" },
  { "^rdkafka", "kafka" },
  { "^simdjson", "base" },
  { "^lua%.h", "lua", "module", "main" },
  { "^lauxlib%.h", "lua", "module", "main" },
  { "^lualib%.h", "lua", "module", "main" },
  { "^curl/", "base" },
  { "^zlib%.h", "codec" },
  { "^zstd", "codec" },
  { "^snappy", "codec" },
  { "^fitsio", "model" },
}

-- No C++ frame lies under a Lua call: Lua's errors jump over it.
local function meets_lua(path, include)
  local lua = include:find "^lua%.h" or include:find "^lauxlib%.h" or include:find "^lualib%.h" or include:find "^lua/"
  if path:find "%.cpp$" and lua then return ("C++ may not know Lua: %s"):format(include) end
end

local longest = 600 -- lines; a longer file holds more than one idea

local function set(list, from)
  local is = {}
  for i = from or 1, #list do is[list[i]] = true end
  return is
end

local function room_of(path) return path:match "^src/(%w+)/" or path:match "^src/(%w+)%.c" end

local function fault(room, include)
  local other = include:match "^(%w+)/.+%.h$"
  if other and below[other] and other ~= room and not set(below[room])[other] then
    return ("room %s may not know %s"):format(room, other)
  end
  for _, library in ipairs(libraries) do
    if include:find(library[1]) and not set(library, 2)[room] then
      return ("%s belongs to %s"):format(include, table.concat(library, ", ", 2))
    end
  end
end

local faults = 0
local function tell(path, line, text)
  faults = faults + 1
  print(("%s:%d: %s"):format(path, line, text))
end

local function check(path)
  local room, n = room_of(path), 0
  if not below[room] then tell(path, 1, "no such room: " .. tostring(room)) end
  for line in io.lines(path) do
    n = n + 1
    local include = line:match '^%s*#%s*include%s*[<"]([^">]+)'
    local what = include and below[room] and (meets_lua(path, include) or fault(room, include))
    if what then tell(path, n, what) end
  end
  if n > longest then tell(path, n, ("longer than %d lines: split it by idea"):format(longest)) end
end

for _, path in ipairs(arg) do check(path) end
os.exit(faults == 0)
