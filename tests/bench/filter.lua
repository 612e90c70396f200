-- The JSON filter job: three fields of each alert, about one in eight forwarded to the topic named by the first
-- argument. How many passed goes to the file named by the second, a line a lane.
local to, passed = arg[1], 0

return {
  fields = { rb = "candidate.rb", mag = "candidate.magpsf", nbad = "candidate.nbad" },
  handle = function(batch, out)
    local good = batch:where "rb >= 0.65 and mag < 18.5 and nbad == 0"
    passed = passed + #good
    out:forward(to, good)
  end,
  close = function()
    local file <close> = assert(io.open(arg[2], "a"))
    file:write(("passed=%d\n"):format(passed))
  end,
}
