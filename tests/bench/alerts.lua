-- alerts.lua N [DISTINCT]   N alerts of 2.95 KB as Python's json.dumps writes a ZTF packet's candidate
--
-- Standard output: lines KEY<tab>JSON, for `rille send -K '\t'`, DISTINCT (20,000) different ones in turn. Standard
-- error: "passed=P", how many have rb >= 0.65, magpsf < 18.5 and nbad == 0: about one in eight.
local n = math.tointeger(tonumber(arg[1])) or error "alerts.lua N [DISTINCT]"
local distinct = math.min(n, math.tointeger(tonumber(arg[2])) or 20000)
math.randomseed(20261130)
local random = math.random

-- A candidate's fields in their order: integers ("i", up to), texts ("s"), words ("l"), doubles of 7
-- decimals ("c", from, to), single-precision numbers ("f", mean, sigma); the rest differ from alert to alert below.
local FIELDS = [[
jd=c 2458100 2459100|fid=i 3|pid=i 1999999999999|diffmaglim=f 20.4 0.3
pdiffimfilename=s ztf_20200202561447_000821_zr_c14_o_q4_scimrefdiffimg.fits|programpi=s TESS|programid=i 3|candid=candid
isdiffpos=s t|tblid=i 60|nid=i 1500|rcid=i 63|field=i 880|xpos=f 1500 600|ypos=f 1500 600|ra=c 0 360|dec=c 0 90
magpsf=magpsf|sigmapsf=f 0.12 0.02|chipsf=f 2 0.5|magap=f 19 1|sigmagap=f 0.12 0.02|distnr=f 2 0.5|magnr=f 19 1
sigmagnr=f 0.1 0.02|chinr=f 2 1|sharpnr=f 0.3 0.2|sky=f 0.5 0.2|magdiff=f 0 0.1|fwhm=f 2.3 0.4|classtar=f 0.5 0.1
mindtoedge=f 500 100|magfromlim=f 1 0.3|seeratio=f 1 0.1|aimage=f 0.7 0.1|bimage=f 0.6 0.1|aimagerat=f 0.3 0.05
bimagerat=f 0.3 0.05|elong=f 1.2 0.1|nneg=i 9|nbad=nbad|rb=rb|ssdistnr=l -999.0|ssmagnr=l -999.0|ssnamenr=s null|sumrat=f 0.8 0.1
magapbig=f 19 1|sigmagapbig=f 0.15 0.02|ranr=c 0 360|decnr=c 0 90|sgmag1=f 20 1|srmag1=f 20 1|simag1=f 20 1|szmag1=f 20 1
sgscore1=f 0.5 0.1|distpsnr1=f 2 0.5|ndethist=i 80|ncovhist=i 2000|jdstarthist=c 2458100 2459100|jdendhist=c 2458100 2459100
scorr=f 20 5|tooflag=i 1|objectidps1=i 189999999999999999|objectidps2=i 189999999999999999|sgmag2=f 21 1|srmag2=f 21 1
simag2=f 21 1|szmag2=l -999.0|sgscore2=f 0.5 0.1|distpsnr2=f 10 2|objectidps3=i 189999999999999999|sgmag3=f 21 1|srmag3=f 21 1
simag3=f 21 1|szmag3=f 20 1|sgscore3=f 0.5 0.1|distpsnr3=f 20 3|nmtchps=i 20|rfid=i 999999999|jdstartref=c 2458000 2458100
jdendref=c 2458100 2458300|nframesref=i 40|rbversion=s t17_f5_c3|dsnrms=f 15 4|ssnrms=f 25 5|dsdiff=f -10 2
magzpsci=f 26.2 0.1|magzpsciunc=f 1e-5 1e-6|magzpscirms=f 0.03 0.003|nmatches=i 900|clrcoeff=f 0.1 0.02
clrcounc=f 1e-5 1e-6|zpclrcov=f -1e-5 1e-6|zpmed=f 26.3 0.1|clrmed=f 0.7 0.1|clrrms=f 0.3 0.05|neargaia=f 40 8
neargaiabright=l -999.0|maggaia=f 18 1|maggaiabright=l -999.0|exptime=l 30.0|drb=f 0.5 0.1|drbversion=s d6_m7]]

local function gauss(mean, sigma)
  return mean + sigma * math.sqrt(-2 * math.log(1 - random())) * math.cos(2 * math.pi * random())
end

-- The shortest text that reads back as the same double.
local function double(x)
  for digits = 15, 17 do
    local text = ("%%.%dg"):format(digits):format(x)
    if tonumber(text) == x then return text:find "[.e]" and text or text .. ".0" end
  end
end

local function single(x) return (string.unpack("f", string.pack("f", x))) end

local values -- of the alert that is being written, by name
local kinds = {
  i = function(most) return ("%d"):format(random(0, most)) end,
  s = function(text) return ('"%s"'):format(text) end,
  l = tostring,
  c = function(from, to) return double(tonumber(("%.7f"):format(from + (to - from) * random()))) end,
  f = function(mean, sigma) return double(single(gauss(mean, sigma))) end,
}

local fields = {}
for name, what in FIELDS:gmatch "([%w]+)=([^|\n]+)" do
  local kind, a, b = (what .. " "):match "^(%l) (%S*) ?(%S*) ?$"
  local write = kinds[kind] or function() return values[name] end
  fields[#fields + 1] = { ('"%s": '):format(name), write, kind ~= "l" and (math.tointeger(a) or tonumber(a)) or a, tonumber(b) }
end

local passed = {}
local function alert(i)
  local candid = 1127561445515015011 + i
  local rb, magpsf, nbad = random(), gauss(19, 1.4), random() < 0.97 and 0 or random(4)
  values = { candid = ("%d"):format(candid), rb = double(rb), magpsf = double(magpsf), nbad = ("%d"):format(nbad) }
  passed[i] = rb >= 0.65 and magpsf < 18.5 and nbad == 0
  local id, candidate = { "ZTF20" }, {}
  for j = 2, 8 do id[j] = string.char(random(97, 122)) end
  for j, f in ipairs(fields) do candidate[j] = f[1] .. f[2](f[3], f[4]) end
  id = table.concat(id)
  return ('%s\t{"objectId": "%s", "candid": %d, "schemavsn": "3.3", "publisher": "ZTF (made up)", "candidate": {%s}}\n'):format(
    id, id, candid, table.concat(candidate, ", "))
end

local lines, count = {}, 0
for i = 1, distinct do lines[i] = alert(i) end
io.stdout:setvbuf("full", 1 << 20)
for i = 0, n - 1 do
  local at = i % distinct + 1
  if passed[at] then count = count + 1 end
  io.write(lines[at])
end
io.stderr:write(("passed=%d\n"):format(count))
