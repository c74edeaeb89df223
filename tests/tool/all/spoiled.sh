#!/bin/sh
# Rounds spoiled on purpose, each in a way that a real machine or server has: the proof is refused, or
# the arm is called at fault, and for the right reason.
. "$(dirname "$0")/../lib.sh"
DIAL=$BIN/dial_server
if [ "$(nproc)" -lt 2 ]; then
  skip "rounds spoiled on purpose" "one CPU only"
  exit 0
fi
# ends NAME STATUS TEXT COMMAND...: once, with no second try.
ends() {
  name=$1
  wanted=$2
  text=$3
  shift 3
  (cd "$WORK" && exec timeout 120 "$@") >"$WORK/out" 2>&1 </dev/null
  status=$?
  if [ "$status" -eq "$wanted" ] && grep -qF -- "$text" "$WORK/out"; then pass "$name"; else
    flunk "$name" "exit status $status, not $wanted, or it does not say: $text" "$(tail -n 20 "$WORK/out")"
  fi
}
loops=
# busy CPU HOW_MANY: loops that want all of a CPU, until rest() is called.
busy() {
  for _ in $(seq "$2"); do
    taskset -c "$1" sh -c 'while :; do :; done' >/dev/null 2>&1 </dev/null &
    loops="$loops $!"
  done
}
rest() {
  for pid in $loops; do kill "$pid"; done
  loops=
}
trap 'rest 2>/dev/null; finish' EXIT

arms="$DIAL {port} 2000"
against() {
  name=$1
  status=$2
  text=$3
  b=$4
  shift 4
  # shellcheck disable=SC2086
  ends "$name" "$status" "$text" ${LAUNCHER:-} "$HONE" compare --a "${A:-$arms}" --b "$b" \
    --ready 'http://127.0.0.1:{port}/' --url 'http://127.0.0.1:{port}/' --rate "${RATE:-2000}" \
    --arrivals burst:16 --seed 7 --rounds 6 --duration 0.8 --no-checks --cpus-server 1 --cpus-load 0 "$@"
}

busy 1 1
against "a busy neighbour on the server's CPU" 5 "CPU time used by other processes" "$arms"
rest
busy 0 4
RATE=30000 against "a generator that is kept from its CPU" 5 "requests the load generator missed" "$arms"
rest

quota=/sys/fs/cgroup/cpu/hone-test-$$
if mkdir "$quota" 2>/dev/null && echo 30000 >"$quota/cpu.cfs_quota_us" 2>/dev/null; then
  printf '#!/bin/sh\necho $$ >%s/cgroup.procs\nexec "$@"\n' "$quota" >"$WORK/inside"
  LAUNCHER="sh $WORK/inside" against "a cgroup with a quota" 5 "stopped by a CPU quota" "$DIAL {port} 60000" --no-spinner
  rmdir "$quota"
else
  rmdir "$quota" 2>/dev/null
  skip "a cgroup with a quota" "the cpu cgroup is not writable here"
fi

if [ "$(cat /proc/sys/kernel/sched_autogroup_enabled 2>/dev/null)" = 1 ]; then
  # Work enough for the spinner to take its half of the time in it.
  apart="setsid -w $DIAL {port} 60000"
  A="$apart" against "arms in a session apart from the spinner" 5 "time waiting for a CPU" "$apart"
else
  skip "arms in a session apart from the spinner" "no scheduling groups by session here"
fi

against "connections on one worker of four" 5 "sit 64 + 0 + 0 + 0 on its workers" "$DIAL {port} 2000 one-of-four" --workers 4
against "an arm that cannot hold the rate" 7 "it is past its knee" "$DIAL {port} 2000000"
# One port for all of them, which the servers would share.
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
ends "both arms answered by one process" 16 "where B should listen, is taken by dial_server" "$HONE" compare \
  --a "$DIAL $port 2000 shares-port" --b "$DIAL $port 3000 shares-port" --ready "http://127.0.0.1:$port/" \
  --url "http://127.0.0.1:$port/" --rate 2000 --arrivals burst:16 --seed 7 --rounds 6 --duration 0.8 --no-checks
against "an arm that answers errors" 7 "status 500" "$arms errors"
against "an arm that restarts in mid-round" 7 "arm B" "$arms restart"
# It catches up after each stall: its CPU is compared, and its latency tells.
run_whole "$HONE" compare --a "$arms" --b "$arms stalls" --ready 'http://127.0.0.1:{port}/' \
  --url 'http://127.0.0.1:{port}/' --rate 2000 --arrivals burst:16 --seed 7 --rounds 6 --duration 1.6 --no-checks \
  --output "$WORK/stalls"
if [ -n "$refused" ]; then skip "an arm that stalls shows in the latency" "$refused"; else
  check "an arm that stalls shows in the latency" python3 - "$WORK/stalls/report.json" <<'PY'
import json, sys
c = [c for c in json.load(open(sys.argv[1]))["comparisons"] if c["role"] == "proof"][0]
assert c["latency_b"]["p99"] > 50_000, c["latency_b"]
assert c["latency_a"]["p99"] < c["latency_b"]["p99"] / 2, c["latency_a"]
PY
fi
nothing_left "nothing is left running after spoiled rounds"
