-- The growth job: the first FIELDS fields (f1, f2 …) are selected; those with f1 >= 50 that have the last of them, too, are
-- counted. One message a batch goes to the topic that the first argument names, so that its timestamps tell when
-- batches ended. Of each lane a line goes to the file that the second names: the process's CPU time at the end of its first
-- batch and of all, and counts.
local to, count = arg[1], tonumber(os.getenv "FIELDS")
local begin, first, handled, passed, batches = nil, 0, 0, 0, 0
local fields = {}
for i = 1, count do fields[i] = "f" .. i end
local good = ("f1 >= 50 and f%d ~= nil"):format(count)

return {
  decode = "json",
  fields = fields,
  handle = function(batch, out)
    handled, passed, batches = handled + #batch, passed + #batch:where(good), batches + 1
    out:send(to, tostring(#batch))
    if not begin then begin, first = os.clock(), #batch end
  end,
  close = function()
    if not begin then return end -- a lane that got no partition
    local file <close> = assert(io.open(arg[2], "a"))
    file:write(("begin=%.6f end=%.6f handled=%d passed=%d batches=%d first=%d\n"):format(begin, os.clock(), handled, passed,
      batches, first))
  end,
}
