-- What `make lint` lets Lua files know and do.
std = "lua54"
max_line_length = 130
cache = false

files["tests/spec"] = { std = "lua54+busted" }
files["tests/broker"] = { std = "lua54+busted" }
-- Handlers: `rille` is there without a require; `arg` holds what stands after `--`.
files["examples"] = { globals = { "rille" } }
files["scripts"] = { globals = { "rille" } }
files["tests/data"] = { globals = { "rille" } }
files["tests/bench"] = { globals = { "rille" } }
