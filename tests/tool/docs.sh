#!/bin/sh
# Every `hone` command that README.md and the pages under docs show runs as it stands there, but for
# where hone lies.
. "$(dirname "$0")/lib.sh"
# Lines of ```sh blocks that begin with build/release/bin/hone, continuation lines joined.
commands() {
  awk '/^```sh/ {code = 1; next} /^```/ {code = 0} code {print}' "$@" |
    sed -e ':join' -e '/\\$/N' -e 's/\\\n *//' -e 'tjoin' | grep '^build/release/bin/hone' |
    sed 's/ *# .*//'
}
commands "$ROOT"/README.md "$ROOT"/docs/*.md >"$WORK/commands"
check "the documents show commands" test -s "$WORK/commands"
ln -s "$ROOT/subjects" "$WORK/subjects"
mkdir -p "$WORK/build/release" "$WORK/build/dev"
ln -s "$BIN" "$WORK/build/release/bin"
ln -s "$BIN" "$WORK/build/dev/bin"
while read -r command; do
  proves "runs: $command" sh -c "$command"
done <"$WORK/commands"
nothing_left "nothing is left running after the documents' commands"
