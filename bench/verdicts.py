#!/usr/bin/env python3
"""How often does a verdict tell what is not there, and how often what is?

  bench/verdicts.py same [--comparisons 200]     a real server (nginx) against itself
  bench/verdicts.py dial [--runs 20]             a server with 1, 2, 5 and 10 % more work per request

Each comparison is a `hone compare` of six rounds, as short as they can be, with a seed of its own. Every result is appended
to --log (JSON lines) as it comes, and a run that is cut goes on from there. Prints Markdown: how often each
verdict came, with its exact (Clopper-Pearson) 95 % interval, and beside the dial the power that the
comparisons themselves expect of their scatter. Nothing is to be built or measured meanwhile.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT_S = 300  # of one comparison, its repeated rounds among them
SAME = {"unresolved", "same", "withheld"}


def binomial_tail(successes, trials, p):
    """P(X >= successes)."""
    return sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes, trials + 1))


def bisect(good, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def exact_interval(successes, trials):
    """Clopper-Pearson, 95 %."""
    low = 0 if successes == 0 else bisect(lambda p: binomial_tail(successes, trials, p) < 0.025, 0, 1)
    high = 1 if successes == trials else bisect(lambda p: binomial_tail(successes + 1, trials, p) < 0.975, 0, 1)
    return low, high


def nginx_command(folder):
    """nginx takes no port on its command line: each arm writes its own configuration."""
    script = folder / "nginx.sh"
    script.write_text(f"""#!/bin/sh
run=$1
cat >"$run/nginx.conf" <<CONF
daemon off; master_process off; pid $run/nginx.pid; error_log stderr warn;
events {{ worker_connections 256; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 1h;
  client_body_temp_path $run; proxy_temp_path $run; fastcgi_temp_path $run; uwsgi_temp_path $run;
  scgi_temp_path $run;
  server {{ listen 127.0.0.1:$2; root {folder}; }}
}}
CONF
exec {shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")} -p "$run" -c "$run/nginx.conf"
""")
    (folder / "4k").write_text("x" * 4096)
    return f"sh {script} {{run}} {{port}}"


def compare(hone, a, b, path, rate, seed, folder):
    """One comparison as a dict, or why there is none."""
    command = [str(hone), "compare", "--a", a, "--b", b, "--ready", f"http://127.0.0.1:{{port}}{path}",
               "--url", f"http://127.0.0.1:{{port}}{path}", "--rate", str(rate), "--arrivals", "burst:16",
               "--rounds", "6", "--duration", "0.4", "--slices", "2", "--no-checks", "--seed", str(seed), "--json",
               "--work", str(folder / "work")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, err = process.communicate(timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        process.communicate()
        return {"verdict": "refused", "why": f"not done in {LIMIT_S} s"}
    finally:
        shutil.rmtree(folder / "work", ignore_errors=True)
    if process.returncode == 5:
        return {"verdict": "refused", "why": err.strip().splitlines()[-2:]}
    if not out:
        sys.exit(f"{' '.join(command)}\nended with {process.returncode}: {err}")
    report = json.loads(out)
    one = next(c for c in report["comparisons"] if c["role"] == "proof")
    keys = ("verdict", "effect", "low", "high", "floor", "pair_sd", "smallest_detectable", "repeated")
    return {key: one[key] for key in keys}


def series(name, count, log, make):
    """Results of `count` comparisons called `name`, those of the log first."""
    results = [entry for entry in log["entries"] if entry["name"] == name][:count]
    while len(results) < count:
        entry = {"name": name, "seed": 1000 + len(results), **make(1000 + len(results))}
        results.append(entry)
        with open(log["path"], "a") as file:
            file.write(json.dumps(entry) + "\n")
        print(f"{name}: {len(results)} of {count}: {entry['verdict']}", file=sys.stderr, flush=True)
    return results


def share(results, verdicts):
    judged = [r for r in results if r["verdict"] != "refused"]
    hits = sum(r["verdict"] in verdicts for r in judged)
    low, high = exact_interval(hits, max(len(judged), 1))
    return f"{hits} of {len(judged)}", f"{low:.1%} to {high:.1%}"


def refused(results):
    return sum(r["verdict"] == "refused" for r in results)


def same(arguments, log, folder):
    command = nginx_command(folder)
    results = series("nginx", arguments.comparisons, log, lambda seed: compare(
        arguments.hone, command, command, "/4k", 8000, seed, folder))
    print("| verdict | comparisons | exact 95 % interval |\n| --- | ---: | --- |")
    for verdicts in (["saved", "worse"], ["saved"], ["worse"], ["same"], ["unresolved"], ["withheld"]):
        print(f"| {' or '.join(verdicts)} | {' | '.join(share(results, verdicts))} |")
    print(f"\n{refused(results)} more were refused: the machine was unfit.")


def dial(arguments, log, folder):
    server = arguments.hone.parent / "dial_server"
    turns = 22000
    print("| more work | found worse | exact 95 % interval | smallest detectable, median | refused |")
    print("| ---: | ---: | --- | ---: | ---: |")
    # The turns are about two thirds of what a request costs; the effect seen stands beside the one meant.
    for percent in (1, 2, 5, 10):
        more = round(turns * (1 + percent * arguments.turns_share / 100))
        results = series(f"dial {percent} %", arguments.runs, log, lambda seed, more=more: compare(
            arguments.hone, f"{server} {{port}} {turns}", f"{server} {{port}} {more}", "/", 6000, seed, folder))
        detectable = sorted(r["smallest_detectable"] for r in results if r["verdict"] != "refused")
        effects = sorted(r["effect"] for r in results if r["verdict"] != "refused")
        found, interval = share(results, ["worse"])
        print(f"| {percent} % (median seen {effects[len(effects) // 2]:+.1%}) | {found} | {interval} | "
              f"{detectable[len(detectable) // 2]:.1%} | {refused(results)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("same", "dial"))
    parser.add_argument("--comparisons", type=int, default=200)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--turns-share", type=float, default=1.5,
                        help="per cent of more turns that are 1 %% more CPU per request")
    parser.add_argument("--hone", type=pathlib.Path, default=ROOT / "build/dev/bin/hone")
    parser.add_argument("--log", type=pathlib.Path, default=pathlib.Path("verdicts.jsonl"))
    arguments = parser.parse_args()
    entries = [json.loads(line) for line in arguments.log.read_text().splitlines()] if arguments.log.exists() else []
    with tempfile.TemporaryDirectory() as folder:
        {"same": same, "dial": dial}[arguments.what](
            arguments, {"path": arguments.log, "entries": entries}, pathlib.Path(folder))


if __name__ == "__main__":
    main()
