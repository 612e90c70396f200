-- The traps of real alerts, read by handlers. The files are not part of the repository: without them the tests say so.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local wire = require "support.wire"

local has, passes, run = input.has, input.passes, input.run

local function real(pattern)
  local files, why = wire.data(pattern)
  if not files then pending(why) end
  return files
end

-- The 30 alerts of 2018-08-19, of schema 3.0.
local function of_2018()
  local tar = real "ztf/ztf_public_20180819_mod1000.tar.gz"
  if not tar then return end
  local folder = proc.folder()
  assert(os.execute(("tar -xzf %s -C %s"):format(proc.quote(tar[1]), proc.quote(folder))))
  local files = {}
  for path in assert(io.popen("find " .. proc.quote(folder) .. " -name '*.avro' | sort")):lines() do
    files[#files + 1] = path
  end
  return files
end

local function handler(fields, text)
  return ("return { decode = 'avro', fields = { %s }, handle = function(batch) %s end }"):format(fields, text)
end

describe("ZTF's alerts of 2018-08-19", function()
  after_each(proc.end_all)

  it("examples/ztf_purity.lua: 9 of 30 are pure, and go on byte for byte", function()
    local files = of_2018()
    if not files then return end
    local to = proc.folder() .. "/pure"
    has(passes(proc.read "examples/ztf_purity.lua", wire.read(files), "--", "file:" .. to), "30 alerts, 9 pure\n")
    local sent = proc.read(to)
    assert.equal(9, select(2, sent:gsub("\n", "")))
    local found = 0
    for _, value in ipairs(wire.read(files)) do
      if sent:find('"value_base64":"' .. wire.base64(value) .. '"', 1, true) then found = found + 1 end
    end
    assert.equal(9, found)
  end)

  it("the purity filter as conditions, one by one and at once", function()
    local files = of_2018()
    if not files then return end
    local out = passes(handler("rb = 'candidate.rb', nbad = 'candidate.nbad', fwhm = 'candidate.fwhm', " ..
      "elong = 'candidate.elong', magdiff = 'candidate.magdiff'", [[
        local cuts = { "rb >= 0.65", "nbad == 0", "fwhm <= 5", "elong <= 1.2", "abs(magdiff) <= 0.1" }
        local view = batch
        for _, cut in ipairs(cuts) do view = view:where(cut) end
        print(#view, #batch:where(table.concat(cuts, " and ")), #batch:where("magdiff between -0.1 and 0.1 and " ..
          table.concat(cuts, " and ", 1, 4)))]]), wire.read(files))
    assert.equal("9\t9\t9\n", out)
  end)

  it("isdiffpos is t or f; in the history t, f, 1, 0 and null", function()
    local files = of_2018()
    if not files then return end
    local out = passes(handler("pos = 'candidate.isdiffpos', past = 'prv_candidates[*].isdiffpos'", [[
      print(#batch:where "pos == 't'", #batch:where "pos == 'f'", #batch:where "pos in {'t', '1'}",
        #batch:where "pos == 1 or pos == true")
      local seen = {}
      for i = 1, #batch do
        local past = batch.past[i]
        for k = 1, past and past.n or 0 do
          local v = tostring(past[k])
          seen[v] = (seen[v] or 0) + 1
        end
      end
      print(seen.t, seen.f, seen["1"], seen["0"], seen["nil"])]]), wire.read(files))
    assert.equal("16\t14\t16\t0\n125\t145\t2\t2\t470\n", out)
  end)

  it("-999 stands for what is not known: a number like any other, 150 times", function()
    local files = of_2018()
    if not files then return end
    local out = passes(handler("ss = 'candidate.ssdistnr', bright = 'candidate.neargaiabright'", [[
      local n = 0
      for _, m in batch:messages() do
        for _, v in pairs(m:decode().candidate) do if v == -999 then n = n + 1 end end
      end
      print(n, #batch:where "ss == -999", #batch:where "ss < 10", #batch:where "ss between 0 and 10",
        #batch:where "bright == -999")]]), wire.read(files))
    assert.equal("150\t30\t30\t0\t10\n", out)
  end)

  it("schema 3.0 has no drb: missing there, and in a batch with later schemas", function()
    local files = of_2018()
    local later = files and real "ztf/11*.avro"
    if not later then return end
    local text = handler("version = 'schemavsn', drb = 'candidate.drb'", [[
      print(#batch, #batch:where "drb == nil", #batch:where "version == '3.0'", #batch:where "drb >= 0",
        #batch:where "not (drb > 0.5)" + #batch:where "drb > 0.5")]])
    local values = wire.read(files)
    for _, value in ipairs(wire.read(later)) do table.insert(values, 1 + #values % 29, value) end
    local out, err = passes(text, values)
    assert.equal("42\t30\t30\t12\t12\n", out)
    assert.is_nil(err:find("in none", 1, true), err)
    out, err = passes(text, wire.read(files))
    assert.equal("30\t30\t30\t0\t0\n", out)
    has(err, "field 'drb' (candidate.drb) is in none of the first 30 messages")
  end)
end)

describe("cutouts", function()
  after_each(proc.end_all)

  it("NaN pixels are counted, not lost: 2149 of one alert, 120 of another", function()
    local files = real "ztf/2475433850015015000.avro"
    local fink = files and real "fink/fink-broker-sample-alert-1.avro"
    if not fink then return end
    local out = passes(handler("s = 'cutoutScience.stampData', t = 'cutoutTemplate.stampData', " ..
      "d = 'cutoutDifference.stampData'", [[
        for i = 1, #batch do
          for _, name in ipairs { "s", "t", "d" } do
            local image = assert(rille.fits.image(batch.columns[name][i]))
            local n = 0
            for _, row in ipairs(image:totable()) do for _, v in ipairs(row) do if v ~= v then n = n + 1 end end end
            print(n, table.concat(image.shape, "x"), image.dtype)
          end
        end]]), wire.read { files[1], fink[1] })
    assert.equal(("2149\t63x63\tfloat32\n0\t63x63\tfloat32\n2149\t63x63\tfloat32\n") ..
      ("120\t63x63\tfloat32\n0\t63x63\tfloat32\n120\t63x63\tfloat32\n"), out)
  end)

  -- A FITS file's parts by their cards: "NAME BITPIX 30x30" each.
  local PARTS = [[
    local function parts(bytes)
      local at, found = 1, {}
      while at <= #bytes do
        local head = {}
        while bytes:sub(at, at + 7) ~= "END     " do
          local name, value = bytes:sub(at, at + 79):match "^([%w-]+) *= *'?([^ '/]+)"
          if name then head[name] = value end
          at = at + 80
        end
        at = 1 + (at + 79 + 2879) // 2880 * 2880
        local axes, size = {}, math.abs(math.tointeger(head.BITPIX)) // 8
        for i = 1, math.tointeger(head.NAXIS) do axes[i] = head["NAXIS" .. i]; size = size * math.tointeger(axes[i]) end
        found[#found + 1] = ("%s %s %s"):format(head.EXTNAME or "-", head.BITPIX, table.concat(axes, "x"))
        at = at + (size + 2879) // 2880 * 2880
      end
      return table.concat(found, ", ") .. (at == #bytes + 1 and "" or " and more")
    end
  ]]

  it("ZTF's are gzip'd, 63 x 63, BITPIX -32; LSST's are plain, with UNCERT (f32) and PSFIMAGE (f64) behind the image", function()
    local ztf = real "ztf/1127561445515015011.avro"
    local lsst = ztf and real "lsst/*.confluent"
    local schema = lsst and real "lsst/lsst.v9_0.alert.avsc"
    if not schema then return end
    assert.equal("- -32 63x63\n", (passes(PARTS .. handler("cut = 'cutoutScience.stampData'", [[
      print(parts(assert(rille.gunzip(batch.cut[1]))))]]), wire.read(ztf))))
    local out = passes(PARTS .. handler("s = 'cutoutScience', t = 'cutoutTemplate', d = 'cutoutDifference'", [[
      print(parts(batch.s[1])); print(parts(batch.t[1])); print(parts(batch.d[1]))
      print(#batch.s[1], #batch.t[1], #batch.d[1])]]), wire.read(lsst), "--framing", "confluent", "--schema", schema[1])
    local small = "- -32 30x30, UNCERT -32 30x30, PSFIMAGE -64 41x41\n"
    assert.equal(small .. small:gsub("41x41", "77x77") .. small .. "34560\t69120\t34560\n", out)
  end)
end)

describe("damaged files", function()
  after_each(proc.end_all)

  it("are named, with the byte", function()
    local files = real "damaged/test_alerts_Ia_Hsiao_v2_53.avro"
    if not files then return end
    local text = handler("'candid'", "print(#batch)")
    local status, out, err = run(text, files[1], "--input-format", "whole")
    assert.equal(4, status, err)
    assert.equal("", out)
    has(err, files[1] .. "[0] offset 0: the value does not decode: Avro: ")
    has(err, "at byte 81385")
    local dead = proc.folder() .. "/dead"
    local _, warned = passes(text, files[1], "--input-format", "whole", "--dead-letter", "file:" .. dead)
    has(warned, files[1] .. "[0] offset 0: Avro: ")
    has(warned, "at byte 81385: dead-lettered")
  end)
end)
