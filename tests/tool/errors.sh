#!/bin/sh
# Wrong input: a clear error that says what, where, why and what next, an exit code of its own, nothing
# lost and nothing left running.
. "$(dirname "$0")/lib.sh"
make_tiny
RECIPE=$WORK/tiny/recipe.toml

exits "unknown verb is a usage error" 2 "$HONE" rnu tiny
says "unknown verb: the nearest one is named" "hone run"
exits "missing argument is a usage error" 2 "$HONE" run
exits "report takes nothing that it cannot honour" 2 "$HONE" report tiny --set prove.rounds=3
says "report takes nothing that it cannot honour: named" "--set"
exits "no recipe" 25 "$HONE" run "$WORK/nowhere"
says "no recipe: its path is named" "$WORK/nowhere"

compares_wrongly() {
  name=$1
  shift
  exits "$name" 2 "$HONE" compare --a '/bin/sleep 9' --b '/bin/sleep 9' \
    --ready 'http://127.0.0.1:{port}/' --url 'http://127.0.0.1:{port}/' "$@"
}
compares_wrongly "compare: unknown signal" --stop-signal FOO
says "compare: unknown signal: the option and the known ones" "--stop-signal" "'FOO'" "TERM, INT"
compares_wrongly "compare: an origin apart from the load" --cpus-load 0 --cpus-origin 1
says "compare: an origin apart from the load: why" "--cpus-origin" "share one thread"

sed 's/rounds = 2/ruonds = 2/' "$RECIPE" >"$WORK/tiny/bad.toml"
exits "unknown key" 11 "$HONE" run "$WORK/tiny/bad.toml"
says "unknown key: file, line, column, suggestion" "bad.toml:26:1" "ruonds" "rounds"
exits "unknown --set key" 2 "$HONE" run tiny --set prove.ruonds=3
says "unknown --set key: suggestion" "rounds"
exits "a run may not be called as a part of the store" 2 "$HONE" run tiny --run store
says "a run may not be called as a part of the store: why" "--run" "'store'"
exits "a run's name is no path" 2 "$HONE" run tiny --run ../x
exits "broken TOML" 11 sh -c "echo '[server' >'$WORK/tiny/bad.toml'; exec '$HONE' run '$WORK/tiny/bad.toml'"

exits "missing tool" 12 "$HONE" run tiny --set build.toolchain=11
says "missing tool: named, with its package" "clang-11"
mkdir -p "$WORK/mixed"
for tool in clang clang++ llvm-profdata llvm-ar llvm-ranlib llvm-nm llvm-objcopy llvm-strip llvm-size; do
  ln -s "$(command -v "$tool-22" || echo "/usr/lib/llvm-22/bin/$tool")" "$WORK/mixed/$tool"
done
printf '#!/bin/sh\necho "Debian LLD 19.1.7 (compatible with GNU linkers)"\n' >"$WORK/mixed/ld.lld"
chmod +x "$WORK/mixed/ld.lld"
exits "mixed LLVM versions" 13 "$HONE" run tiny --set "build.toolchain=$WORK/mixed"
says "mixed LLVM versions: both are named" "19.1.7" "22.1"

exits "a source package that is not there" 14 sh -c "sed 's/^path = \"src\"/apt = \"no-such-package-x\"/' '$RECIPE' >'$WORK/tiny/apt.toml'; cd '$WORK' && exec '$HONE' build '$WORK/tiny/apt.toml'"
says "a source package that is not there: named" "no-such-package-x"

cp "$WORK/tiny/src/dial_server.cc" "$WORK/good.cc"
sed -i 's/^int main/int broken = undeclared_name;\nint main/' "$WORK/tiny/src/dial_server.cc"
exits "a build that fails" 15 "$HONE" build tiny
says "a build that fails: first error and log" "undeclared_name" "error:" "log:"
run_whole "$HONE" status
check "status takes the build tree for no run" sh -c "test -d '$WORK/.hone/tiny/tree' && grep -q default '$WORK/out' && ! grep -q tree '$WORK/out'"
cp "$WORK/good.cc" "$WORK/tiny/src/dial_server.cc"

