-- Picks reliable, bright detections out of Rubin's alert stream, whose messages name their schema at a registry.
--
--   rille run examples/lsst_reliable.lua -b localhost:9092 -t lsst-alerts -G reliable -e --registry http://localhost:8081
--
-- Each value is a zero byte, the schema's number (900 is v9.0), and a bare Avro record. A schema is asked for once and
-- kept; while the registry is down the messages wait, and a number it does not know is a dead letter. The log-in comes
-- from the environment (RILLE_REGISTRY_USER, RILLE_REGISTRY_PASSWORD) or from --registry-file. What passes goes on byte
-- for byte, to the topic `reliable` or the one named after `--`; a second word there is the faintest magnitude.
local to, faintest = arg[1] or "reliable", tonumber(arg[2] or 18.5)
local least = 10 ^ ((31.4 - faintest) / 2.5) -- fluxes are in nJy, AB magnitudes

local cut = ("reliability > 0.8 and snr > 5 and flux >= %.17g and (ssObjectId == nil or ssObjectId == 0)"):format(least)

return {
  decode = "avro",
  framing = "confluent",
  dead_letter = "lsst-dead",
  fields = {
    id = "diaSourceId",
    ra = "diaSource.ra",
    dec = "diaSource.dec",
    band = "diaSource.band",
    snr = "diaSource.snr",
    flux = "diaSource.scienceFlux",
    reliability = "diaSource.reliability",
    ssObjectId = "diaSource.ssObjectId", -- of the solar system, 0 if not: not ours
  },
  handle = function(batch, out)
    local found = batch:where(cut)
    out:forward(to, found)
    for i = 1, #found do
      local mag = 31.4 - 2.5 * math.log(found.flux[i], 10)
      print(("%d %s %.2f at %.5f %.5f, snr %.1f, reliability %.2f"):format(
        found.id[i], found.band[i] or "?", mag, found.ra[i], found.dec[i], found.snr[i], found.reliability[i]))
    end
    print(("%d alerts, %d reliable"):format(#batch, #found))
  end,
}
