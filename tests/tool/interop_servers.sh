#!/bin/sh
# hone load against servers and proxies that others wrote: nginx, HAProxy, nghttpd, nghttpx, h2o. The proxies
# stand before hone's origin, so that both of its sides are met.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
make_certificate
mkdir "$WORK/root"
head -c 4096 /dev/zero | tr '\0' x >"$WORK/root/4k"

read -r origin clear tls <<PORTS
$(free_ports 3)
PORTS
start "$origin" "$HONE" origin --listen "127.0.0.1:$origin"

# behind NAME CLEAR_URL TLS_URL: what a proxy passes on, on every way there is.
behind() {
  proxy=$1
  answers "$proxy, HTTP/1" "http://127.0.0.1:$2/bytes/4096"
  answers "$proxy, HTTP/1 over TLS" "https://localhost:$3/bytes/4096"
  answers "$proxy, HTTP/2 over TLS" "https://localhost:$3/bytes/4096" --protocol h2
  answers "$proxy, chunked with trailers" "http://127.0.0.1:$2/chunked/20000/trailers"
  answers "$proxy, many headers on HTTP/2" "https://localhost:$3/headers/20/100" --protocol h2
  answers "$proxy, an upload on HTTP/1" "http://127.0.0.1:$2/echo" --method POST --body-size 20000
  answers "$proxy, an upload on HTTP/2" "https://localhost:$3/echo" --protocol h2 --method POST \
    --body-size 20000
  answers "$proxy, HEAD" "http://127.0.0.1:$2/bytes/4096" --method HEAD
  answers "$proxy, no content" "https://localhost:$3/status/204" --protocol h2
}

if have nginx "nginx"; then
  cat >"$WORK/nginx.conf" <<CONF
daemon off; master_process off; pid $WORK/nginx.pid; error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off; keepalive_requests 1000000;
  client_body_temp_path $WORK; proxy_temp_path $WORK; fastcgi_temp_path $WORK; uwsgi_temp_path $WORK;
  scgi_temp_path $WORK;
  upstream origin { server 127.0.0.1:$origin; keepalive 16; }
  server {
    listen 127.0.0.1:$clear; listen 127.0.0.1:$tls ssl http2;
    ssl_certificate $WORK/cert.pem; ssl_certificate_key $WORK/key.pem;
    root $WORK/root;
    location = /4k { }
    location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
CONF
  if start "$clear" nginx -c "$WORK/nginx.conf"; then
    answers "nginx, a file" "http://127.0.0.1:$clear/4k"
    behind nginx "$clear" "$tls"
  fi
fi

read -r clear h2c tls <<PORTS
$(free_ports 3)
PORTS
if have haproxy "haproxy"; then
  cat "$WORK/cert.pem" "$WORK/key.pem" >"$WORK/both.pem"
  cat >"$WORK/haproxy.cfg" <<CONF
global
  maxconn 500
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend clear
  bind 127.0.0.1:$clear
  bind 127.0.0.1:$h2c proto h2
  bind 127.0.0.1:$tls ssl crt $WORK/both.pem alpn h2,http/1.1
  default_backend origin
backend origin
  server origin 127.0.0.1:$origin
CONF
  if start "$clear" haproxy -db -f "$WORK/haproxy.cfg"; then
    behind haproxy "$clear" "$tls"
    answers "haproxy, HTTP/2 by prior knowledge" "http://127.0.0.1:$h2c/bytes/4096" --protocol h2
  fi
fi

read -r clear tls <<PORTS
$(free_ports 2)
PORTS
if have nghttpx "nghttpx"; then
  if start "$clear" nghttpx --conf=/dev/null --single-process --no-ocsp \
    "--frontend=127.0.0.1,$clear;no-tls" "--frontend=127.0.0.1,$tls" \
    "--backend=127.0.0.1,$origin;;proto=h2" "$WORK/key.pem" "$WORK/cert.pem"; then
    behind "nghttpx, HTTP/2 to the origin" "$clear" "$tls"
    answers "nghttpx, HTTP/2 by prior knowledge" "http://127.0.0.1:$clear/bytes/4096" --protocol h2
  fi
fi

read -r clear tls <<PORTS
$(free_ports 2)
PORTS
if have nghttpd "nghttpd"; then
  start "$clear" nghttpd --no-tls -a 127.0.0.1 -d "$WORK/root" "$clear" &&
    answers "nghttpd, prior knowledge" "http://127.0.0.1:$clear/4k" --protocol h2
  start "$tls" nghttpd -a 127.0.0.1 -d "$WORK/root" "$tls" "$WORK/key.pem" "$WORK/cert.pem" &&
    answers "nghttpd, TLS" "https://localhost:$tls/4k" --protocol h2
fi

read -r clear tls <<PORTS
$(free_ports 2)
PORTS
if have h2o "h2o"; then
  cat >"$WORK/h2o.conf" <<CONF
num-threads: 1
pid-file: $WORK/h2o.pid
user: $(id -un)
listen: {host: 127.0.0.1, port: $clear}
listen: {host: 127.0.0.1, port: $tls, ssl: {key-file: $WORK/key.pem, certificate-file: $WORK/cert.pem}}
hosts:
  default:
    paths:
      /file: {file.dir: $WORK/root}
      /: {proxy.reverse.url: "http://127.0.0.1:$origin/"}
CONF
  if start "$clear" h2o -c "$WORK/h2o.conf"; then
    answers "h2o, a file" "http://127.0.0.1:$clear/file/4k"
    behind h2o "$clear" "$tls"
  fi
fi
stop_peers
nothing_left "no server is left running"
