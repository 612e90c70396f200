-- tensors.lua FOLDER CASES   loads each case's a.npy and b.npy and saves what rille makes of them; for tensors.py
local folder, cases = arg[1], tonumber(arg[2])
local T = require("rille").tensor

local function works(case, name, f, ...)
  local t = f(...)
  if type(t) == "number" then t = T({ t }, math.type(t) == "integer" and "int64" or "float64"):reshape {} end
  assert(T.save(("%s/%d.%s.npy"):format(folder, case, name), t))
end

local function each_axis(case, a)
  for axis = 1, #a.shape do
    for _, name in ipairs { "sum", "mean", "std", "min", "max", "argmax" } do
      works(case, name .. axis, a[name], a, axis)
    end
  end
end

local function pairs_of(case, a, b)
  works(case, "add", function() return a + b end)
  works(case, "sub", function() return a - b end)
  works(case, "mul", function() return a * b end)
  works(case, "div", function() return a / b end)
  for _, name in ipairs { "eq", "ne", "lt", "le", "gt", "ge" } do works(case, name, a[name], a, b) end
end

for case = 1, cases do
  local a = assert(T.load(("%s/%d.a.npy"):format(folder, case)))
  local b = assert(T.load(("%s/%d.b.npy"):format(folder, case)))
  works(case, "copy", function() return a end)
  works(case, "flat", a.reshape, a, -1)
  works(case, "sum", a.sum, a)
  works(case, "std", a.std, a)
  works(case, "float32", a.to, a, "float32")
  works(case, "clip", a.clip, a, 3, 40)
  works(case, "softmax", a.softmax, a)
  works(case, "exp", function() return (a / 64):exp() end)
  works(case, "odd", function() return a:rows(a:reshape(#a, -1):column(1):gt(30)) end)
  if #a.shape > 1 then
    works(case, "column", a.column, a, a.shape[#a.shape])
    works(case, "stack", function() return T.stack({ a[1], a[#a] }, -1) end)
  end
  each_axis(case, a)
  pairs_of(case, a, b)
end
return function() end
