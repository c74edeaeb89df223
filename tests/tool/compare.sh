#!/bin/sh
# `hone compare`: equal servers are not told apart, a known difference is found, an arm's own fault is
# the result.
. "$(dirname "$0")/lib.sh"
DIAL=$BIN/dial_server
# compares NAME STATUS ARGUMENTS...
compares() {
  name=$1
  status=$2
  shift 2
  exits "$name" "$status" "$HONE" compare --ready 'http://127.0.0.1:{port}/' \
    --url 'http://127.0.0.1:{port}/' --rate 6000 --arrivals burst:16 --seed 7 --no-checks "$@"
}
# 22,000 turns are about 40 us; 7.5 % more of them are 5 % more work on the whole request.
# Withheld is not called a saving either.
compares "a server against itself is neither saved nor worse" "3 6 8" --duration 2 --rounds 6 \
  --a "$DIAL {port} 22000" --b "$DIAL {port} 22000" --output "$WORK/aa"
# By design one sound comparison in twenty is withheld, because the copy differs from its original by
# chance: then another seed is drawn, as a user would.
for seed in 7 8 9; do
  run_whole "$HONE" compare --ready 'http://127.0.0.1:{port}/' --url 'http://127.0.0.1:{port}/' \
    --rate 6000 --arrivals burst:16 --seed "$seed" --duration 2 --rounds 6 --no-checks \
    --a "$DIAL {port} 22000" --b "$DIAL {port} 23650" --output "$WORK/worse"
  [ "$status" -eq 8 ] || break
done
# A machine on which rounds scatter so much that 5 % cannot be resolved has not missed it.
if [ "$status" -eq 3 ] && [ -z "${HONE_STRICT:-}" ]; then
  refused=$(python3 - "$WORK/worse/report.json" <<'PY'
import json, sys
for c in json.load(open(sys.argv[1]))["comparisons"]:
    if c["role"] == "proof" and c["smallest_detectable"] > 0.05:
        print(f"the smallest effect that its rounds resolve is {c['smallest_detectable']:.1%}")
PY
  )
fi
if [ -n "$refused" ]; then skip "5 % of extra work is found" "$refused"
elif [ "$status" -eq 4 ]; then pass "5 % of extra work is found"
else
  flunk "5 % of extra work is found" "exit status $status, not 4" "$(tail -n 25 "$WORK/out")"
fi
says "5 % of extra work: said in words" "worse"
compares "an arm that answers errors has failed" 7 --rounds 2 --duration 0.8 --ready-timeout 3 \
  --a "$DIAL {port} 2000" --b "$DIAL {port} 2000 errors"
says "an arm that answers errors: the code is named" "status 500"
log=$(sed -n 's/^ *its log is kept: //p' "$WORK/out" | head -n 1)
check "an arm that answers errors: its log is kept" test -e "$log"
compares "a failed round, run again" 7 --rounds 2 --duration 0.8 --ready-timeout 3 \
  --a "$DIAL {port} 2000" --b "$DIAL {port} 2000 errors"
says "a failed round is measured again" "measured again"
compares "an arm that dies under load has failed" 7 --rounds 2 --duration 0.8 \
  --a "$DIAL {port} 2000" --b "$DIAL {port} 2000 restart"
for report in report.json report.md report.html; do
  check "compare leaves $report" test -s "$WORK/aa/$report"
done
# Which counters there are is the machine's matter; each is a figure or a reason.
cat >"$WORK/counters.py" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["trials"]
for trial in report["trials"]:
    if trial["failure"]: continue
    names = [event["name"] for event in trial["events"]]
    assert len(names) == len(set(names)) == 23, names
    for event in trial["events"]:
        assert event["unavailable"] or event["ok"] > 0, event
    group = trial["events"][0]
    assert group["name"].startswith("CPU by control group"), group
    if not group["unavailable"]:  # a dial server's processes stay: both ways of counting agree
        assert abs(group["count"] * 1e-6 - trial["cpu_total_s"]) < 0.002 * trial["cpu_total_s"] + 1e-3, trial
    calls = [e for e in trial["events"] if e["name"].startswith("system calls")]
    if not calls[0]["unavailable"]:  # a dial server polls, reads and writes
        assert calls[0]["count"] >= 2 * calls[0]["ok"], calls
        assert calls[0]["count"] == sum(e["count"] for e in calls[1:]), calls
    assert sum(t["cpu_s"] for t in trial["threads"]) > 0.9 * trial["cpu_total_s"], trial["threads"]
