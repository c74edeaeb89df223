#!/bin/sh
# hone load against a released Envoy, with hone's origin behind it: HTTP/1, HTTP/2, HTTP/3 and gRPC, in clear
# text and over TLS, with the proxy speaking HTTP/1 or HTTP/2 to the origin.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
if ! ENVOY=$("$ROOT/script/envoy" 2>"$WORK/err"); then
  echo "ok Envoy # SKIP it cannot be fetched: $(tail -n 1 "$WORK/err")"
  exit 0
fi
make_certificate
read -r origin clear h2up tls quic admin <<PORTS
$(free_ports 6)
PORTS
start "$origin" "$HONE" origin --listen "127.0.0.1:$origin"

# filters NAME CLUSTER CODEC
filters() {
  cat <<YAML
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          codec_type: $3
          stat_prefix: $1
          http_protocol_options: {enable_trailers: true}
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes: [{match: {prefix: "/"}, route: {cluster: $2}}]
          http_filters:
          - name: envoy.filters.http.router
            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
YAML
}

certificates() {
  echo "[{certificate_chain: {filename: $WORK/cert.pem}, private_key: {filename: $WORK/key.pem}}]"
}

# listener NAME PORT CLUSTER [TLS]: one that takes HTTP/1 and HTTP/2 as they come.
listener() {
  cat <<YAML
  - name: $1
    address: {socket_address: {address: 127.0.0.1, port_value: $2}}
    filter_chains:
YAML
  filters "$1" "$3" AUTO
  [ "${4:-}" = tls ] || return 0
  cat <<YAML
      transport_socket:
        name: envoy.transport_sockets.tls
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
          common_tls_context:
            alpn_protocols: [h2, http/1.1]
            tls_certificates: $(certificates)
YAML
}

quic_listener() {
  cat <<YAML
  - name: quic
    address: {socket_address: {protocol: UDP, address: 127.0.0.1, port_value: $quic}}
    udp_listener_config: {quic_options: {}}
    filter_chains:
YAML
  filters quic by_http1 HTTP3
  cat <<YAML
      transport_socket:
        name: envoy.transport_sockets.quic
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport
          downstream_tls_context:
            common_tls_context: {tls_certificates: $(certificates)}
YAML
}

# cluster NAME PROTOCOL_OPTIONS
cluster() {
  cat <<YAML
  - name: $1
    type: STATIC
    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        explicit_http_config: {$2}
    load_assignment:
      cluster_name: $1
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: $origin}}}
YAML
}

{
  echo "admin: {address: {socket_address: {address: 127.0.0.1, port_value: $admin}}}"
  echo "static_resources:"
  echo "  listeners:"
  listener clear "$clear" by_http1
  listener h2up "$h2up" by_http2
  listener encrypted "$tls" by_http2 tls
  quic_listener
  echo "  clusters:"
  cluster by_http1 "http_protocol_options: {enable_trailers: true}"
  cluster by_http2 "http2_protocol_options: {}"
} >"$WORK/envoy.yaml"

if start "$clear" "$ENVOY" -c "$WORK/envoy.yaml" --concurrency 1 --use-dynamic-base-id --log-level warn; then
  answers "Envoy, HTTP/1" "http://127.0.0.1:$clear/bytes/4096"
  answers "Envoy, HTTP/2 by prior knowledge" "http://127.0.0.1:$clear/bytes/4096" --protocol h2
  answers "Envoy, HTTP/1 to HTTP/2" "http://127.0.0.1:$h2up/bytes/4096"
  answers "Envoy, HTTP/1 over TLS" "https://localhost:$tls/bytes/4096"
  answers "Envoy, HTTP/2 over TLS" "https://localhost:$tls/bytes/4096" --protocol h2
  answers "Envoy, HTTP/3" "https://localhost:$quic/bytes/4096" --protocol h3
  answers "Envoy, gRPC" "http://127.0.0.1:$h2up/grpc/echo.Echo/Say" --protocol grpc --body-size 100
  answers "Envoy, gRPC over TLS" "https://localhost:$tls/grpc/echo.Echo/Say" --protocol grpc --body-size 3000
  for way in "h1 http://127.0.0.1:$clear" "h2 https://localhost:$tls" "h3 https://localhost:$quic"; do
    protocol=${way%% *}
    url=${way#* }
    answers "Envoy, $protocol: chunked with trailers" "$url/chunked/20000/trailers" --protocol "$protocol"
    answers "Envoy, $protocol: many headers" "$url/headers/20/100" --protocol "$protocol"
    answers "Envoy, $protocol: an upload" "$url/echo" --method POST --body-size 20000 --protocol "$protocol"
    answers "Envoy, $protocol: HEAD" "$url/bytes/4096" --method HEAD --protocol "$protocol"
    answers "Envoy, $protocol: no content" "$url/status/204" --protocol "$protocol"
    answers "Envoy, $protocol: early hints" "$url/early-hints/2" --protocol "$protocol"
  done
  python3 - "$admin" <<'PY' >"$WORK/stats"
import sys, urllib.request
print(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/stats?filter=downstream_rq_2xx", timeout=5).read().decode())
PY
  seen=$(awk -F': ' '/^http\.(clear|h2up|encrypted|quic)\.downstream_rq_2xx/ {sum += $2} END {print sum + 0}' "$WORK/stats")
  wanted=$(awk '{sum += $1} END {print sum + 0}' "$WORK/ok")
  if [ "$seen" -eq "$wanted" ]; then pass "Envoy's own counters agree"; else
    flunk "Envoy's own counters agree" "2xx by its count: $seen of $wanted" "$(cat "$WORK/stats")"
  fi
fi
stop_peers
nothing_left "no server is left running"
