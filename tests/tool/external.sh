#!/bin/sh
# Legs by other programs: h2load and wrk train a real instrumented server, and what goes wrong with them is
# said.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/peers.sh"
make_tiny
cat >>"$WORK/tiny/recipe.toml" <<'RECIPE'

[[shape]]
name = "by-h2load"
path = "/"
[shape.generator]
command = ["h2load", "--h1", "-c{connections}", "-t1", "-D{seconds}", "{url}"]
answers = '(\d+) succeeded'
failures = '(\d+) failed'

[[shape]]
name = "by-wrk"
path = "/"
[shape.generator]
command = ["wrk", "-c{connections}", "-t1", "-d{seconds}", "{url}"]
answers = '(\d+) requests in'
failures = 'Non-2xx or 3xx responses: (\d+)'
RECIPE

have h2load "legs by h2load and wrk" || exit 0
have wrk "legs by h2load and wrk" || exit 0
exits "legs by h2load, wrk and hone itself" 0 "$HONE" run tiny --until train
says "each leg tells its requests" "leg h1: " "leg by-h2load: " "leg by-wrk: "
check "the legs count what the programs counted" python3 - "$WORK" <<'PY'
import glob, json, re, sys
legs = {}
for path in glob.glob(sys.argv[1] + "/.hone/tiny/store/leg/*/value.json"):
    leg = json.load(open(path))
    log = path.replace("value.json", "generator.log")
    legs[log] = leg.get("value", leg)["requests"]
told = 0
for log, requests in legs.items():
    try:
        text = open(log).read()
    except FileNotFoundError:
        continue  # hone's own leg
    counts = re.findall(r"(\d+) succeeded|(\d+) requests in", text)
    assert int("".join(counts[-1])) == requests > 0, (log, counts, requests)
    told += 1
assert told == 2, legs
PY

sed -i 's/"wrk", /"wrk", "--no-such-option", /' "$WORK/tiny/recipe.toml"
exits "a command that fails is a leg that failed" 19 "$HONE" run tiny --until train
says "and its own words are kept" "training leg by-wrk" "wrk: exit status 1" "generator.log"
sed -i 's/"--no-such-option", //; s/answers = .* requests in./answers = "([0-9]+) replies"/' "$WORK/tiny/recipe.toml"
exits "so is one whose count is not found" 19 "$HONE" run tiny --until train
says "with what was looked for" '/([0-9]+) replies/'
sed -i 's/^name = "by-wrk"/name = "by-wrk"\nprove = true/' "$WORK/tiny/recipe.toml"
exits "such a shape is not proved" 11 "$HONE" run tiny --until train
says "and why not" "cannot be proved"
nothing_left "nothing is left running"
