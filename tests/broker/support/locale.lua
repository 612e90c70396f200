-- A locale that writes "0,5": one made in the build folder, by one test at a time.
local locale = { name = "de_DE.UTF-8" }

-- The environment in which os.setlocale(locale.name) finds it; nil, and why, where it cannot be made.
function locale.env()
  local made = os.execute("mkdir -p build/locale && flock build/locale sh -c '{ test -d build/locale/de_DE.UTF-8 || "
    .. "localedef -i de_DE -f UTF-8 build/locale/de_DE.UTF-8; } >/dev/null 2>&1'")
  if not made then return nil, "no localedef to make a locale with a decimal comma" end
  local pipe = assert(io.popen "pwd")
  local here = pipe:read "l"
  pipe:close()
  return { LOCPATH = here .. "/build/locale" }
end

return locale
