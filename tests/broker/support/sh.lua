-- Runs a shell's command: what it printed, errors too, and its status.
return function(command)
  local pipe = assert(io.popen("{ " .. command .. "; } 2>&1; printf '\\n%s' \"$?\""))
  local all = pipe:read "a"
  pipe:close()
  local out, status = all:match "^(.*)\n(%d+)$"
  return out, tonumber(status)
end
