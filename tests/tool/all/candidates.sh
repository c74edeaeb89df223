#!/bin/sh
# `hone compare` with several candidates: dealt to blocks, each found for what it is; a fault stays with
# the candidate whose it is; finished blocks are kept when one is added.
. "$(dirname "$0")/../lib.sh"
DIAL=$BIN/dial_server
COMPARE="$HONE compare --ready http://127.0.0.1:{port}/ --url http://127.0.0.1:{port}/ --rate 5000
  --arrivals burst:16 --no-checks"
# reports NAME REPORT CODE: Python over the report; `r` is it, `of` its comparisons by candidate.
reports() {
  if [ -n "$refused" ]; then
    skip "$1" "$refused"
    return
  fi
  check "$1" python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
of = {c["b"]: c for c in r["comparisons"] if c["role"] == "proof"}
controls = [c for c in r["comparisons"] if c["role"] == "aa"]
exec(sys.argv[2])' "$2" "$3"
}

# 22,000 turns are about 40 us of a request's 50. One block in twenty is withheld because the copy differs
# from its original by chance: then another seed is drawn, as a user would.
three() {
  run_whole $COMPARE --seed "$1" --duration 1.2 --rounds 6 --output "$WORK/three" \
    --a "$DIAL {port} 22000" --b "$DIAL {port} 22000" --b "$DIAL {port} 24200" \
    --b "$DIAL {port} 26400" --name-b equal --name-b 'ten more' --name-b 'twenty more'
}
for seed in 7 8 9; do
  three "$seed"
  [ "$status" -eq 8 ] || break
done
# A machine on which rounds scatter so much that 5 % cannot be resolved has not missed them.
if [ "$status" -eq 3 ] && [ -z "${HONE_STRICT:-}" ]; then
  refused=$(python3 - "$WORK/three/report.json" <<'PY'
import json, sys
for c in json.load(open(sys.argv[1]))["comparisons"]:
    if c["verdict"] == "unresolved" and c["b"] in "CD" and c["smallest_detectable"] > 0.05:
        print(f"the smallest effect that its rounds resolve is {c['smallest_detectable']:.1%}")
        break
PY
  )
fi
if [ -n "$refused" ]; then skip "three candidates, two of them worse" "$refused"
elif [ "$status" -eq 4 ]; then pass "three candidates, two of them worse"
else
  flunk "three candidates, two of them worse" "exit status $status, not 4" "$(tail -n 25 "$WORK/out")"
fi
says "three candidates: each is named" "ten more" "twenty more"
reports "three candidates: two blocks" "$WORK/three/report.json" '
assert [of[b]["block"] for b in "BCD"] == ["B+C", "B+C", "D"], of
assert [c["block"] for c in controls] == ["B+C", "D"], controls
assert {tuple(x["arms"]) for x in r["rounds"]} == {("A", "B", "C", "A\x27"), ("A", "D", "A\x27")}
assert len({l["rate"] for l in r["loads"]}) == 1 and len(r["loads"]) == 1, r["loads"]
assert [t["b"] for t in r["totals"]] == ["B", "C", "D"] and r["total"] == r["totals"][0]'
reports "three candidates: the large ones are worse and the equal one is not" "$WORK/three/report.json" '
assert of["B"]["verdict"] not in ("worse", "saved"), of["B"]
assert of["C"]["verdict"] == "worse" and 0.03 < of["C"]["effect"] < 0.12, of["C"]
assert of["D"]["verdict"] == "worse" and 0.08 < of["D"]["effect"] < 0.22, of["D"]'
if [ -z "$refused" ]; then
  for report in report.json report.md report.html; do
    check "three candidates leave $report" test -s "$WORK/three/$report"
  done
fi
# The seed names the run; finished rounds are those of the block, whatever stands beside it.
exits "a fourth candidate" "3 4 8" $COMPARE --seed "$seed" --duration 1.2 --rounds 6 --output "$WORK/four" \
  --a "$DIAL {port} 22000" --b "$DIAL {port} 22000" --b "$DIAL {port} 24200" \
  --b "$DIAL {port} 26400" --b "$DIAL {port} 22000"
says "a fourth candidate: the full block is kept" "rounds: 6 of 12 found finished"

exits "a candidate that answers errors" 7 $COMPARE --seed 7 --duration 0.4 --rounds 2 --ready-timeout 3 \
  --output "$WORK/errors" --a "$DIAL {port} 2000" --b "$DIAL {port} 2000 errors" --b "$DIAL {port} 2000"
says "a candidate that answers errors: said which, and that the other goes on" \
  "arm B failed" "C goes on without the arm that failed"
reports "a candidate that answers errors spoils its own comparison only" "$WORK/errors/report.json" '
assert of["B"]["verdict"] == "failed" and "status 500" in of["B"]["why"], of["B"]
assert of["C"]["verdict"] != "failed" and of["C"]["rounds"] == 2 and of["C"]["block"] == "C", of["C"]'
exits "a base that answers errors" 7 $COMPARE --seed 7 --duration 0.4 --rounds 2 --ready-timeout 3 \
  --output "$WORK/base" --a "$DIAL {port} 2000 errors" --b "$DIAL {port} 2000" --b "$DIAL {port} 2100"
reports "a base that answers errors fails all of its block" "$WORK/base/report.json" '
assert all(of[b]["verdict"] == "failed" and "arm A" in of[b]["why"] for b in "BC"), of'

exits "two names for three candidates" 2 $COMPARE --a "$DIAL {port} 1" --b "$DIAL {port} 1" \
  --b "$DIAL {port} 1" --b "$DIAL {port} 1" --name-b x --name-b y
says "two names for three candidates: said so" "--name-b is given 2 times for 3 of --b"
exits "a sweep of two candidates" 2 "$HONE" sweep --a "$DIAL {port} 1" --b "$DIAL {port} 1" \
  --b "$DIAL {port} 1" --ready 'http://127.0.0.1:{port}/' --url 'http://127.0.0.1:{port}/'
says "a sweep of two candidates: said so" "one --b at most"
nothing_left "nothing is left running after candidates"
