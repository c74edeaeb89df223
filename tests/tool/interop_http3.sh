#!/bin/sh
# HTTP/3 with ngtcp2's own server and client: hone load against gtlsserver, gtlsclient against hone origin, and
# hone with itself from the command line.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
make_certificate
mkdir "$WORK/root"
head -c 4096 /dev/zero | tr '\0' x >"$WORK/root/4k"
head -c 300000 /dev/zero | tr '\0' x >"$WORK/root/300k"
printf small >"$WORK/root/small"

if "$HONE" load https://127.0.0.1:9/ --protocol h3 --rate 1 2>&1 | grep -q "built without HTTP/3"; then
  echo "ok HTTP/3 # SKIP hone was built without it"
  exit 0
fi

# start_datagrams PORT COMMAND...: launched, and it has the UDP port.
start_datagrams() {
  launch "$@"
  shift
  hex=$(printf '%04X' "$port")
  for _ in $(seq 200); do
    grep -q "^ *[0-9]*: [0-9A-F]*:$hex " /proc/net/udp && return 0
    sleep 0.05
  done
  flunk "$(basename "$1") starts" "nothing has UDP port $port" "$(tail -n 20 "$log")"
  return 1
}

# holds NAME EXPRESSION: of r, the result of the last `answers`.
holds() {
  name=$1
  shift
  if python3 -c "import json; r = json.load(open('$WORK/out')); assert $*, {k: r.get(k) for k in (
'window_blocked', 'handshakes', 'connections_made', 'resent', 'failures', 'connection_failures')}" 2>"$WORK/why"; then
    pass "$name"
  else
    flunk "$name" "$(tail -n 1 "$WORK/why")"
  fi
}

read -r plain validating lossy narrow hasty <<PORTS
$(free_ports 5)
PORTS
if have gtlsserver "gtlsserver"; then
  gtls() { # gtls PORT OPTIONS...
    gtls_port=$1
    shift
    start_datagrams "$gtls_port" gtlsserver --quiet --htdocs="$WORK/root" "$@" 127.0.0.1 "$gtls_port" \
      "$WORK/key.pem" "$WORK/cert.pem"
  }
  if gtls "$plain"; then
    answers "gtlsserver, 4 KB" "https://localhost:$plain/4k" --connect "127.0.0.1:$plain" --protocol h3
    answers "gtlsserver, an upload" "https://localhost:$plain/small" --connect "127.0.0.1:$plain" \
      --protocol h3 --method POST --body-size 20000
    answers "gtlsserver, 8 streams at once" "https://localhost:$plain/4k" --connect "127.0.0.1:$plain" \
      --protocol h3 --streams 8 --arrivals burst:50
    answers "gtlsserver, a new connection each" "https://localhost:$plain/small" \
      --connect "127.0.0.1:$plain" --protocol h3 --requests-per-connection 1
    holds "gtlsserver, connections are resumed" "r['handshakes']['resumed'] > r['handshakes']['full']"
    exits "gtlsserver, a name that its certificate does not have" 27 "$HONE" load \
      "https://example.org:$plain/4k" --connect "127.0.0.1:$plain" --protocol h3 --rate 10 \
      --duration 0.1 --cacert "$WORK/cert.pem"
    check "gtlsserver, the error says so" grep -q "example.org" "$WORK/out"
  fi
  if gtls "$validating" --validate-addr; then
    answers "gtlsserver, after a Retry" "https://localhost:$validating/4k" \
      --connect "127.0.0.1:$validating" --protocol h3
  fi
  if gtls "$lossy" --tx-loss=0.02 --rx-loss=0.02; then
    answers "gtlsserver, with datagrams lost" "https://localhost:$lossy/4k" --connect "127.0.0.1:$lossy" \
      --protocol h3
  fi
  if gtls "$narrow" --max-stream-data-bidi-remote=16K --max-streams-bidi=3; then
    answers "gtlsserver, a small window and few streams" "https://localhost:$narrow/small" \
      --connect "127.0.0.1:$narrow" --protocol h3 --method POST --body-size 100000 --streams 100
    holds "gtlsserver, the shut window is shown" "r['window_blocked'] > 0"
  fi
  if gtls "$hasty" --timeout=1s; then
    run_whole "$HONE" load "https://localhost:$hasty/small" --connect "127.0.0.1:$hasty" --protocol h3 \
      --rate 1 --arrivals even --connections 2 --duration 4 --cacert "$WORK/cert.pem" --json
    holds "gtlsserver, connections that rest outlive its idle timeout" \
      "r['ok'] == 4 and r['connections_made'] == 2"
  fi
fi

read -r origin shared <<PORTS
$(free_ports 2)
PORTS
start "$origin" "$HONE" origin --listen "127.0.0.1:$origin" --tls-cert "$WORK/cert.pem" \
  --tls-key "$WORK/key.pem" --protocol h3
if have gtlsclient "gtlsclient"; then
  # fetches NAME PATH BYTES
  fetches() {
    rm -rf "$WORK/got"
    mkdir "$WORK/got"
    timeout 30 gtlsclient --quiet --exit-on-all-streams-close --download="$WORK/got" 127.0.0.1 "$origin" \
      "https://localhost:$origin$2" >"$WORK/out" 2>&1 </dev/null
    got=$(cat "$WORK"/got/* 2>/dev/null | wc -c)
    if [ "$got" -eq "$3" ]; then pass "gtlsclient, $1"; else
      flunk "gtlsclient, $1" "$got bytes, not $3" "$(tail -n 5 "$WORK/out")"
    fi
  }
  fetches "4 KB" /bytes/4096 4096
  fetches "a large body" /bytes/3000000 3000000
  fetches "chunked with trailers" /chunked/5000/trailers 5000
  fetches "an answer that takes its time" /delay/100/bytes/10 10
  fetches "a body that ends the connection" /close/1000 1000
fi

start "$shared" "$HONE" origin --listen "127.0.0.1:$shared" --tls-cert "$WORK/cert.pem" \
  --tls-key "$WORK/key.pem" --protocol h3 --threads 2
for protocol in h1 h2 h3; do
  answers "hone origin, two threads, $protocol on the one port" "https://localhost:$shared/bytes/4096" \
    --connect "127.0.0.1:$shared" --protocol "$protocol" --threads 2
done
exits "HTTP/3 in clear text is refused" 2 "$HONE" load "http://127.0.0.1:$shared/" --protocol h3 --rate 1
exits "an origin without a certificate is refused" 2 "$HONE" origin --listen 127.0.0.1:0 --protocol h3
