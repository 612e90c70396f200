-- The ways in which a group shares its partitions, and what our members and Kafka's own need to take part.
local rille = require "support.rille"

local function version()
  local pipe = assert(io.popen(rille.program .. " version"))
  local major, minor = pipe:read("a"):match "librdkafka (%d+)%.(%d+)"
  pipe:close()
  return tonumber(major) * 1000 + tonumber(minor)
end

local function classic(name)
  return {
    name = name, strategy = name,
    args = { "-X", "partition.assignment.strategy=" .. name },
    quick = { "-X", "partition.assignment.strategy=" .. name, "-X", "heartbeat.interval.ms=300" },
  }
end

local assignors = { classic "range", classic "cooperative-sticky" }

-- KIP-848: the brokers assign, and set the pace.
if version() >= 2010 then
  local args = { "-X", "group.protocol=consumer" }
  assignors[3] = { name = "group.protocol=consumer", strategy = "consumer", args = args, quick = args }
end

-- The arguments of a mode, and more.
function assignors.with(args, ...)
  local all = { table.unpack(args) }
  for _, word in ipairs { ... } do all[#all + 1] = word end
  return all
end

return assignors
