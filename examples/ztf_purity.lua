-- Forwards the alerts of a ZTF stream that are likely real: IPAC's purity filter.
--
--   rille run examples/ztf_purity.lua -b localhost:9092 -t ztf_20200202_programid1 -G purity -e
--
-- Each alert is an Avro container of 40 to 90 KB that brings its own schema, which is parsed once and not once an
-- alert; the five fields are read, and the cutouts and the history stay bytes. What passes goes on byte for byte, to
-- the topic `pure` or the one named after `--`.
local to = arg[1] or "pure"

return {
  decode = "avro",
  fields = {
    "candid",
    rb = "candidate.rb",
    nbad = "candidate.nbad",
    fwhm = "candidate.fwhm",
    elong = "candidate.elong",
    magdiff = "candidate.magdiff",
  },
  handle = function(batch, out)
    local pure = batch:where "rb >= 0.65 and nbad == 0 and fwhm <= 5 and elong <= 1.2 and abs(magdiff) <= 0.1"
    out:forward(to, pure)
    for i = 1, #pure do print(pure.candid[i]) end
    print(("%d alerts, %d pure"):format(#batch, #pure))
  end,
}
