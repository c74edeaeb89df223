# For the tests with other programs' servers and clients: start them on free loopback ports, end them
# with the test. Needs lib.sh.
PIDS=

stop_peers() {
  for pid in $PIDS; do kill "$pid" 2>/dev/null; done
  for pid in $PIDS; do wait "$pid" 2>/dev/null; done
  PIDS=
}
trap 'stop_peers; finish' EXIT

# have PROGRAM CASE...: false, and each case is skipped by name, where the program is not installed.
have() {
  command -v "$1" >/dev/null 2>&1 && return 0
  program=$1
  shift
  for name in "$@"; do echo "ok $name # SKIP $program is not installed"; done
  return 1
}

free_ports() {
  python3 - "$1" <<'PY'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
PY
}

# launch PORT COMMAND...: in the background, for two minutes at most; $log has its output.
launch() {
  port=$1
  shift
  log=$WORK/$(basename "$1")-$port.log
  timeout 120 "$@" >"$log" 2>&1 </dev/null &
  PIDS="$PIDS $!"
}

# start PORT COMMAND...: launched, and PORT takes connections.
start() {
  launch "$@"
  shift
  if ! python3 - "$port" <<'PY'; then
import socket, sys, time
for _ in range(200):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1).close()
        break
    except OSError:
        time.sleep(0.05)
else:
    sys.exit(1)
PY
    flunk "$(basename "$1") starts" "nothing listens on port $port" "$(tail -n 20 "$log")"
    return 1
  fi
}

# A certificate for localhost, in $WORK/cert.pem and $WORK/key.pem.
make_certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext "subjectAltName=DNS:localhost,IP:127.0.0.1" \
    -keyout "$WORK/key.pem" -out "$WORK/cert.pem" >/dev/null 2>&1
  chmod 644 "$WORK/key.pem"  # servers that give up root read it later
  chmod 755 "$WORK"
}

# answers NAME URL ARGUMENTS...: 300 requests over 7 connections: each is answered well, and none of the
# connections gets two requests more than another. Adds a line with the answers to $WORK/ok.
answers() {
  name=$1
  shift
  if ! timeout 60 "$HONE" load --rate 600 --duration 0.5 --connections 7 --cacert "$WORK/cert.pem" \
    --json "$@" >"$WORK/out" 2>"$WORK/err"; then
    flunk "$name" "failed: hone load $*" "$(tail -n 5 "$WORK/err")" "$(head -n 20 "$WORK/out")"
    return
  fi
  if python3 - "$WORK/out" "$WORK/ok" <<'PY' >"$WORK/why" 2>&1; then pass "$name"; else
import json, sys
r = json.load(open(sys.argv[1]))
assert r["scheduled"] == 300, r["scheduled"]
assert r["ok"] + r["missed"] == 300, {k: v for k, v in r.items() if not isinstance(v, (dict, list))}
assert r["missed"] < 150, r["missed"]  # the generator's own: on a busy machine there are some
assert r["per_connection"]["max"] - r["per_connection"]["min"] <= 1, r["per_connection"]
open(sys.argv[2], "a").write(f"{r['ok']}\n")
PY
    flunk "$name" "$(tail -n 1 "$WORK/why")" "hone load $*"
  fi
}
