#!/bin/sh
# A run that is cut goes on; a run that is whole does nothing again; a changed value redoes what depends
# on it and says which field changed. Nothing outlives hone.
. "$(dirname "$0")/lib.sh"
make_tiny
# A verdict needs six rounds: two end in "unresolved" (3), or, by chance, in "withheld".
ENDED="3 8"

# kill -9 hone when its output first matches a pattern, then look for what is left.
cut_at() {
  name=$1
  pattern=$2
  cd "$WORK" || exit 1
  "$HONE" run tiny >"$WORK/cut" 2>&1 </dev/null &
  pid=$!
  for _ in $(seq 600); do
    grep -q -- "$pattern" "$WORK/cut" && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  if kill -9 "$pid" 2>/dev/null; then pass "kill -9 in $name"; else
    flunk "kill -9 in $name" "it had ended before" "$(tail -n 5 "$WORK/cut")"
  fi
  wait "$pid" 2>/dev/null
  cd - >/dev/null || exit 1
  nothing_left "nothing is left after kill -9 in $name"
}
cut_at build "== build"
cut_at train "== train"
cut_at profile "== profile"
cut_at optimize "== optimize"
cut_at prove "== prove"
exits "a run that was cut five times goes on to its end" "$ENDED" "$HONE" run tiny
says "finished builds were kept" "build baseline: reused"

before=$(find "$WORK/.hone/tiny/store" -type f -newer "$WORK/out" | sort)
exits "the same run again" "$ENDED" "$HONE" run tiny
says "nothing is rebuilt, retrained or measured again" "build baseline: reused" "build pgo-thinlto: reused" "rounds: 3 of 3"
after=$(find "$WORK/.hone/tiny/store" -type f -newer "$WORK/out" ! -name fingerprint.json | sort)
[ "$before" = "$after" ] && pass "the store is as it was" || flunk "the store is as it was" "$before" "against" "$after"

exits "a changed training value" "$ENDED" "$HONE" run tiny --set train.leg=0.6
says "a changed training value: builds stay, the field is named" "build baseline: reused" "leg"
# Without a proof: one that is refused is run again, and the second run has nothing to name.
exits "a changed build value" 0 "$HONE" build tiny --set 'build.configure=["-DCMAKE_BUILD_TYPE=RelWithDebInfo"]'
says "a changed build value is named" "build.configure"

cd "$WORK" || exit 1
"$HONE" run tiny --set prove.rounds=40 >"$WORK/cut" 2>&1 </dev/null &
pid=$!
for _ in $(seq 600); do grep -q "== prove" "$WORK/cut" && break; sleep 0.05; done
sleep 1
(exec "$HONE" run tiny >"$WORK/out" 2>&1)
[ $? -eq 23 ] && pass "a second writer is refused" || flunk "a second writer is refused" "$(tail -n 5 "$WORK/out")"
kill -INT "$pid"
wait "$pid"
status=$?
[ "$status" -eq 130 ] && pass "Ctrl-C ends with 130" || flunk "Ctrl-C ends with 130" "exit status $status" "$(tail -n 8 "$WORK/cut")"
nothing_left "nothing is left after Ctrl-C"
exits "--dry-run changes nothing" 0 "$HONE" run tiny --dry-run
says "--dry-run prints the plan" "h1"
