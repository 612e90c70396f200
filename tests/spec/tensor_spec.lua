-- rille.tensor: in the module, in handlers, over real files; and the manual's examples, each run.
package.path = "tests/broker/?.lua;" .. package.path
local pages = require "support.pages"
local proc = require "support.proc"
local program = require "support.rille"
local rille = require "rille"
local wire = require "support.wire"

local T = rille.tensor

local function run(text, values, ...)
  local words = { "run", "--code", text, "--input", "-", "--input-format", "lines", ... }
  local process = program.start(words, { stdin = table.concat(values, "\n") .. "\n" })
  return process:wait(30), process:out(), process:err()
end

local function passes(...)
  local status, out, err = run(...)
  assert.equal(0, status, err)
  return out, err
end

local function has(text, part) assert.is_truthy(text:find(part, 1, true), text) end

-- The path of a real file; where it is not there, the test says so and ends.
local function real(pattern)
  local files, why = wire.data(pattern)
  if not files then pending(why) end
  return files[1]
end

describe("rille-tensor(7)", function()
  after_each(proc.end_all)

  local alerts = {
    '{"id":"ZTF1","mag":17.5,"rb":0.5}', '{"id":"ZTF2","mag":18.5,"rb":0.75}', '{"id":"ZTF1","rb":0.9}',
    '{"id":"ZTF3","mag":16,"rb":0.25}',
  }
  local images = { '{"image":[1,null]}', '{"image":[5,6]}', "{}", '{"image":[9,null]}' }
  local image = "{ path = 'image', type = 'f32', shape = { 2 } }"
  for i, block in ipairs(pages.examples "src/man/rille-tensor.7.in") do
    it(("example %d prints what it says"):format(i), function()
      local want = {}
      for line in block:gmatch "%-%-> ([^\n]*)" do want[#want + 1] = line .. "\n" end
      local fields = block:find("image", 1, true) and "image = " .. image or "'id', 'mag', 'rb'"
      local out = passes(("return { fields = { %s }, handle = function(batch, out) %s\nend }"):format(fields, block),
        block:find("image", 1, true) and images or alerts)
      assert.is_true(#want > 0)
      assert.equal(table.concat(want), out)
    end)
  end
end)

describe("rille.tensor", function()
  after_each(proc.end_all)

  it("is in the module as in the program", function()
    local t = T { { 1, 2 }, { 3, 4 } }
    assert.equal("tensor int64 [2, 2]: 1 2 3 4", tostring(t))
    assert.equal(10, t:sum())
    assert.same({ { 2.0, 4.0 }, { 6.0, 8.0 } }, (t:to "float64" * 2):totable())
  end)

  it("refuses an argument that would go unheard, and says which column of a mask", function()
    for call, part in pairs {
      ["t:softmax(1)"] = "tensor:softmax takes no argument: it is along the last axis",
      ["t:normalize(2)"] = "tensor:normalize takes no argument",
      ["t:log(10)"] = "tensor:log takes no argument",
      ["t:exp(2)"] = "tensor:exp takes no argument",
      ["t:rows(t:reshape{ 4, 1 }:gt(1))"] = "does not go with [2] rows",
      ["t:rows(t:gt(1))"] = "a mask of shape [2, 2] does not go with [2] rows: mask:column(1) is one of its columns",
    } do
      local ok, err = pcall(assert(load("local t = ... return " .. call)), T { { 1, 2 }, { 3, 4 } })
      assert.is_false(ok, call)
      assert.is_truthy(tostring(err):find(part, 1, true), tostring(err))
    end
  end)

  it("keeps 64-bit integers exact, from a table, from bytes, in a file and back", function()
    local id, path = 2510000000000000003, proc.folder() .. "/ids.npy"
    assert.equal(id, T { id }:totable()[1])
    local t = T.from_bytes(("<i8i8"):pack(id, -id), "int64")
    assert.is_true(T.save(path, t))
    local back = assert(T.load(path))
    assert.same({ id, -id }, back:totable())
    assert.same({ true, false }, back:gt(id - 1):totable())
    assert.equal("integer", math.type(back:max()))
  end)

  it("a file that is damaged gives nil and the byte", function()
    local path = proc.folder() .. "/cut.npy"
    assert(T.save(path, T { { 1.5, 2 }, { 3, 4 } }))
    local whole = proc.read(path)
    proc.write(path, whole:sub(1, -5))
    local t, err = T.load(path)
    assert.is_nil(t)
    has(err, path .. ": the file ends at byte 140: 12 bytes of elements from byte 128 on, 16 are wanted")
    proc.write(path, "\x93NUMPX" .. whole:sub(7))
    has(select(2, T.load(path)), "at byte 0")
    has(select(2, T.load(proc.folder() .. "/none.npy")), "none.npy: No such file or directory")
  end)

  it("reads the sample triplets as they are written", function()
    local path = real "models/usage_triplets.npy"
    local bytes = proc.read(path)
    local t = assert(T.load(path))
    assert.same({ 39, 63, 63, 3 }, t.shape)
    assert.equal("float64", t.dtype)
    local begin = #bytes - 8 * t.size
    for _, at in ipairs { { 1, 1, 1, 1 }, { 1, 1, 1, 3 }, { 7, 20, 41, 2 }, { 39, 63, 63, 3 } } do
      local index = ((at[1] - 1) * 63 + at[2] - 1) * 63 * 3 + (at[3] - 1) * 3 + at[4] - 1
      assert.equal(("<d"):unpack(bytes, begin + 8 * index + 1), t[at[1]][at[2]][at[3]][at[4]])
    end
    -- Each plane was divided by its L2 norm: to do it again changes nothing.
    local plane = t[7]:column(2)
    assert.is_true(math.abs((plane * plane):sum() - 1) < 1e-6)
    assert.is_true((plane:reshape(-1):normalize() - plane:reshape(-1)):max() < 1e-7)
    local copy = proc.folder() .. "/copy.npy"
    assert(T.save(copy, t))
    assert.equal(bytes, proc.read(copy))
  end)

  it("p8 a table that says it is longer than it can be is no length", function()
    assert.equal(0, #T { n = 2000000000000 })
    assert.same({ 3 }, T({ 1, 2, n = 3 }).shape)
    local rows = {}
    for i = 1, 1000 do rows[i] = { n = 1 << 20 } end
    local ok, err = pcall(T, rows)
    assert.is_false(ok)
    has(tostring(err), "more than 268435456 elements")
  end)

  it("p8 counts against limits.memory: too large a one fails, garbage does not pile up", function()
    local status, _, err = run([[return { limits = { memory = "32MiB" }, handle = function(batch)
      for i = 1, 200 do rille.tensor.zeros{ 1000, 1000 } end
      print "fine"
      kept = rille.tensor.zeros{ 100, 100000 }
    end }]], { "x" }, "--retries", "0")
    assert.equal(4, status)
    has(err, "not enough memory: limits.memory is 33554432 bytes")
  end)

  it("makes images of the cutouts of an LSST packet", function()
    local packet, schema = real "lsst/*.confluent", real "lsst/lsst.v9_0.alert.avsc"
    local script = proc.write(proc.folder() .. "/cutouts.lua", [[return {
      decode = "avro", framing = "confluent", fields = { "cutoutScience" },
      handle = function(batch)
        local bytes, header = batch.cutoutScience[1], ""
        for at = 1, #bytes, 2880 do
          header = header .. bytes:sub(at, at + 2879)
          if header:find "END +$" then break end
        end
        local function card(name) return tonumber(header:match(name .. "%s*=%s*(%S+)")) end
        local n = card "NAXIS1" * card "NAXIS2"
        assert(card "BITPIX" == -32 and card "NAXIS" == 2)
        local image = bytes:sub(#header + 1, #header + 4 * n)
        local t = rille.tensor.from_bytes(image, "float32", { card "NAXIS2", card "NAXIS1" }, ">")
        local sum = 0
        for i = 1, n do sum = sum + (">f"):unpack(image, 4 * i - 3) end
        assert(t:sum() == sum or sum ~= sum, tostring(t))
        assert(t[30][30] == (">f"):unpack(image, 4 * n - 3))
        print(t.dtype, #t, t.size)
      end }]])
    local input = wire.file { proc.read(packet) }
    local process = program.start { "run", script, "--input", input, "--schema", schema }
    assert.equal(0, process:wait(30), process:err())
    assert.equal("float32\t30\t900\n", process:out())
  end)
end)
