-- growth_values.lua DIR SIZE   100 JSON objects of SIZE bytes, a file each: f1 is 0 to 99, f2, f3 … numbers as many as fit
local dir, size = arg[1], assert(math.tointeger(tonumber(arg[2])))
math.randomseed(20261201)

for k = 0, 99 do
  local parts, i = { ('{"f1":%d'):format(k) }, 1
  local len = #parts[1]
  while true do
    i = i + 1
    local part = (',"f%d":%.4f'):format(i, 100 * math.random())
    if len + #part + #',"pad":""}' > size then break end
    parts[#parts + 1] = part
    len = len + #part
  end
  parts[#parts + 1] = (',"pad":"%s"}'):format(("x"):rep(size - len - #',"pad":""}'))
  local text = table.concat(parts)
  assert(#text == size)
  local file <close> = assert(io.open(("%s/%02d"):format(dir, k), "wb"))
  assert(file:write(text))
end
