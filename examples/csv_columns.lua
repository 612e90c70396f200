-- Rows of numbers as columns: the mean of some features, for signal and for background.
--
--   rille run examples/csv_columns.lua -b localhost:9092 -t susy-train -e
--
-- A message is one row of CSV without a header: 18 features of the SUSY data set. Its label is the message's key.
local sums = {}

local names = {
  "lepton_1_pT", "lepton_1_eta", "lepton_1_phi", "lepton_2_pT", "lepton_2_eta", "lepton_2_phi",
  "missing_energy_magnitude", "missing_energy_phi", "MET_rel", "axial_MET", "M_R", "M_TR_2", "R", "MT2", "S_R",
  "M_Delta_R", "dPhi_r_b", "cos_theta_r1",
}

return {
  decode = "csv",
  csv = { columns = names },
  fields = {
    label = { path = "@key", type = "f64" },
    met = { path = "missing_energy_magnitude", type = "f64" },
    { path = "M_R", type = "f64" },
  },
  handle = function(batch)
    local label, met, mr = batch.label, batch.met, batch.M_R
    for i = 1, #batch do
      local sum = sums[label[i]] or { n = 0, met = 0, mr = 0 }
      sums[label[i]] = sum
      sum.n, sum.met, sum.mr = sum.n + 1, sum.met + met[i], sum.mr + mr[i]
    end
  end,
  close = function()
    for _, label in ipairs { 0, 1 } do
      local sum = sums[label]
      if sum then
        print(("%-10s %6d rows, mean missing energy %.4f, mean M_R %.4f"):format(
          label == 1 and "signal" or "background", sum.n, sum.met / sum.n, sum.mr / sum.n))
      end
    end
  end,
}
