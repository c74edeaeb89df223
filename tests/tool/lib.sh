# Shared by the whole-tool tests: each is a program that prints "ok NAME" or "not ok NAME" lines.
# HONE is the built tool; BIN the folder it lies in. WORK is removed at the end.
set -u
ROOT=$(cd "$(dirname "$0")" && while [ ! -x script/test ]; do cd ..; done && pwd)
HONE=${HONE:-$ROOT/build/dev/bin/hone}
BIN=$(dirname "$HONE")
WORK=$(mktemp -d)
FAILED=0
refused=

finish() {
  rm -rf "$WORK"
  exit "$FAILED"
}
trap finish EXIT

pass() { echo "ok $1"; }
flunk() {
  echo "not ok $1"
  FAILED=1
  shift
  for line in "$@"; do echo "#   $line"; done
}

# check NAME COMMAND...: the command succeeds.
check() {
  name=$1
  shift
  if "$@" >"$WORK/check.out" 2>&1; then pass "$name"; else
    flunk "$name" "failed: $*" "$(tail -n 20 "$WORK/check.out")"
  fi
}

# run_whole COMMAND...: runs it in $WORK, output in $WORK/out; its exit status is in $status. Where the
# machine was too noisy for a proof (5) it goes on from the finished rounds once, as a user would; then
# `refused` says why.
run_whole() {
  refused=
  for _ in 1 2; do
    (cd "$WORK" && exec timeout 600 "$@") >"$WORK/out" 2>&1 </dev/null
    status=$?
    [ "$status" -eq 5 ] || return 0
  done
  # A proof that the machine does not bear is refused, and shows nothing of what the case is about:
  # it is skipped, and counted. Where the machine is known to be quiet, HONE_STRICT=1 fails it.
  [ -n "${HONE_STRICT:-}" ] || refused=$(sed -n 's/^error: //p' "$WORK/out" | head -n 1)
}

skip() { echo "ok $1 # SKIP $2"; }

# exits NAME STATUS COMMAND...: the command ends with that status, or with one of several ("3 8").
exits() {
  name=$1
  wanted=$2
  shift 2
  run_whole "$@"
  case " $wanted " in
    *" $status "*)
      refused=  # it is what the case is about
      pass "$name"
      ;;
    *)
      if [ -n "$refused" ]; then
        skip "$name" "$refused"
        return
      fi
      flunk "$name" "exit status $status, not $wanted: $*" "$(tail -n 20 "$WORK/out")"
      ;;
  esac
}

# proves NAME COMMAND...: the command comes to a verdict, whichever. Withheld (8) is one too: in about one
# of twenty sound proofs a copy differs from itself by chance.
proves() {
  name=$1
  shift
  exits "$name" "0 3 4 6 8" "$@"
}

# says NAME TEXT...: the last output holds every text.
says() {
  name=$1
  shift
  if [ -n "$refused" ]; then
    skip "$name" "$refused"
    return
  fi
  for text in "$@"; do
    if ! grep -qF -- "$text" "$WORK/out"; then
      flunk "$name" "does not say: $text" "$(tail -n 20 "$WORK/out")"
      return
    fi
  done
  pass "$name"
}

# Processes whose command line, program or folder is below $WORK, and hone's supervisors.
left_running() {
  for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    [ "$pid" = "$$" ] && continue
    line=$(cat "$process/cmdline" 2>/dev/null | tr '\0' ' ')
    where=$(readlink "$process/cwd" 2>/dev/null)
    program=$(readlink "$process/exe" 2>/dev/null)
    case "$line $where $program" in
      *"$WORK"*) ;;
      *) continue ;;
    esac
    case "$line" in
      sh\ * | bash\ * | timeout\ *) continue ;;
    esac
    echo "$pid $line"
  done
}

# nothing_left NAME: within ten seconds nothing that hone started is alive.
nothing_left() {
  for _ in $(seq 100); do
    left=$(left_running)
    [ -z "$left" ] && break
    sleep 0.1
  done
  if [ -z "$left" ]; then pass "$1"; else flunk "$1" "still running: $left"; fi
}

# A C++ server that builds in a second, with its recipe, in $WORK/tiny.
make_tiny() {
  mkdir -p "$WORK/tiny/src"
  cp "$ROOT/tests/servers/dial_server.cc" "$WORK/tiny/src/"
  cat >"$WORK/tiny/src/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(tiny LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
add_executable(dial_server dial_server.cc)
CMAKE
  cat >"$WORK/tiny/recipe.toml" <<'RECIPE'
[subject]
name = "tiny"

[source]
path = "src"

[build]
system = "cmake"
target = "dial_server"
binary = "dial_server"

[server]
command = ["{binary}", "{port}", "2000"]
ready = {http = "http://127.0.0.1:{port}/", limit = 5}
stop = {signal = "TERM", limit = 5}

[train]
leg = 0.5

[[load]]
name = "fixed"
rate = 2000
arrivals = "burst:16"

[prove]
rounds = 2
rounds_in_turn = 1
rounds_without_spinner = 0
slices = 4
slice = 0.4
head = 0.02

[[shape]]
name = "h1"
path = "/"
RECIPE
}
