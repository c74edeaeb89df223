#!/bin/sh
# `hone load` as its user meets it, against `hone origin`: what is sent, what is told, and what is
# refused. Figures of time are not judged.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
port=$(free_ports 1)
start "$port" "$HONE" origin --listen "127.0.0.1:$port"
URL=http://127.0.0.1:$port

# json NAME PYTHON: holds for `r`, the last output.
json() {
  check "$1" python3 -c "
import json, sys
r = json.load(open(sys.argv[1]))
assert r['scheduled'] == r['sent'] + r['missed'] + r['expired'], r
assert r['sent'] == sum(r[k] for k in ('ok', 'bad_status', 'reset', 'timeout', 'connection_error', 'unfinished')), r
for s in r['series'] + r['steps']:
    assert s['scheduled'] == s['sent'] + s['missed'] + s['expired'], s
    assert s['sent'] == s['ok'] + s['errors'], s
assert sum(s['scheduled'] for s in r['series']) == r['scheduled'], r
$2" "$WORK/out"
}

exits "a rate is sent" 0 "$HONE" load "$URL/bytes/1000" --rate 1000 --duration 1.5 --connections 4 --json
json "every request of it is scheduled, evenly over connections and seconds" "
assert r['scheduled'] == 1500 and r['target_rate'] == 1000, r
assert r['per_connection'] == {'min': 375, 'max': 375}, r
assert len(r['series']) == 2 and r['series_interval_s'] == 1, r
assert abs(r['series'][0]['scheduled'] - 1000) < 150, r['series'][0]
assert set(r['series'][0]['latency_us']) == {'p50', 'p99', 'max'}, r
assert r['steps'] == []"

exits "the same in words" 0 "$HONE" load "$URL/bytes/1000" --rate 500 --duration 1 --percentiles "$WORK/p.hgrm"
says "tables and a histogram" "scheduled 500 = sent" "latency" "connecting" "###" " to "
check "no progress line where there is no terminal" sh -c "! grep -q 'sent .* ok .* not ok' '$WORK/out'"
check "the percentile file is HdrHistogram's" python3 - "$WORK/p.hgrm" <<'PY'
import re, sys
lines = open(sys.argv[1]).read().split("\n")
assert re.fullmatch(r" +Value +Percentile TotalCount 1/\(1-Percentile\)", lines[0]), lines[0]
rows = [l.split() for l in lines[2:] if l and not l.startswith("#")]
assert all(len(r) == 4 for r in rows[:-1]) and len(rows[-1]) == 3, rows
assert [float(r[1]) for r in rows] == sorted(float(r[1]) for r in rows)
assert float(rows[-1][1]) == 1 and rows[-1][2] == "500", rows[-1]
foot = [l for l in lines if l.startswith("#")]
assert re.fullmatch(r"#\[Mean +=[ 0-9.]+, StdDeviation +=[ 0-9.]+\]", foot[0]), foot
assert re.fullmatch(r"#\[Max +=[ 0-9.]+, Total count +=[ 0-9]+\]", foot[1]), foot
assert re.fullmatch(r"#\[Buckets +=[ 0-9]+, SubBuckets +=[ 0-9]+\]", foot[2]), foot
PY

cat >"$WORK/mix.jsonl" <<'MIX'
# what a shop sees
{"path": "/bytes/1000", "share": 6, "name": "page"}
{"method": "HEAD", "path": "/bytes/1000", "share": 2}
{"method": "POST", "path": "/echo", "body_size": 300, "share": 2, "headers": {"x-kind": "upload"}}
MIX
for protocol in h1 h2; do
  exits "a mix over $protocol" 0 "$HONE" load "$URL/" --rate 2000 --duration 1 --requests "$WORK/mix.jsonl" \
    --protocol $protocol --threads 2 --connections 8 --json
  json "a mix over $protocol has its shares and its bodies" "
q = r['requests']
assert [e['name'] for e in q] == ['page', 'HEAD /bytes/1000', 'POST /echo'], q
assert sum(e['sent'] for e in q) == r['sent'] and sum(e['ok'] for e in q) == r['ok'] == r['sent'], q
assert abs(q[0]['sent'] - 1200) < 110 + r['missed'], q   # five deviations
assert r['body_bytes'] == 1000 * q[0]['ok'] + 300 * q[2]['ok'], r"
  cp "$WORK/out" "$WORK/$protocol.json"
done
check "the mix is the same whatever the protocol" python3 - "$WORK/h1.json" "$WORK/h2.json" <<'PY'
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
if a["missed"] == b["missed"] == 0:
    assert [e["sent"] for e in a["requests"]] == [e["sent"] for e in b["requests"]]
PY

exits "steps" 0 "$HONE" load "$URL/bytes/10" --rate 200,800,400 --step 0.5 --arrivals even --json
json "each step has its own figures" "
assert [s['scheduled'] for s in r['steps']] == [100, 400, 200], r['steps']
assert [s['target_rate'] for s in r['steps']] == [200, 800, 400]
assert [s['begin_s'] for s in r['steps']] == [0, 0.5, 1.0]
assert r['scheduled'] == 700 and abs(r['target_rate'] - 1400 / 3) < 1e-6"
exits "a ramp" 0 "$HONE" load "$URL/bytes/10" --ramp 0:1000 --duration 1 --json
json "a ramp has its exact count and ten parts" "
assert r['scheduled'] == 500, r['scheduled']
assert [s['scheduled'] for s in r['steps']] == [5, 15, 25, 35, 45, 55, 65, 75, 85, 95], r['steps']"
exits "a ramp in words" 0 "$HONE" load "$URL/bytes/10" --ramp 100:1000 --duration 0.5
says "a ramp in words" "a ramp of 100:1000 requests/s" "100 to 190"

