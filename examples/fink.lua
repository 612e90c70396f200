-- Picks supernova candidates out of Fink's stream, whose messages bring their Avro schema in the key.
--
--   rille run examples/fink.lua -b localhost:9092 -t fink_sn_candidates_ztf -G fink -e
--
-- The value is a bare Avro record; `framing = "key"` says where its schema is (rille finds it by itself, too, where
-- nothing else fits). It is parsed once and not once an alert. What passes goes on with its key, so that whoever reads
-- the topic can decode it: to `sn` or the topic named after `--`.
local to = arg[1] or "sn"

return {
  decode = "avro",
  framing = "key",
  fields = {
    "objectId",
    "candid",
    class = "cdsxmatch",
    ia = "snn_snia_vs_nonia",
    sn = "snn_sn_vs_all",
    mag = "candidate.magpsf",
  },
  handle = function(batch, out)
    local found = batch:where "class in {'Unknown', 'Candidate_SN*', 'SN', 'Transient'} and (ia > 0.5 or sn > 0.5)"
    out:forward(to, found)
    for i = 1, #found do
      print(("%s %d mag %.2f, SN Ia %.2f, SN %.2f"):format(
        found.objectId[i], found.candid[i], found.mag[i] or 0 / 0, found.ia[i] or 0 / 0, found.sn[i] or 0 / 0))
    end
    print(("%d alerts, %d candidates"):format(#batch, #found))
  end,
}
