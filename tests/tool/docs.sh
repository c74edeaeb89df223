#!/bin/sh
# Every `hone` command that README.md and the pages under docs show runs as it stands there, but for
# where hone lies and which port an origin has; so does what a page does to prepare one (openssl, printf).
. "$(dirname "$0")/lib.sh"
# Lines of ```sh blocks that begin with build/release/bin/hone, continuation lines joined.
commands() {
  awk '/^```sh/ {code = 1; next} /^```/ {code = 0} code {print}' "$@" |
    sed -e ':join' -e '/\\$/N' -e 's/\\\n *//' -e 'tjoin' | grep -E '^(build/release/bin/hone|openssl|printf) ' |
    sed 's/ *# .*//'
}
commands "$ROOT"/README.md "$ROOT"/docs/*.md >"$WORK/commands"
check "the documents show commands" test -s "$WORK/commands"
ln -s "$ROOT/subjects" "$WORK/subjects"
mkdir -p "$WORK/build/release" "$WORK/build/dev"
ln -s "$BIN" "$WORK/build/release/bin"
ln -s "$BIN" "$WORK/build/dev/bin"
# origin COMMAND: starts it on a free port, and lets later commands find it there.
origins=
touch "$WORK/ports.sed"
trap 'for pid in $origins; do kill "$pid" 2>/dev/null; done; finish' EXIT
origin() {
  port=$(printf '%s\n' "$1" | sed -n 's/.*--listen 127.0.0.1:\([0-9]*\).*/\1/p')
  command=$(printf '%s\n' "$1" | sed "s/127.0.0.1:$port/127.0.0.1:0/")
  (cd "$WORK" && eval "exec $command") >"$WORK/origin.$port" 2>&1 </dev/null &
  origins="$origins $!"
  for _ in $(seq 100); do
    grep -q listening "$WORK/origin.$port" && break
    sleep 0.1
  done
  found=$(sed -n 's/^listening on .*:\([0-9]*\)$/\1/p' "$WORK/origin.$port")
  check "listens: $1" test -n "$found"
  echo "s/127.0.0.1:$port/127.0.0.1:$found/g" >>"$WORK/ports.sed"
}
while read -r command; do
  case "$command" in
    *"-via 'ssh "*) ;; # to another host: remote.sh has one, and runs them
    *" origin "*) origin "$command" ;;
    *) proves "runs: $command" sh -c "$(printf '%s\n' "$command" | sed -f "$WORK/ports.sed")" ;;
  esac
done <"$WORK/commands"
for pid in $origins; do kill "$pid"; done
nothing_left "nothing is left running after the documents' commands"
