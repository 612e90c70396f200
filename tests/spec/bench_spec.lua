-- tests/bench: what becomes of tables, and of a tool that fails. No broker.
package.path = "tests/broker/?.lua;" .. package.path
local sh = require "support.sh"

local folder

local function write(name, text)
  local file <close> = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
end

local function read(name)
  local file <close> = assert(io.open(folder .. "/" .. name))
  return file:read "a"
end

-- A job of three tools, of which one fails in its second run, another at once.
local JOB = [[
. tests/bench/lib.sh
one() {
  case $1-$2 in fragile-2 | broken-*) die "$1 fell over" ;; esac
  echo "$1 1000 ${SECONDS_OF[$1]} 3 1 20 0.5"
}
declare -A SECONDS_OF=([rille]=0.5 [fragile]=1 [broken]=1 [slow]=2)
alternate rille fragile broken $MORE
lua5.4 tests/bench/table.lua "$work/results" "$result.json" Job | tee "$result.md"
]]

local function run_job(more)
  write("job", JOB)
  return sh(("MORE='%s' RUNS=2 BROKERS=none BENCH_BIN=%s BENCH_OUT=%s bash %s/job"):format(more, folder, folder, folder))
end

describe("a bench", function()
  before_each(function() folder = sh("mktemp -d"):match "%S+" end)
  after_each(function() sh("rm -rf " .. folder) end)

  it("goes on without a tool that fails, and has status 1 at the end", function()
    local out, status = run_job "slow"
    assert.equal(1, status, out)
    assert.truthy(out:find("fragile is left out from here on", 1, true), out)
    assert.truthy(out:find("| rille | 2 |", 1, true), out)
    assert.truthy(out:find("| slow | 4.00 |", 1, true), out)
    local table_ = sh(("cat %s/job-*.md"):format(folder))
    assert.is_nil(table_:find("| fragile |", 1, true), table_)
    assert.truthy(table_:find("Left out, since they failed: broken fragile", 1, true), table_)
  end)

  it("gathers the tables that are there in one order, whoever made them", function()
    write("start-9.1.0.md", "\nthe start\n")
    write("json-9.1.0.md", "\nthe json\n")
    write("peers-json-9.1.0.md", "\nthe peers\n")
    write("growth-9.1.0.md", "\nthe growth\n")
    write("growth-lanes-9.1.0.svg", "<svg/>")
    write("mine-9.1.0.md", "\nof a NAME\n")
    write("csv-9.2.0.md", "\nother csv\n")
    write("micro.md", "\nthe decoders\n")
    local out, status = sh("tests/bench/gather " .. folder)
    assert.equal(0, status, out)
    local heads = {}
    for head in read("9.1.0.md"):gmatch "\n## ([%w-]+), %d%d%d%d%-" do heads[#heads + 1] = head end
    assert.same({ "json", "start", "growth", "peers-json", "mine", "micro" }, heads)
    assert.truthy(read("9.1.0.md"):find("![growth-lanes-9.1.0](growth-lanes-9.1.0.svg)", 1, true))
    assert.truthy(read("9.2.0.md"):find("other csv", 1, true))
    assert.truthy(read("9.2.0.md"):find("the decoders", 1, true))
    sh("rm " .. folder .. "/json-9.1.0.md && tests/bench/gather " .. folder)
    assert.is_nil(read("9.1.0.md"):find("the json", 1, true))
  end)

  it("keeps the page's other tables when one job runs", function()
    local version = sh("${BUILD:-build}/rille version"):match "librdkafka ([%d.]+)"
    write("csv-" .. version .. ".md", "\nthe csv\n")
    run_job ""
    local page = read(version .. ".md")
    assert.truthy(page:find("the csv", 1, true), page)
    assert.truthy(page:find("| rille | 2 |", 1, true), page)
  end)
end)
