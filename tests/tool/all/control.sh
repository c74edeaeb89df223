#!/bin/sh
# The positive control: 3 % more work on purpose is found, or the machine is called unfit with what it could
# have found.
. "$(dirname "$0")/../lib.sh"
(cd "$WORK" && exec timeout 600 "$HONE" doctor --control) >"$WORK/out" 2>&1 </dev/null
status=$?
case "$status" in
  0) says "the work that was dialled is found" "3 % more work per request was found: worse" ;;
  5)
    if grep -q "was not found" "$WORK/out"; then
      says "what this machine finds is told instead" "this machine finds"
    fi
    skip "the work that was dialled is found" "$(grep "was not found" "$WORK/out" || sed -n 's/^error: //p' "$WORK/out")"
    ;;
  *) flunk "the work that was dialled is found" "exit status $status" "$(tail -n 10 "$WORK/out")" ;;
esac
nothing_left "nothing is left running after the control"
