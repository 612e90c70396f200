# shellcheck shell=bash
# Sourced by the jobs (json, avro, csv, susy, train, acai, trickle, start, memory, growth) and by run and peers: what
# they share. A Kafka of its own is started unless BROKERS names one; small C programs are built into $bin unless run has
# done it; tables go to BENCH_OUT (build/bench).
set -u -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root" || exit
build=$(cd "${BUILD:-build}" && pwd) || exit
export PEERS=${PEERS:-$root/../shared/peers}
export DATA=${DATA:-$root/../shared/data}
RUNS=${RUNS:-5} WARM=${WARM:-3} LANES=${LANES:-1} PARTITIONS=${PARTITIONS:-4}
job=${0##*/}
read -ra options <<< "${OPTIONS:-}"
out=${BENCH_OUT:-$root/build/bench}
mkdir -p "$out"
work=$(mktemp -d "$out/run.XXXXXX") || exit
export KAFKA_LIBS=${KAFKA_LIBS:-$root/build/kafka/libs} KAFKA_HEAP=1g KAFKA_JVM=-XX:+UseG1GC

failed=() # the tools that were left out on the way: they fail the job, but only when the others are done
end_started() { # started: the process id of a tool that runs in the background; it is gone when this returns
  local pid waited
  [ -e "$work/started" ] || return 0
  pid=$(cat "$work/started")
  kill "$pid" 2> /dev/null
  for ((waited = 0; waited < 100; waited++)); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  rm -f "$work/started"
}
cleanup() {
  local status=$?
  end_started
  [ ! -e "$work/kafka" ] || tests/broker/kafka stop "$work/kafka" 2> /dev/null
  rm -rf "$work"
  if [ "$status" = 0 ] && [ ${#failed[@]} -gt 0 ]; then
    printf '\nLeft out, since they failed: %s\n' "${failed[*]}" | tee -a "$result.md"
    status=1
  fi
  tests/bench/gather "$out"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
die() { echo "bench: $job: $*" >&2; exit 1; }

rdkafka=()
if [ -n "${RDKAFKA:-}" ]; then # absolute, since PEERS/run.sh, which gives it to the tools in C, runs them elsewhere
  RDKAFKA=$(cd "$RDKAFKA" && pwd) && export RDKAFKA || die "no librdkafka: RDKAFKA"
  rdkafka=("-I$RDKAFKA/include" "-L$RDKAFKA/lib" "-Wl,-rpath,$RDKAFKA/lib")
fi
c() { # c NAME: a program in $bin, with rille's own client settings at hand
  gcc -O2 -std=c17 -Wall -D_GNU_SOURCE -Isrc "${rdkafka[@]}" "tests/bench/$1.c" -o "$bin/$1" \
    "$build/kafka.a" "$build/base.a" -lrdkafka -lm -pthread || die "tests/bench/$1.c does not build"
}
if [ -z "${BENCH_BIN:-}" ]; then
  bin=$work
  for program in consume deal first timed topic trickle; do c "$program"; done
else
  bin=$BENCH_BIN
fi
if [ -z "${BROKERS:-}" ]; then
  tests/broker/kafka start "$work/kafka" log.segment.bytes=268435456 || exit
  BROKERS=$(cat "$work/kafka/address")
fi
export BROKERS BENCH_BIN=$bin
version=$("$build/rille" version | sed -n 's/.*librdkafka \([0-9.]*\).*/\1/p')
# shellcheck disable=SC2034 # the jobs use it
result=$out/${NAME:-$job}-$version # .json, .md

value() { sed -n "s/.*\b$1=\([0-9.]*\).*/\1/p" "$2"; } # value NAME FILE
make_topic() { "$bin/topic" make "$BROKERS" "$1" "${2:-$PARTITIONS}" "${@:3}" || die "no topic $1"; }
drop_topic() { "$bin/topic" drop "$BROKERS" "$1" || die "topic $1 stays"; }
fresh() { echo "bench-$job-$$-$RANDOM"; } # a name for a topic

send_alerts() { # send_alerts TOPIC N: prints how many of them pass filter.lua
  make_topic "$1"
  lua5.4 tests/bench/alerts.lua "$2" 2> "$work/made" | "$build/rille" send -q -b "$BROKERS" -t "$1" -K $'\t' || die "could not send"
  value passed "$work/made"
}

# measured COMMAND...: runs it; what it took is in $work/took, what it said in $work/out
measured() {
  rm -f "$work/passed"
  "$bin/timed" "$work/took" "$@" > "$work/out" 2> "$work/err" || die "$1 failed: $(tail -n 5 "$work/err")"
}
rille() { # rille SCRIPT TOPIC GROUP [OPTION]...: to the topic named as the group; what passed goes to $work/passed
  measured "$build/rille" run -q "tests/bench/$1" -b "$BROKERS" -t "$2" -G "$3" -e --lanes "$LANES" "${@:4}" "${options[@]}" \
    -- "$3" "$work/passed"
}
sum() { awk -F'[= ]' -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) n += $(i + 1) } END { print n + 0 }' "$work/passed"; }

load() { cut -d' ' -f1 /proc/loadavg; }
row() { # row TOOL MESSAGES SECONDS LOAD: a line of results
  # What counts from a first batch has no time when there is only one.
  awk -v s="$3" 'BEGIN { exit !(s ~ /^[0-9.e+-]+$/ && s + 0 > 0) }' || die "$1: too few messages for a rate: $2 in '$3' seconds"
  echo "$1 $2 $3 $(value wall_s "$work/took") $(value cpu_s "$work/took") $(value rss_mb "$work/took") $4"
}

consumed() { # consumed TOPIC GROUP N: a row for bare consumption
  local load=$(load)
  measured "$bin/consume" "$BROKERS" "$1" "$2" "$3"
  row consume "$3" "$(value seconds "$work/out")" "$load"
}

# peer TOOL TOPIC N EXPECTED: a row for one of the tools of PEERS/run.sh, which must have had N messages. The rate is what it
# says; CPU, memory and wall time are the whole process's, as they are of all others here, and not those that it says.
peer() {
  local load=$(load) more=''
  case $1 in confluent-* | fastavro-*) more=fetch.queue.backoff.ms=10 ;; esac
  rm -f "$work/took"
  IN=$2 EXPECT=$4 CONSUMER_X="${CONSUMER_X:-$more}" PIN="${PIN:+$PIN }$bin/timed $work/took" "$PEERS/run.sh" "$1" > "$work/line" ||
    die "$1 failed"
  [ -e "$work/took" ] || die "$1 had to be killed"
  [ "$(value messages "$work/line")" = "$3" ] || die "$1 had $(value messages "$work/line") messages, not $3"
  row "$1" "$3" "$(awk "BEGIN { print $3 / $(value rate "$work/line") }")" "$load"
}

# try TOOL RUN: its line goes to standard output. A tool that fails is left out from there on, and its lines with it.
try() {
  local tool
  for tool in "${failed[@]}"; do [ "$tool" != "$1" ] || return 0; done
  if (one "$@") > "$work/one"; then cat "$work/one"; return; fi
  end_started
  case $1 in rille*) die "$1 failed: nothing to compare with" ;; esac
  echo "bench: $job: $1 is left out from here on" >&2
  failed+=("$1")
  [ ! -e "$work/results" ] || sed -i "/^$1 /d" "$work/results"
}

# alternate TOOL...: calls `one TOOL RUN` in turn, WARM times to warm up, then RUNS times, into $work/results. A broker that
# was just started compiles as it runs, and what it does with outputs and commits it has seen least of then.
alternate() {
  local tool run
  for ((run = 1; run <= WARM; run++)); do
    for tool; do try "$tool" "warm$run" > /dev/null; done
  done
  for ((run = 1; run <= RUNS; run++)); do
    for tool; do
      try "$tool" "$run" > "$work/lines"
      tee -a "$work/results" < "$work/lines"
    done
  done
  [ -s "$work/results" ] || die "nothing is left to compare"
}