exits "a connection for each request" 0 "$HONE" load "$URL/bytes/10" --rate 300 --duration 1 \
  --requests-per-connection 1 --connections 8 --json
json "churn loses nothing" "
assert r['ok'] == r['sent'] and r['connection_error'] == 0, r
assert r['ok'] <= r['connections_made'] <= r['ok'] + 8, r
assert r['connecting_us']['p50'] > 0"
exits "connections with an age" 0 "$HONE" load "$URL/bytes/10" --rate 300 --duration 1 \
  --connection-lifetime 0.1 --connections 8 --protocol h2 --json
json "they are made again" "
assert r['ok'] == r['sent'] and r['connections_made'] > 30, r"

exits "no URL" 2 "$HONE" load --rate 5
exits "no rate" 2 "$HONE" load "$URL/"
exits "a rate and a ramp" 2 "$HONE" load "$URL/" --rate 5 --ramp 1:2
exits "no rate at all" 2 "$HONE" load "$URL/" --rate 0
exits "a rate that is none" 2 "$HONE" load "$URL/" --rate 10,x
exits "a step without rates" 2 "$HONE" load "$URL/" --ramp 1:2 --step 1
exits "a ramp that is none" 2 "$HONE" load "$URL/" --ramp 5
exits "a share beyond one" 2 "$HONE" load "$URL/" --rate 5 --resume 2
exits "a mix that is not there" 2 "$HONE" load "$URL/" --rate 5 --requests "$WORK/nothing"
printf '{"path": "/"}\n{"paths": "/"}\n' >"$WORK/bad.jsonl"
exits "a mix with a mistake" 2 "$HONE" load "$URL/" --rate 5 --requests "$WORK/bad.jsonl"
says "a mix with a mistake is told by its line" "bad.jsonl:2:" "did you mean path?"
exits "a header that would break the request" 2 "$HONE" load "$URL/" --rate 5 --header 'a b: c'
exits "more connections than there are ports" 5 "$HONE" load "$URL/" --rate 90000 --duration 10 \
  --requests-per-connection 1
says "ports are counted before the start" "TIME_WAIT" "ip_local_port_range"
exits "errors only" 27 "$HONE" load "$URL/status/503" --rate 100 --duration 0.2
exits "nobody there" 27 "$HONE" load http://127.0.0.1:1/ --rate 100 --duration 0.2

check "load over a pipe" python3 - "$HONE" "$URL" <<'PY'
import json, subprocess, sys, time
hone, url = sys.argv[1:]
port = int(url.rsplit(":", 1)[1])
p = subprocess.Popen([hone, "load", "--control"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(**message):
    p.stdin.write(json.dumps(message) + "\n")
    p.stdin.flush()
    return json.loads(p.stdout.readline())
assert json.loads(p.stdout.readline()) == {"hone_load_control": 2}
pool = {"target": {"address": {"host": "127.0.0.1", "port": port}, "protocol": "h1"},
        "requests": [{"path": "/bytes/100", "authority": "localhost"}], "connections": 8}
assert ask(id=1, do="connect", pool=pool) == {"id": 1, "pool": 1}
r = ask(id=2, do="slice", pool=1, slice={"rate": 1000, "duration_s": 0.5, "arrivals": "even"})["result"]
assert r["scheduled"] == 500 and r["ok"] == r["sent"], r
counts = r["latency"]["buckets"][1::2]
assert sum(counts) == r["ok"], r["latency"]
assert ask(id=3, do="spread", pool=1, redial=[])["state"]["connections"] == 8
assert ask(id=4, do="dance")["error"]["kind"] == 2
assert ask(id=5, do="close", pool=1) == {"id": 5}
assert ask(id=6, do="slice", pool=1, slice={})["error"]["kind"] == 10
# It ends with its input, in the middle of a slice too.
assert ask(id=7, do="connect", pool=pool)["pool"] == 2
p.stdin.write(json.dumps({"id": 8, "do": "slice", "pool": 2, "slice": {"rate": 10, "duration_s": 60}}) + "\n")
p.stdin.flush()
time.sleep(0.3)
p.stdin.close()
p.wait(timeout=10)
PY
check "an origin ends with its input where it is told to" python3 - "$HONE" <<'PY'
import subprocess, sys, urllib.request
command = [sys.argv[1], "origin", "--until-closed", "--listen", "127.0.0.1:0"]
p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
url = p.stdout.readline().split()[-1]
p.stdin.write("what comes is passed over\n")
p.stdin.flush()
assert len(urllib.request.urlopen(url + "/bytes/100", timeout=10).read()) == 100
p.stdin.close()
assert p.wait(timeout=10) == 0
assert subprocess.run(command, stdin=subprocess.DEVNULL, timeout=10).returncode == 2
PY
stop_peers
nothing_left "nothing is left running"
