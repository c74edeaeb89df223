#!/bin/sh
# One whole `hone run` of the embedded subject, hone's own origin server, with the real compiler: source
# to proof. No saving is expected of it; what is tested is the whole way and what it leaves.
. "$(dirname "$0")/lib.sh"
proves "the embedded subject goes from source to a verdict" "$HONE" run "$ROOT/subjects/origin" \
  --smoke --shapes h1-4k --loads burst16 --output "$WORK/report"
verdict=$status
if [ -n "$refused" ]; then
  nothing_left "nothing is left running after a proof that was refused"
  exit "$FAILED"
fi
says "the plan comes first, the proof last" "plan for origin" "== prove" "reports:"
for file in report.json report.md report.html out/flags.txt out/SHA256SUMS out/bin/hone_origin; do
  check "it leaves $file" test -s "$WORK/report/$file"
done
check "the product's hashes are right" sh -c "cd '$WORK/report/out' && sha256sum --quiet -c SHA256SUMS"
check "report.json has the contract's keys" python3 - "$WORK/report/report.json" <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
for key in ("schema subject seed machine toolchain arms total comparisons trials legs profile costs "
            "findings").split():
    assert key in r, key
proofs = [c for c in r["comparisons"] if c["role"] == "proof"]
assert len(proofs) == 1 and proofs[0]["rounds"] >= 6, proofs
assert proofs[0]["metric"] == "cpu_per_request"
c = proofs[0]
assert c["low"] <= c["effect"] <= c["high"], c
assert any(c["role"] == "aa" for c in r["comparisons"])
assert all(leg["requests"] > 0 and leg["weight"] > 0 for leg in r["legs"]), r["legs"]
assert r["profile"]["functions_covered"] > 0
valid = [t for t in r["trials"] if t["valid"]]
assert all(t["ok"] == sum(s["ok"] for s in t["slices"]) > 0 for t in valid)
PY
exits "the reports can be drawn again" "$verdict" "$HONE" report "$ROOT/subjects/origin" --output "$WORK/again"
for report in report.json report.md report.html; do
  check "drawn again: the same $report" cmp "$WORK/report/$report" "$WORK/again/$report"
done
exits "status lists the run" 0 "$HONE" status
says "status says how far it came" "origin" "report"
nothing_left "nothing is left running after a run"
