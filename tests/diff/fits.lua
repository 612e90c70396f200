-- fits.lua FOLDER CASES   reads each case's image and saves it as .npy; for fits.py
local folder, cases = arg[1], tonumber(arg[2])
local rille = require "rille"

for case = 1, cases do
  local file <close> = assert(io.open(("%s/%d.fits"):format(folder, case), "rb"))
  local image = assert(rille.fits.image(file:read "a"))
  assert(rille.tensor.save(("%s/%d.npy"):format(folder, case), image))
end

return function() end
