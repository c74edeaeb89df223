#!/bin/sh
# A proof killed (kill -9) at 100 random moments: it goes on from its finished rounds each time, repeats at
# most the one that was cut, ends with every round once, and leaves no process.
. "$(dirname "$0")/../lib.sh"
KILLS=${KILLS:-100}
ROUNDS=16
SEED=$(date +%s)
echo "# seed $SEED"
cat >"$WORK/compare" <<RUN
#!/bin/sh
exec "$HONE" compare --a "$BIN/dial_server {port} 2000" --b "$BIN/dial_server {port} 2000" \\
  --ready 'http://127.0.0.1:{port}/' --url 'http://127.0.0.1:{port}/' --rate 2000 --arrivals burst:16 \\
  --seed 7 --rounds $ROUNDS --duration 0.4 --no-checks
RUN
# The finished rounds that count, by number.
finished() {
  python3 - "$WORK" <<'PY'
import glob, json, sys
found = set()
for name in glob.glob(sys.argv[1] + "/.hone/**/slices-*.json", recursive=True):
    round = json.load(open(name))
    if round["valid"]:
        assert round["number"] not in found, f"round {round['number']} was kept twice"
        found.add(round["number"])
print(len(found))
PY
}
before=0
kept=yes
clean=yes
whole=0
for moment in $(python3 -c "
import random
random.seed($SEED)
for _ in range($KILLS): print(f'{random.uniform(0.05, 4):.2f}')"); do
  (cd "$WORK" && exec sh ./compare) >"$WORK/out" 2>&1 </dev/null &
  pid=$!
  sleep "$moment"
  kill -9 "$pid" 2>/dev/null || whole=$((whole + 1))
  wait "$pid" 2>/dev/null
  now=$(finished) || kept="no: $now"
  [ "$now" -ge "$before" ] || kept="no: $before rounds were finished, then $now"
  before=$now
  for _ in $(seq 100); do
    left=$(left_running)
    [ -z "$left" ] && break
    sleep 0.1
  done
  [ -z "$left" ] || clean="no, after $moment s: $left"
  # So that rounds are left to be cut.
  if [ "$now" -eq "$ROUNDS" ]; then
    rm -rf "$WORK/.hone"
    before=0
  fi
done
if [ "$kept" = yes ]; then pass "no finished round is lost or kept twice in $KILLS kills"; else
  flunk "no finished round is lost or kept twice in $KILLS kills" "$kept"
fi
if [ "$clean" = yes ]; then pass "no process is left after any of them"; else
  flunk "no process is left after any of them" "$clean"
fi
echo "# $whole of $KILLS found it ended already"
run_whole sh ./compare
if [ -n "$refused" ]; then skip "the proof then comes to its end" "$refused"; else
  case "$status" in
    3 | 4 | 6 | 8) pass "the proof then comes to its end" ;;
    *) flunk "the proof then comes to its end" "exit status $status" "$(tail -n 5 "$WORK/out")" ;;
  esac
  [ "$(finished)" -eq "$ROUNDS" ] && pass "with every round once" || flunk "with every round once" "$(finished)"
fi
nothing_left "nothing is left running at the end"
