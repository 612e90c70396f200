-- The Avro job. CUT=purity: the purity filter of examples/ztf_purity.lua. CUT=rb: four fields, and those with rb >= 0.65
-- are counted. After each batch one message goes to the topic that the first argument names, so that its timestamps tell
-- when batches ended: how many passed, and with purity their ids. The counts go to the file named by the second argument,
-- a line a lane.
local to, passed, sent, first = arg[1], 0, 0, nil
local jobs = {
  purity = {
    fields = {
      id = "candid", rb = "candidate.rb", nbad = "candidate.nbad", fwhm = "candidate.fwhm", elong = "candidate.elong",
      magdiff = "candidate.magdiff",
    },
    where = "rb >= 0.65 and nbad == 0 and fwhm <= 5 and elong <= 1.2 and abs(magdiff) <= 0.1",
    ids = true,
  },
  rb = {
    fields = { id = "candid", object = "objectId", mag = "candidate.magpsf", rb = "candidate.rb" },
    where = "rb >= 0.65",
  },
}
local job = jobs[os.getenv "CUT" or "purity"]

return {
  decode = "avro",
  fields = job.fields,
  handle = function(batch, out)
    local good = batch:where(job.where)
    first = first or #batch
    passed, sent = passed + #good, sent + 1
    local ids = job.ids and table.concat(good.id, " ") or ""
    out:send(to, ("%d of %d: %s"):format(#good, #batch, ids))
  end,
  close = function()
    local file <close> = assert(io.open(arg[2], "a"))
    file:write(("passed=%d sent=%d first=%d\n"):format(passed, sent, first or 0))
  end,
}
