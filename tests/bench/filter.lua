-- The JSON filter job: three fields of each alert, about one in eight forwarded. Writes to the file named by its
-- second argument when the first batch came, by the clock of /proc/uptime.
local function uptime() return assert(io.open "/proc/uptime"):read "n" end

local to, began = arg[1], nil
local passed = 0

return {
  fields = { rb = "candidate.rb", mag = "candidate.magpsf", nbad = "candidate.nbad" },
  batch = { size = 512 },
  handle = function(batch, out)
    began = began or uptime()
    local good = batch:where "rb >= 0.65 and mag < 18.5 and nbad == 0"
    passed = passed + #good
    out:forward(to, good)
  end,
  close = function()
    local file = assert(io.open(arg[2], "w"))
    file:write(("begin=%.2f passed=%d\n"):format(began, passed))
    file:close()
  end,
}
