#!/bin/sh
# Connections dialled until each worker of a real server holds as many: worker processes that race to accept
# (nginx), threads that are dealt theirs after the first request (nghttpx).
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
mkdir "$WORK/root"
chmod 755 "$WORK"
head -c 4096 /dev/zero | tr '\0' x >"$WORK/root/4k"
read -r nginx nghttpx <<PORTS
$(free_ports 2)
PORTS

# even NAME PORT PID ARGUMENTS...: 9 connections over two workers.
even() {
  name=$1
  port=$2
  pid=$3
  shift 3
  exits "$name" 0 "$HONE" load "http://127.0.0.1:$port/4k" --rate 200 --duration 0.2 --connections 9 \
    --server-pid "$pid" --server-workers 2 "$@"
  says "$name: the split is told" "connections on the server's workers: 5 + 4 ("
}

have nginx "nginx's worker processes" || exit 0
cat >"$WORK/nginx.conf" <<CONF
daemon off; worker_processes 2; pid $WORK/nginx.pid; error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off; keepalive_requests 1000000;
  client_body_temp_path $WORK; proxy_temp_path $WORK; fastcgi_temp_path $WORK; uwsgi_temp_path $WORK;
  scgi_temp_path $WORK;
  server { listen 127.0.0.1:$nginx; root $WORK/root; }
}
CONF
if start "$nginx" nginx -c "$WORK/nginx.conf"; then
  pid=$(cat "$WORK/nginx.pid")
  even "nginx's worker processes" "$nginx" "$pid"
  exits "a worker that gets none is a refusal" 27 "$HONE" load "http://127.0.0.1:$nginx/4k" --rate 200 \
    --duration 0.2 --connections 9 --server-pid "$pid" --server-workers 3
  says "with the split" "on the server's workers, however often they were dialled"
  exits "a process that is not there is a refusal" 27 "$HONE" load "http://127.0.0.1:$nginx/4k" --rate 200 \
    --duration 0.2 --server-pid 2147483646 --server-workers 2
  exits "not on HTTP/3, where it cannot be told" 2 "$HONE" load "https://127.0.0.1:$nginx/4k" --rate 200 \
    --protocol h3 --insecure --duration 0.2 --server-pid "$pid" --server-workers 2
  exits "nor with churn" 2 "$HONE" load "http://127.0.0.1:$nginx/4k" --rate 200 --duration 0.2 \
    --requests-per-connection 5 --server-pid "$pid" --server-workers 2
  exits "--server-pid wants --server-workers" 2 "$HONE" load "http://127.0.0.1:$nginx/4k" --rate 200 \
    --server-pid "$pid"
fi
if have nghttpx "nghttpx's worker threads"; then
  if start "$nghttpx" nghttpx --conf=/dev/null -n2 "--frontend=127.0.0.1,$nghttpx;no-tls" \
    "--backend=127.0.0.1,$nginx"; then
    for pid in $PIDS; do :; done # the last one: timeout, whose child it is
    even "nghttpx's worker threads" "$nghttpx" "$pid"
    even "nghttpx's worker threads on HTTP/2" "$nghttpx" "$pid" --protocol h2
  fi
fi
stop_peers
nothing_left "no server is left running"