for round in report["rounds"]:
    assert round["machine"]["wall_s"] > 0 and round["machine"]["settings"], round
PY
check "every counter of a trial is a figure or a reason" \
  python3 "$WORK/counters.py" "$WORK/aa/report.json"
# Children that nobody waits for are charged where a control group may be made; else their time comes in
# steps of 10 ms, and the arm is refused.
exits "a server whose work is done by daemons" "3 4 7 8" "$HONE" compare --ready 'http://127.0.0.1:{port}/' \
  --url 'http://127.0.0.1:{port}/' --rate 300 --seed 7 --no-checks --rounds 2 --duration 0.8 \
  --a "$DIAL {port} 22000" --b "$DIAL {port} 22000 daemonises" --output "$WORK/daemons"
cat >"$WORK/daemons.py" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
of = {arm: [t for t in report["trials"] if t["arm"] == arm and t["valid"]] for arm in "AB"}
assert of["A"] and of["B"]
if of["B"][0]["events"][0]["unavailable"]:
    assert "restarted" in of["B"][0]["failure"], of["B"][0]
else:
    cost = {arm: sum(t["cpu_total_s"] for t in of[arm]) / sum(t["ok"] for t in of[arm]) for arm in of}
    assert not any(t["failure"] for t in of["B"]), of["B"]
    assert cost["B"] > cost["A"], cost
PY
if [ -n "$refused" ]; then skip "daemons are charged, or refused" "$refused"
else check "daemons are charged, or refused" python3 "$WORK/daemons.py" "$WORK/daemons/report.json"
fi
# Instructions are counted, not timed: 5 % more turns are found by two runs that scatter at will. The first
# time valgrind is not found; the second goes on from the finished rounds.
simulates() {
  name=$1
  shift
  proves "$name" "$@" "$HONE" compare --callgrind --ready 'http://127.0.0.1:{port}/' \
    --url 'http://127.0.0.1:{port}/' --rate 1000 --seed 7 --no-checks --rounds 2 --duration 0.4 \
    --a "$DIAL {port} 20000" --b "$DIAL {port} 21000" --output "$WORK/simulated"
}
mkdir "$WORK/none"
simulates "a comparison where valgrind is missing" env PATH="$WORK/none"
if [ -n "$refused" ]; then skip "what is missing is said" "$refused"
else check "what is missing is said" grep -q 'apt-get install valgrind' "$WORK/simulated/report.md"
fi
if command -v valgrind >/dev/null; then
  simulates "a comparison under callgrind" env
  cat >"$WORK/simulated.py" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
a, b = ({one["arm"]: one for one in report["simulated"]}[arm] for arm in "AB")
assert not a["unavailable"] and not b["unavailable"], (a, b)
assert a["requests"] > 100 and b["requests"] > 100, (a, b)
a, b = a["per_request"]["instructions"], b["per_request"]["instructions"]
assert a > 20000 and 0.047 < b / a - 1 < 0.051, (a, b)
PY
  if [ -n "$refused" ]; then skip "5 % more turns are 5 % more simulated instructions" "$refused"
  else
    check "5 % more turns are 5 % more simulated instructions" \
      python3 "$WORK/simulated.py" "$WORK/simulated/report.json"
    check "a report shows simulated instructions" \
      grep -q "simulated CPU" "$WORK/simulated/report.md"
  fi
else skip "a comparison under callgrind" "valgrind is missing"
fi
exits "status lists the comparisons" 0 "$HONE" status
says "status says how far a comparison came" "seed-7           prove"
nothing_left "nothing is left running after comparisons"
