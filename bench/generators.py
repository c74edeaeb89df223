#!/usr/bin/env python3
"""What a request costs each load generator: hone load, h2load and wrk against one server.

  bench/generators.py [--rounds N] [--seconds S] [--hone FILE] [--cpus LOAD,SERVER]

All of them run in turn in every round, in an order drawn anew, pinned to one CPU; the server (nginx,
one worker, a static file of 4 KB; nghttpd for HTTP/2) has another. Cost is the process's own CPU time,
user and system, over the answers that it counted. Printed: microseconds per request, and each tool's
ratio to hone's, median over rounds with the smallest and the largest. Above 1: hone takes less.
"""
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile

from peers import CONNECTIONS, Servers, arguments, pinned

RATE = 8000


def run(cpu, command, answers):
    """CPU seconds of the command and how many answers it counted."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(pinned(cpu, command), capture_output=True, text=True, timeout=120)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, answers(done.stdout), done.stdout


def h2load_answers(text):
    return int(re.search(r"(\d+) succeeded", text).group(1))


def wrk_answers(text):
    return int(re.search(r"(\d+) requests in", text).group(1))


def hone_answers(text):
    return json.loads(text)["ok"]


def contests(hone, servers, seconds):
    """Name of each contest: tool -> (command, how it counts). hone's is first."""
    h1, h2 = f"http://127.0.0.1:{servers.h1}/4k", f"http://127.0.0.1:{servers.h2}/4k"
    span = ["--duration", f"{seconds}", "--connections", str(CONNECTIONS), "--json"]
    clients = ["-c", str(CONNECTIONS), "-t1"]
    per_client = ["--rps", str(RATE // CONNECTIONS)]
    return {
        "HTTP/1 4 KB, full speed": {
            "hone": ([hone, "load", h1, "--closed-loop"] + span, hone_answers),
            "wrk": (["wrk", *clients, f"-d{seconds}s", h1], wrk_answers),
            "h2load": (["h2load", "--h1", *clients, "-D", str(seconds), h1], h2load_answers),
        },
        "HTTP/2 4 KB, full speed, 32 streams": {
            "hone": ([hone, "load", h2, "--closed-loop", "--protocol", "h2", "--streams", "32"] +
                     span, hone_answers),
            "h2load": (["h2load", *clients, "-m32", "-D", str(seconds), h2], h2load_answers),
        },
        f"HTTP/1 4 KB, {RATE}/s": {
            "hone": ([hone, "load", h1, "--rate", str(RATE), "--arrivals", "burst:16"] + span,
                     hone_answers),
            "h2load": (["h2load", "--h1", *clients, *per_client, "-D", str(seconds), h1],
                       h2load_answers),
        },
        f"HTTP/2 4 KB, {RATE}/s": {
            "hone": ([hone, "load", h2, "--rate", str(RATE), "--arrivals", "burst:16",
                      "--protocol", "h2"] + span, hone_answers),
            "h2load": (["h2load", *clients, *per_client, "-m32", "-D", str(seconds), h2],
                       h2load_answers),
        },
    }


def spread(values):
    return f"{statistics.median(values):6.2f} ({min(values):.2f} to {max(values):.2f})"


def lateness(hone, servers, seconds, cpu):
    url = f"http://127.0.0.1:{servers.h1}/4k"
    for arrivals in ("even", "poisson", "burst:16"):
        command = [hone, "load", url, "--rate", str(RATE), "--arrivals", arrivals, "--duration",
                   str(seconds), "--connections", str(CONNECTIONS), "--json"]
        _, _, text = run(cpu, command, hone_answers)
        r = json.loads(text)
        late = r.get("generator_lateness_us", r["lateness_us"])
        print(f"  {arrivals:<9} p50 {late['p50']:7.1f} us  p99 {late['p99']:7.1f} us  "
              f"CPU {r['client_cpu_us_per_request']:5.1f} us  "
              f"wakes {r['client_wakes_per_request']:.2f}  missed {r['missed']}")


def main():
    options = arguments(__doc__, 3, ("nginx", "nghttpd", "h2load", "wrk", "taskset"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's worker may be another user
        with Servers(folder, options.server_cpu) as servers:
            for title, tools in contests(options.hone, servers, options.seconds).items():
                cost = {name: [] for name in tools}
                for _ in range(options.rounds):
                    for name in random.sample(list(tools), len(tools)):
                        command, answers = tools[name]
                        used, count, _ = run(options.load_cpu, command, answers)
                        cost[name].append(used / max(count, 1) * 1e6)
                print(title)
                for name, values in cost.items():
                    ratios = [theirs / ours for theirs, ours in zip(values, cost["hone"])]
                    print(f"  {name:<7} us per request {spread(values)}   "
                          f"against hone's {spread(ratios)}")
            print(f"How late hone sends, {RATE}/s")
            lateness(options.hone, servers, options.seconds, options.load_cpu)


if __name__ == "__main__":
    main()
