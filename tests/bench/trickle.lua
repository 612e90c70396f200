-- The trickle job: everything goes to the topic that the first argument names.
local to = arg[1]

return {
  batch = { timeout = 0 },
  handle = function(batch, out) out:forward(to, batch) end,
}