exits "builds, for what follows" 0 "$HONE" build tiny
check "a stage before the proof prints JSON" sh -c "cd '$WORK' && '$HONE' build tiny --json | python3 -c '
import json, sys
made = json.load(sys.stdin)
assert made[\"reached\"] == \"build\" and \"legs\" not in made, made
assert [b[\"variant\"] for b in made[\"builds\"]] == [\"baseline\", \"instrumented\"], made'"
check "a plan prints JSON" sh -c "cd '$WORK' && '$HONE' run tiny --dry-run --json | python3 -c '
import json, sys
plan = json.load(sys.stdin)
assert plan[\"subject\"] == \"tiny\" and plan[\"steps\"][0][\"id\"] == \"build:baseline\", plan'"
python3 - "$WORK" <<'PY' &
import socket, sys, time
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", 0)); s.listen(1)
open(sys.argv[1] + "/taken", "w").write(str(s.getsockname()[1]))
time.sleep(60)
PY
HOLDER=$!
for _ in $(seq 50); do [ -s "$WORK/taken" ] && break; sleep 0.1; done
PORT=$(cat "$WORK/taken")
exits "port taken" 16 "$HONE" train tiny --set "server.command=[\"{binary}\",\"$PORT\",\"2000\"]" --set "server.ready={tcp=\"127.0.0.1:$PORT\",limit=3}"
says "port taken: the port is named" "$PORT"
kill "$HOLDER"
wait "$HOLDER" 2>/dev/null
exits "a server that never gets ready" 17 "$HONE" train tiny --set 'server.command=["{binary}","{port}","2000","never-ready"]' --set 'server.ready={http="http://127.0.0.1:{port}/",limit=1}'
says "a server that never gets ready: log" "output.log"
exits "a server that dies at the start" 18 "$HONE" train tiny --set 'server.command=["{binary}","{port}","2000","dies"]'
says "a server that dies at the start: its words" "told to die" "exit status 3"
exits "a server that dies in training" 18 "$HONE" train tiny --set 'server.command=["{binary}","{port}","2000","dies-under-load"]'
exits "a leg whose answers are errors" 19 "$HONE" train tiny --set 'server.command=["{binary}","{port}","2000","errors"]' --set 'server.ready={tcp="127.0.0.1:{port}",limit=5}'
says "a leg whose answers are errors: the status" "500"
exits "a program that was not instrumented" 19 "$HONE" train tiny --set 'build.system="custom"' \
  --set 'build.commands=["clang++-22 -std=c++20 -O1 {source}/dial_server.cc -o dial_server"]'
says "a program that was not instrumented: said, with its log" "none carries LLVM's profile runtime" "log:"
exits "legs, for what follows" 0 "$HONE" train tiny
find "$WORK/.hone/tiny/store/leg" -name '*.profraw' -exec truncate -s 0 {} +
exits "an empty profile" 20 "$HONE" profile tiny
says "an empty profile: the file, and what to do" ".profraw is empty" "train again"
rm -rf "$WORK/.hone/tiny/store/leg"

if [ "$(id -u)" -eq 0 ]; then
  mkdir -p "$WORK/small"
  if mount -t tmpfs -o size=64k tmpfs "$WORK/small" 2>/dev/null; then
    exits "a full disk" 21 "$HONE" build tiny --work "$WORK/small/hone"
    says "a full disk: said" "space"
    umount "$WORK/small"
  else
    echo "# skipped: a full disk (no tmpfs can be mounted here)"
  fi
  chmod 755 "$WORK"
  exits "no permission, as an unprivileged user" 22 setpriv --reuid=65534 --regid=65534 --clear-groups "$HONE" build "$WORK/tiny" --work "$WORK/denied"
  says "no permission: the path" "denied"
fi

mkdir -p "$WORK/mine/store"
echo kept >"$WORK/mine/store/file"
exits "clean takes no path" 2 "$HONE" clean ..
exits "clean takes no path, the work folder neither" 2 "$HONE" clean .
exits "clean leaves a folder that is not hone's" 25 "$HONE" clean mine --work .
exits "clean --all leaves what is not hone's" 0 "$HONE" clean --all --work .
says "clean --all leaves what is not hone's: named" "left alone" "mine" "tiny"
check "clean --all leaves what is not hone's: it is there" test -s "$WORK/mine/store/file" -a -s "$RECIPE" -a -d "$WORK/.hone/tiny"
exits "clean removes a subject" 0 "$HONE" clean tiny
check "clean removes a subject: it is gone" test ! -e "$WORK/.hone/tiny"
nothing_left "nothing is left running after errors"
