-- rille.fits and rille.gunzip: cutouts as tensors, whole, damaged and absent.
package.path = "tests/broker/?.lua;" .. package.path
local input = require "support.input"
local proc = require "support.proc"
local rille = require "rille"
local wire = require "support.wire"

local has = input.has

local function card(text) return text .. (" "):rep(80 - #text) end

local function header(...)
  local head = card "SIMPLE  =                    T"
  for _, text in ipairs { ... } do head = head .. card(text) end
  head = head .. card "END"
  return head .. (" "):rep(-#head % 2880)
end

-- Two rows of three float32.
local SMALL = header("BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2")
local FILE = SMALL .. (">ffffff"):pack(3, 0, 0, 0, 4, 12)

-- gzip's stored blocks: what gunzip has to read, made without a compressor. The CRC-32 is computed here.
local function crc32(bytes)
  local crc = 0xffffffff
  for i = 1, #bytes do
    crc = crc ~ bytes:byte(i)
    for _ = 1, 8 do crc = crc >> 1 ~ (0xedb88320 & -(crc & 1)) end
  end
  return ~crc & 0xffffffff
end

local function gzip(bytes)
  assert(#bytes < 65536)
  return "\x1f\x8b\8\0\0\0\0\0\0\3\1" .. ("<I2I2"):pack(#bytes, ~#bytes & 0xffff) .. bytes .. ("<I4I4"):pack(crc32(bytes), #bytes)
end

describe("rille.fits.image", function()
  after_each(proc.end_all)

  it("gives a tensor, of plain bytes and of gzip'd ones", function()
    for _, bytes in ipairs { FILE, gzip(FILE), gzip(FILE:sub(1, 100)) .. gzip(FILE:sub(101)) } do
      assert.equal("tensor float32 [2, 3]: 3 0 0 0 4 12", tostring(assert(rille.fits.image(bytes))))
    end
  end)

  it("gives nil and why for bytes that are damaged, and for none", function()
    local function why(...)
      local image, text = rille.fits.image(...)
      assert.is_nil(image)
      return text
    end
    assert.equal("there are no bytes: null came", why(nil))
    assert.equal("there are no bytes: null came", why(rille.null))
    assert.equal("no FITS file: it does not begin with SIMPLE", why "")
    has(why(FILE:sub(1, -2)), "a FITS image cut short: 23 bytes of pixels from byte 2880 on, 24 are wanted")
    has(why((FILE:gsub("BITPIX  = %-32", "BITPIX  = -12"))), "CFITSIO says illegal BITPIX keyword value")
    has(why(gzip(FILE):sub(1, -2)), "no gzip data, or damaged: cut short at byte")
    has(why(gzip "no FITS"), "no FITS file")
    has(why(gzip(FILE), 1000), "gzip data of over 1000 bytes when inflated")
    has(why(header("BITPIX  = 8", "NAXIS   = 0")), "no FITS image in the primary array")
  end)

  it("reads no file, whatever the bytes are called", function()
    local path = proc.write(proc.folder() .. "/real.fits", FILE)
    for _, name in ipairs { path, path .. "[0]", "file://" .. path, "SIMPLE  =" .. path } do
      assert.is_nil((rille.fits.image(name)))
    end
  end)

  it("S4.6 what is no bytes is the script's failure", function()
    for call, part in pairs {
      ["rille.fits.image(5)"] = "rille.fits.image: the bytes must be a string, not number",
      ["rille.fits.image({})"] = "the bytes must be a string, not table",
      ["rille.fits.image('', 0)"] = "rille.fits.image: the limit is a number of bytes, not 0",
      ["rille.gunzip(5)"] = "rille.gunzip: the bytes must be a string, not number",
      ["rille.gunzip('', 'x')"] = "rille.gunzip: the limit must be an integer, not string",
      ["rille.fits.picture('')"] = "rille.fits has no 'picture'",
    } do
      local status, _, err = input.run(("return function() return %s end"):format(call), { "x" }, "--retries", "2")
      assert.equal(4, status, call)
      has(err, part)
      has(err, "handler.lua:1")
    end
  end)

  it("counts against limits.memory, and garbage does not pile up", function()
    local big = header("BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 1000", "NAXIS2  = 1000", "BSCALE  = 2")
    local script = [[local big = %q .. ("\7"):rep(1000000)
      return { limits = { memory = "32MiB" }, handle = function()
        for i = 1, 50 do assert(rille.fits.image(big)) end
        print(rille.fits.image(big):max())
        local kept = {}
        for i = 1, 9 do kept[i] = rille.fits.image(big) end
      end }]]
    local status, out, err = input.run(script:format(big), { "x" })
    assert.equal("14.0\n", out)
    assert.equal(4, status)
    has(err, "not enough memory: limits.memory is 33554432 bytes")
  end)

  it("says nothing on standard output, whatever CFITSIO meets", function()
    local _, out = input.run("return function(batch) for i = 1, #batch do rille.fits.image(batch[i].value) end end",
      { FILE, FILE:sub(1, 3000), FILE:sub(1, 2000), (FILE:gsub("NAXIS1", "NAXISx")), (FILE:gsub("END", "END/")) })
    assert.equal("", out)
  end)

  -- Looks at each pixel by itself: the header by its cards, the numbers behind it by string.unpack.
  local COMPARE = [[
    local function bytes_of(image)
      local begin = 1
      while image:sub(begin, begin + 7) ~= "END     " do begin = begin + 80 end
      return image:sub((begin + 79 + 2879) // 2880 * 2880 + 1)
    end
    function compare(bytes)
      local image, why = rille.fits.image(bytes)
      if not image then return why end
      local plain = bytes_of(bytes:byte() == 0x1f and assert(rille.gunzip(bytes)) or bytes)
      local at, nan = 1, 0
      for y, row in ipairs(image:totable()) do
        for x, value in ipairs(row) do
          local want
          want, at = (">f"):unpack(plain, at)
          if want ~= want then nan = nan + 1 end
          assert(value == want or value ~= value and want ~= want, y .. " " .. x)
        end
      end
      return ("%s %d %d%s"):format(image.dtype, image.shape[1], image.shape[2], nan > 0 and " with NaN" or "")
    end
  ]]

  it("reads ZTF's cutouts: gzip'd, 63 x 63, NaN where nothing was measured, some of them absent", function()
    local files, why = wire.data "ztf/*.avro"
    if not files then return pending(why) end
    local out = input.passes(COMPARE .. [[return { decode = "avro",
      fields = { s = "cutoutScience.stampData", t = "cutoutTemplate.stampData", d = "cutoutDifference.stampData" },
      handle = function(batch)
        for i = 1, #batch do
          for _, name in ipairs { "s", "t", "d" } do print(compare(batch.columns[name][i])) end
        end
      end }]], wire.file(wire.read(files)))
    local seen, lines = {}, 0
    for line in out:gmatch "[^\n]+" do seen[line], lines = (seen[line] or 0) + 1, lines + 1 end
    assert.equal(3 * #files, lines)
    assert.equal(3, seen["there are no bytes: null came"])
    assert.is_true(seen["float32 63 63"] > 0 and seen["float32 63 63 with NaN"] > 0, out)
    assert.equal(lines - 3, seen["float32 63 63"] + seen["float32 63 63 with NaN"], out)
  end)

  it("reads the first of the images in LSST's cutouts", function()
    local files, why = wire.data "lsst/*.confluent"
    if not files then return pending(why) end
    local schema = wire.data "lsst/lsst.v9_0.alert.avsc"
    local out = input.passes(COMPARE .. [[return { decode = "avro", framing = "confluent",
      fields = { "cutoutScience", "cutoutTemplate", "cutoutDifference" },
      handle = function(batch)
        for _, name in ipairs { "cutoutScience", "cutoutTemplate", "cutoutDifference" } do
          print(compare(batch.columns[name][1]))
        end
      end }]], wire.file(wire.read(files)), "--schema", schema[1])
    assert.equal(("float32 30 30\n"):rep(3), out)
  end)
end)

describe("rille.gunzip", function()
  it("gives what was zipped, of all members; nil and the byte where they are damaged", function()
    assert.equal("a cutout", rille.gunzip(gzip "a cutout"))
    assert.equal("\0\1one two", rille.gunzip(gzip "\0\1one " .. gzip "two"))
    assert.equal("", rille.gunzip(gzip ""))
    assert.equal("12345", rille.gunzip(gzip "12345", 5))
    assert.same({ nil, "gzip data of over 4 bytes when inflated" }, { rille.gunzip(gzip "12345", 4) })
    assert.same({ nil, "no gzip data, or damaged: incorrect header check at byte 2" }, { rille.gunzip "plain" })
    assert.same({ nil, "there are no bytes: null came" }, { rille.gunzip(nil) })
  end)
end)
