#!/bin/sh
# The positive control: 3 % more work on purpose is found, or the machine is called unfit with what it could
# have found.
. "$(dirname "$0")/../lib.sh"
run_whole "$HONE" doctor --control
case "$status" in
  0) says "the work that was dialled is found" "3 % more work per request was found: worse" ;;
  5)
    if grep -q "was not found" "$WORK/out"; then
      refused=
      says "what this machine finds is told instead" "this machine finds"
    fi
    skip "the work that was dialled is found" "$(grep "was not found" "$WORK/out" || echo "$refused")"
    ;;
  *) flunk "the work that was dialled is found" "exit status $status" "$(tail -n 10 "$WORK/out")" ;;
esac
nothing_left "nothing is left running after the control"
