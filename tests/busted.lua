-- Busted under the Lua that runs this file.
require "busted.runner" { standalone = false }
