-- Processes: started in the background with their output in files, waited for with a limit, signalled by id.
local system = require "system"

local proc = {}
proc.__index = proc

local started = {}

function proc.quote(word)
  return "'" .. tostring(word):gsub("'", [['\'']]) .. "'"
end

local function quoted(words)
  local out = {}
  for i, word in ipairs(words) do out[i] = proc.quote(word) end
  return table.concat(out, " ")
end

function proc.read(path)
  local file = io.open(path, "rb")
  if not file then return "" end
  local text = file:read "a"
  file:close()
  return text
end

function proc.write(path, text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  assert(file:close())
  return path
end

-- Calls fn until it gives a true value or `limit` seconds are over; returns the value.
function proc.till(limit, fn)
  local give_up = system.monotime() + limit
  repeat
    local value = fn()
    if value then return value end
    system.sleep(0.01)
  until system.monotime() > give_up
  return fn()
end

local base, count = nil, 0

-- The folder of this Lua.
function proc.base()
  if not base then
    local run = os.getenv "RILLE_TEST_RUN"
    local pipe = assert(io.popen("mktemp -d " .. (run and run .. "/spec.XXXXXX" or "")))
    base = pipe:read "l"
    pipe:close()
    if not run then -- no runner tidies up after us
      proc.gone = setmetatable({}, { __gc = function() os.execute("rm -rf " .. proc.quote(base)) end })
    end
  end
  return base
end

-- A fresh folder in it.
function proc.folder()
  count = count + 1
  local path = proc.base() .. "/" .. count
  assert(os.execute("mkdir " .. path))
  return path
end

-- The tests' own settings, which the program would take for mistaken ones of its own.
local OURS = { "RILLE_ROOT", "RILLE_SO", "RILLE_PRELOAD", "RILLE_TEST_RUN", "RILLE_TEST_SLOT", "RILLE_TEST_BROKERS",
  "RILLE_TEST_SASL", "RILLE_TEST_DATA" }

-- Starts words as a process. options: stdin (text), env (table), stdout (a path in place of a file of its own).
-- A shell that is not interactive starts background jobs with SIGINT ignored; env gives it back.
function proc.start(words, options)
  options = options or {}
  local dir = proc.folder()
  local env = { "env", "--default-signal=INT,QUIT,PIPE" }
  for _, name in ipairs(OURS) do
    env[#env + 1] = "-u"
    env[#env + 1] = name
  end
  for name, value in pairs(options.env or {}) do env[#env + 1] = name .. "=" .. value end
  local input = options.stdin and proc.write(dir .. "/stdin", options.stdin) or options.input or "/dev/null"
  local self = setmetatable({ dir = dir, stdout = options.stdout or dir .. "/stdout" }, proc)
  local command = "( exec ENV WORDS <INPUT >OUTPUT 2>DIR/stderr & echo $! >DIR/pid; wait $!; "
    .. "echo $? >DIR/rc.new; mv DIR/rc.new DIR/rc ) >/dev/null 2>&1 &"
  command = command:gsub("%u%u%u+", {
    ENV = quoted(env), WORDS = quoted(words), INPUT = proc.quote(input), OUTPUT = proc.quote(self.stdout), DIR = proc.quote(dir),
  })
  self.command = quoted(words)
  assert(os.execute(command))
  self.pid = proc.till(5, function() return tonumber(proc.read(dir .. "/pid")) end)
  self.since = system.monotime()
  started[self] = true
  return self
end

function proc:out() return proc.read(self.stdout) end
function proc:err() return proc.read(self.dir .. "/stderr") end

-- Its exit status (128 + N when signal N ended it) within `limit` seconds; nil when it still runs.
function proc:wait(limit)
  local status = proc.till(limit or 30, function() return tonumber(proc.read(self.dir .. "/rc")) end)
  if status then
    self.seconds = self.seconds or system.monotime() - self.since
    started[self] = nil
  end
  return status
end

function proc:running() return self:wait(0) == nil end

function proc:kill(signal)
  os.execute(("kill -%s %d 2>/dev/null"):format(signal or "TERM", self.pid))
  self.since = system.monotime()
end

-- Waits until stderr (or stdout, with from = "out") holds the text; returns whether it came.
function proc:says(text, limit, from)
  local read = from == "out" and self.out or self.err
  return proc.till(limit or 15, function() return read(self):find(text, 1, true) or not self:running() end)
    and read(self):find(text, 1, true) ~= nil
end

-- The peak of its resident memory so far, in MiB.
function proc:peak()
  local kib = proc.read("/proc/" .. self.pid .. "/status"):match "VmHWM:%s+(%d+)"
  return kib and tonumber(kib) / 1024
end

-- Whoever started it ends it: not end_all.
function proc.keep(process) started[process] = nil end

-- For after_each: nothing outlives its test.
function proc.end_all()
  for process in pairs(started) do
    if process:running() then
      process:kill "KILL"
      process:wait(5)
    end
  end
  started = {}
end

return proc
