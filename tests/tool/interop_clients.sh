#!/bin/sh
# Other programs' clients against hone origin: curl on every path, h2load and wrk for many requests.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
make_certificate
read -r clear tls <<PORTS
$(free_ports 2)
PORTS
start "$clear" "$HONE" origin --listen "127.0.0.1:$clear"
start "$tls" "$HONE" origin --listen "127.0.0.1:$tls" --tls-cert "$WORK/cert.pem" --tls-key "$WORK/key.pem"

# fetches NAME WANTED CURL_ARGUMENTS...: curl prints "STATUS BYTES" as wanted.
fetches() {
  name=$1
  wanted=$2
  shift 2
  got=$(curl -sS --max-time 10 --cacert "$WORK/cert.pem" -o "$WORK/body" -D "$WORK/head" \
    -w '%{http_code} %{size_download}' "$@" 2>"$WORK/err")
  if [ "$got" = "$wanted" ]; then pass "$name"; else
    flunk "$name" "got '$got', not '$wanted': curl $*" "$(tail -n 5 "$WORK/err")"
  fi
}

if have curl "curl"; then
  for way in "HTTP/1" "HTTP/2" "HTTP/1 over TLS" "HTTP/2 over TLS"; do
    case "$way" in
      *TLS) base=https://localhost:$tls ;;
      *) base=http://127.0.0.1:$clear ;;
    esac
    case "$way" in
      HTTP/1*) version=--http1.1 ;;
      "HTTP/2") version=--http2-prior-knowledge ;;
      *) version=--http2 ;;
    esac
    fetches "curl, $way: a body" "200 4096" $version "$base/bytes/4096"
    fetches "curl, $way: a large body" "200 3000000" $version "$base/bytes/3000000"
    fetches "curl, $way: headers" "200 0" $version "$base/headers/30/200"
    check "curl, $way: all thirty" test "$(grep -c '^x-origin-' "$WORK/head")" -eq 30
    fetches "curl, $way: a delay" "200 10" $version "$base/delay/20/bytes/10"
    fetches "curl, $way: a status" "503 0" $version "$base/status/503"
    fetches "curl, $way: chunks" "200 70000" $version "$base/chunked/70000"
    fetches "curl, $way: chunks and trailers" "200 70000" $version "$base/chunked/70000/trailers"
    check "curl, $way: the trailer came" grep -qi '^x-origin-trailer: end' "$WORK/head"
    fetches "curl, $way: a body that the close ends" "200 5000" $version "$base/close/5000"
    fetches "curl, $way: early hints" "200 0" $version "$base/early-hints/3"
    check "curl, $way: three of them" test "$(grep -c '^HTTP/[0-9.]* 103' "$WORK/head")" -eq 3
    fetches "curl, $way: an echo" "200 5" $version -d hello "$base/echo"
    check "curl, $way: the same bytes" test "$(cat "$WORK/body")" = hello
    fetches "curl, $way: HEAD" "200 0" $version -I "$base/bytes/4096"
    check "curl, $way: HEAD tells the length" grep -qi '^content-length: 4096' "$WORK/head"
    check "curl, $way: counters" sh -c "curl -sS --max-time 10 --cacert '$WORK/cert.pem' $version '$base/stats' |
      python3 -c 'import json, sys; assert json.load(sys.stdin)[\"requests\"] > 0'"
    fetches "curl, $way: no such path" "404 $(curl -sS --cacert "$WORK/cert.pem" $version "$base/x" | wc -c)" \
      $version "$base/x"
  done
fi

if have h2load "h2load"; then
  for url in "--h1 http://127.0.0.1:$clear" "http://127.0.0.1:$clear" "https://localhost:$tls"; do
    # shellcheck disable=SC2086
    timeout 30 h2load -n 4000 -c 8 -m 10 $url/bytes/4096 >"$WORK/out" 2>&1
    if grep -q ' 4000 succeeded, 0 failed' "$WORK/out"; then pass "h2load $(echo "$url" | sed 's/:[0-9]*$//')"; else
      flunk "h2load $url" "$(tail -n 8 "$WORK/out")"
    fi
  done
fi
if have wrk "wrk"; then
  timeout 30 wrk -c 8 -t 1 -d 1s "http://127.0.0.1:$clear/bytes/4096" >"$WORK/out" 2>&1
  if grep -q 'requests in' "$WORK/out" && ! grep -qE 'Non-2xx|Socket errors' "$WORK/out"; then pass "wrk"; else
    flunk "wrk" "$(cat "$WORK/out")"
  fi
fi
stop_peers
nothing_left "no server is left running"
