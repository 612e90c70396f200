-- Scores ZTF's alerts with ACAI, five classifiers of light curves and cutouts: from an alert's bytes to its scores.
--
--   rille run examples/acai.lua -b localhost:9092 -t ztf_20200202_programid1 -G acai -- MODELS scores
--   rille run examples/acai.lua --input alert.avro --input-format whole -- MODELS
--
-- MODELS is the folder with the five .onnx files. An alert becomes 25 features and a stack of its three cutouts, each a
-- gzip'd FITS image of at most 63 x 63 pixels: NaN becomes 0, and each is divided by its L2 norm. What comes of it goes to
-- the topic that is named last, or to standard output:
--
--   {"acai":{"b":0.0001,"h":0.0023,"n":0.0005,"o":0.0002,"v":0.99385},"candid":2695378462115010012,"objectId":"ZTF…"}
--
-- An alert that lacks a feature or a cutout, or has an infinity there, has no score, which is not a score of 0:
-- {"candid":…,"no_score":"why",…}.
local folder, to = arg[1] or "models", arg[2] or "-"
local SIDE = 63 -- pixels of a cutout

local FEATURES = { -- in the order of the models
  "drb", "diffmaglim", "ra", "dec", "magpsf", "sigmapsf", "chipsf", "fwhm", "sky", "chinr", "sharpnr",
  "sgscore1", "distpsnr1", "sgscore2", "distpsnr2", "sgscore3", "distpsnr3",
  "ndethist", "ncovhist", "scorr", "nmtchps", "clrcoeff", "clrcounc", "neargaia", "neargaiabright",
}
local CUTOUTS = { "Science", "Template", "Difference" }

local models = {}
for name in ("hvonb"):gmatch "." do models[name] = rille.model(("%s/acai_%s.d1_dnn_20201130.onnx"):format(folder, name)) end

-- At a detector's edge cutouts are smaller. They are filled up at their ends, with what the models were trained on there.
local function fill_up(image)
  local rows = image:totable()
  for y = 1, SIDE do
    rows[y] = rows[y] or {}
    for x = #rows[y] + 1, SIDE do rows[y][x] = 1e-9 end
  end
  return rille.tensor(rows, "float32")
end

-- A cutout as the models want it; or nil, and why not.
local function plane(bytes)
  local image, why = rille.fits.image(bytes)
  if not image then return nil, why end
  local shape = image.shape
  if #shape ~= 2 or image.size == 0 or shape[1] > SIDE or shape[2] > SIDE then
    return nil, ("an image of shape [%s]"):format(table.concat(shape, ", "))
  end
  image = image:to("float32"):nan_to(0)
  if math.max(image:max(), -image:min()) == math.huge then return nil, "an infinite pixel" end
  image = image:reshape(-1):normalize():reshape(shape)
  return image.size == SIDE * SIDE and image or fill_up(image)
end

-- The three cutouts of row i, one behind the other on the last axis; or nil, and why not.
local function triplet(batch, i)
  local planes = {}
  for k, name in ipairs(CUTOUTS) do
    local image, why = plane(batch.columns["cutout" .. name][i])
    if not image then return nil, ("cutout%s: %s"):format(name, why) end
    planes[k] = image
  end
  return rille.tensor.stack(planes, -1)
end

local function missing(batch, i)
  for _, name in ipairs(FEATURES) do
    local value = batch.columns[name][i]
    if not value or value ~= value or math.abs(value) == math.huge then return "no " .. name end
  end
end

-- The scores of these rows, by model.
local function score(features, triplets)
  local scores = {}
  for name, model in pairs(models) do scores[name] = model { features = features, triplets = triplets }:column(1) end
  return scores
end

local fields = { "objectId", "candid" }
for _, name in ipairs(FEATURES) do fields[name] = "candidate." .. name end
for _, name in ipairs(CUTOUTS) do fields["cutout" .. name] = ("cutout%s.stampData"):format(name) end

return {
  decode = "avro",
  fields = fields,
  batch = { size = 128 },
  handle = function(batch, out)
    local features = batch:tensor(FEATURES)
    local rows, triplets, why = {}, {}, {}
    for i = 1, #batch do
      local images, reason = nil, missing(batch, i)
      if not reason then images, reason = triplet(batch, i) end
      if images then
        rows[#rows + 1], triplets[#triplets + 1] = i, images
      else
        why[i] = reason
      end
    end
    local scores = #rows > 0 and score(features:rows(rows), rille.tensor.stack(triplets)) or {}
    local at = 0
    for i = 1, #batch do
      local result = { objectId = batch.objectId[i], candid = batch.candid[i], no_score = why[i] }
      if not why[i] then
        at, result.acai = at + 1, {}
        for name, column in pairs(scores) do result.acai[name] = column[at] end
      end
      out:send(to, result, { key = result.objectId })
    end
  end,
}
