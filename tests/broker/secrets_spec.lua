-- Promise 8: secrets never reach a log, however much is logged and wherever they come from.
local proc = require "support.proc"
local rille = require "support.rille"
local tool = require "support.tool"

local RIGHT, WRONG = "reader-secret", "quite-wrong-one"

local function properties(password)
  return { "security.protocol=SASL_PLAINTEXT", "sasl.mechanism=PLAIN", "sasl.username=reader", "sasl.password=" .. password }
end

-- Ways to say them: words for the command line, environment, the script's text.
local WAYS = {
  ["-X"] = function(pairs)
    local words = {}
    for _, pair in ipairs(pairs) do
      words[#words + 1] = "-X"
      words[#words + 1] = pair
    end
    return words
  end,
  ["-F"] = function(pairs)
    return { "-F", proc.write(proc.folder() .. "/client.properties", table.concat(pairs, "\n") .. "\n") }
  end,
  ["RILLE_KAFKA"] = function(pairs) return {}, { RILLE_KAFKA = table.concat(pairs, "\n") } end,
  ["the script"] = function(pairs)
    local lines = {}
    for i, pair in ipairs(pairs) do lines[i] = ("[%q] = %q"):format(pair:match "^([^=]*)=(.*)$") end
    return {}, {}, "return { kafka = { " .. table.concat(lines, ", ")
      .. " }, handle = function(batch) say('message', #batch) end }"
  end,
}

describe("promise 8 secrets", function()
  after_each(proc.end_all)

  local function check(run, password)
    for _, text in ipairs { run:out(), run:err() } do
      assert.is_nil(text:find(password, 1, true))
      assert.is_nil(text:find(tool.base64("\0reader\0" .. password), 1, true))
    end
  end

  local function run_with(way, password, topic)
    local words, env, text = WAYS[way](properties(password))
    for _, word in ipairs { "-e", "-v", "-X", "debug=all", "--connect", "5" } do words[#words + 1] = word end
    return rille.run { topic = topic, brokers = rille.sasl, args = words, env = env, text = text }
  end

  for way in pairs(WAYS) do
    it("given by " .. way .. " are in no line of -v with debug=all", function()
      local topic = rille.topic()
      rille.fill(topic, 3)
      local run = run_with(way, RIGHT, topic)
      assert.equal(0, run:wait(30), "it ends badly")
      assert.is_true(rille.count(run, "message") > 0)
      assert.is_truthy(run:err():find("kafka: ", 1, true)) -- there is something to look at
      check(run, RIGHT)
      run = run_with(way, WRONG, topic)
      assert.equal(3, run:wait(30), "the wrong one is taken")
      check(run, WRONG)
    end)
  end

  it("are in no line of the other commands either", function()
    local topic, group = rille.topic(), rille.name "group"
    rille.fill(topic, 3)
    rille.finish { topic = topic, group = group, args = { "-e" } }
    for _, words in ipairs {
      { "tap", "-t", topic, "-e" }, { "send", "-t", topic }, { "lag", "-G", group }, { "groups", "-G", group },
      { "seek", "-G", group, "-t", topic, "--start", "end" },
    } do
      for _, word in ipairs { "-b", rille.sasl, "-v", "-X", "debug=all", table.unpack(WAYS["-X"](properties(RIGHT))) } do
        words[#words + 1] = word
      end
      local run = rille.start(words, { stdin = "x\n" })
      assert.equal(0, run:wait(30), words[1] .. " ends badly")
      check(run, RIGHT)
    end
  end)

  it("are not repeated where a setting is mistaken", function()
    local file = proc.folder() .. "/client.properties"
    for _, line in ipairs { "sasl.passwrod=" .. RIGHT, "sasl.password " .. RIGHT } do
      proc.write(file, line .. "\n")
      for _, words in ipairs { { "-F", file }, { "-X", line } } do
        local run = rille.run { topic = "any", args = words }
        assert.equal(2, run:wait(10))
        check(run, RIGHT)
      end
    end
  end)
end)
