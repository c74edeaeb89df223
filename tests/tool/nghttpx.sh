#!/bin/sh
# One smoke run of a real proxy, nghttpx from its source package: every leg, and the proof of one shape.
. "$(dirname "$0")/lib.sh"
run_whole "$HONE" build "$ROOT/subjects/nghttpx"
if [ "$status" -eq 14 ]; then
  echo "ok nghttpx goes from source to a verdict # SKIP its source package cannot be had here"
  exit 0
fi
proves "nghttpx goes from source to a verdict" "$HONE" run "$ROOT/subjects/nghttpx" --smoke \
  --shapes h1-4k --loads burst16 --output "$WORK/report"
if [ -n "$refused" ]; then
  nothing_left "nothing is left running after a proof that was refused"
  exit "$FAILED"
fi
check "its report is whole" test -s "$WORK/report/report.html"
check "no profile is lost: every leg counted, no count discarded" python3 - "$WORK/report/report.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
names = {leg["name"] for leg in r["legs"]}
wanted = {"h1-4k", "h1-16k", "h2-4k", "h1-headers", "h1-tls-4k", "h2-tls-4k", "start-up"}
assert names == wanted, names
assert all(leg["functions_covered"] > 50 for leg in r["legs"]), r["legs"]
PY
if [ "${HONE_TESTS:-}" != all ]; then
  nothing_left "nothing is left running after nghttpx"
  exit "$FAILED"
fi
# The product against itself, in front of hone's origin as the recipe runs it.
SERVER="$WORK/report/out/bin/nghttpx --conf=/dev/null --single-process --workers=1
  --frontend=127.0.0.1,{port};no-tls --backend={origin_host},{origin_port} --no-ocsp
  --frontend-keep-alive-timeout=1h --frontend-read-timeout=1h --backend-keep-alive-timeout=1h
  --backend-read-timeout=1h"
exits "nghttpx compared with itself is not called a saving, nor worse" "3 6 8" "$HONE" compare --a "$SERVER" \
  --b "$SERVER" --origin --ready 'http://127.0.0.1:{port}/bytes/1' --url 'http://127.0.0.1:{port}/bytes/4096' \
  --rate 8000 --arrivals burst:16 --duration 1.6 --rounds 6 --no-checks
nothing_left "nothing is left running after nghttpx"
