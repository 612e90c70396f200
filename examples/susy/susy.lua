-- What the scripts of this folder share: how a row is read, and the tutorial's network.
local rille = require "rille"

local susy = {}

susy.columns = {
  -- low level: what the detector saw
  "lepton_1_pT", "lepton_1_eta", "lepton_1_phi", "lepton_2_pT", "lepton_2_eta", "lepton_2_phi",
  "missing_energy_magnitude", "missing_energy_phi",
  -- high level: what physicists make of it
  "MET_rel", "axial_MET", "M_R", "M_TR_2", "R", "MT2", "S_R", "M_Delta_R", "dPhi_r_b", "cos_theta_r1",
}

-- The columns are read in C, and only as numbers. The label is the message's key.
susy.fields = { label = { path = "@key", type = "f32" } }
for _, name in ipairs(susy.columns) do susy.fields[name] = { path = name, type = "f32" } end
susy.csv = { columns = susy.columns }

-- Features [rows, 18] and labels [rows, 1] of a batch, without rows in which something is missing.
function susy.rows(batch)
  local x, whole = batch:tensor(susy.columns)
  local y, labelled = batch:tensor "label"
  local good = whole & labelled
  return x:rows(good), y:rows(good)
end

-- 68,481 parameters. Its loss is the binary cross-entropy, its optimiser Adam.
function susy.network(seed)
  return rille.mlp {
    #susy.columns, 128, 256, 128, 1,
    hidden = "relu", output = "sigmoid", dropout = { 0.2, 0.4, 0.4 }, seed = seed,
  }
end

return susy
