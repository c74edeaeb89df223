#!/usr/bin/env python3
"""What a request costs each load generator: hone load, h2load, wrk and oha against the same servers.

  bench/generators.py [--rounds N] [--seconds S] [--hone FILE] [--cpus LOAD,SERVER] [--only TEXT]

All of them run in turn in every round, in an order drawn anew, pinned to one CPU; the servers have another:
nginx (one worker, a static file of 4 KB) for HTTP/1, nghttpd for HTTP/2, and hone's own origin for both.
Cost is the process's own CPU time, user and system, over the answers that it counted. Printed: microseconds
per request, and each tool's ratio to hone's, median over rounds with the smallest and the largest. Above
1: hone takes less. oha is left out, and that is said, where it is not installed.

Then how late hone sends at a fixed rate, and how regular each tool's requests come in at the origin: gaps
between two on one connection, which would all be 2 ms if each were sent when it is due.

h2load --rps sends in batches: what is due on a connection within a tick of 10 ms. "in h2load's batches" is
hone with the same ones (burst:80), for the difference between the programs alone.
"""
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.request

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


def oha_answers(text):
    return json.loads(text)["statusCodeDistribution"].get("200", 0)


def contests(hone, servers, seconds):
    """Name of each contest: tool -> (command, how it counts). hone's is first."""
    span = ["--duration", f"{seconds}", "--connections", str(CONNECTIONS), "--json"]
    clients = ["-c", str(CONNECTIONS), "-t1"]
    per_client = ["--rps", str(RATE // CONNECTIONS)]
    paces = (("burst:16", "burst:16"), ("in h2load's batches", "burst:80"))
    all_contests = {}

    def load(url, *more):
        return ([hone, "load", url, *more] + span, hone_answers)

    def h2load(url, *more):
        return (["h2load", *clients, "-D", str(seconds), *more, url], h2load_answers)

    def oha(url, *more):
        command = ["oha", "-c", str(CONNECTIONS), "-z", f"{seconds}s", "--no-tui", "-j", *more, url]
        return {"oha": (command, oha_answers)} if shutil.which("oha") else {}

    for server, h1, h2 in (("nginx", servers.h1, None), ("nghttpd", None, servers.h2),
                           ("hone origin", servers.origin, servers.origin)):
        path = "/bytes/4096" if server == "hone origin" else "/4k"
        if h1:
            url = f"http://127.0.0.1:{h1}{path}"
            all_contests[f"HTTP/1 4 KB, full speed, {server}"] = {
                "hone": load(url, "--closed-loop"),
                "wrk": (["wrk", *clients, f"-d{seconds}s", url], wrk_answers),
                "h2load": h2load(url, "--h1"), **oha(url)}
            for title, arrivals in paces:
                all_contests[f"HTTP/1 4 KB, {RATE}/s {title}, {server}"] = {
                    "hone": load(url, "--rate", str(RATE), "--arrivals", arrivals),
                    "h2load": h2load(url, "--h1", *per_client), **oha(url, "-q", str(RATE))}
        if h2:
            url = f"http://127.0.0.1:{h2}{path}"
            h2_load = ["--protocol", "h2", "--streams", "32"]
            all_contests[f"HTTP/2 4 KB, full speed, 32 streams, {server}"] = {
                "hone": load(url, "--closed-loop", *h2_load), "h2load": h2load(url, "-m32")}
            for title, arrivals in paces:
                all_contests[f"HTTP/2 4 KB, {RATE}/s {title}, {server}"] = {
                    "hone": load(url, "--rate", str(RATE), "--arrivals", arrivals, *h2_load),
                    "h2load": h2load(url, "-m32", *per_client)}
    return all_contests


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


def gaps(hone, folder, seconds, options):
    print(f"Gaps between two requests on a connection, as the origin saw them, {RATE}/s")
    tools = {
        "hone even": lambda url: [hone, "load", url, "--rate", str(RATE), "--arrivals", "even",
                                  "--connections", str(CONNECTIONS), "--duration", str(seconds)],
        "hone burst:16": lambda url: [hone, "load", url, "--rate", str(RATE), "--arrivals", "burst:16",
                                      "--connections", str(CONNECTIONS), "--duration", str(seconds)],
        "h2load": lambda url: ["h2load", "--h1", "-c", str(CONNECTIONS), "-t1", "--rps",
                               str(RATE // CONNECTIONS), "-D", str(seconds), url],
        "oha": lambda url: ["oha", "-c", str(CONNECTIONS), "-z", f"{seconds}s", "--no-tui", "-q",
                            str(RATE), url],
    }
    for name, command in tools.items():
        if not shutil.which(command("")[0]):
            continue
        with Servers(folder, options.server_cpu, hone) as servers:  # new ones: they count from zero
            origin = f"http://127.0.0.1:{servers.origin}"
            run(options.load_cpu, command(f"{origin}/bytes/4096"), lambda text: 1)
            gap = json.load(urllib.request.urlopen(f"{origin}/stats"))["arrival_gap_us"]
        print(f"  {name:<14} p50 {gap['p50']:7.0f} us  p90 {gap['p90']:7.0f}  p99 {gap['p99']:7.0f}  "
              f"max {gap['max']:7.0f}")


def main():
    options = arguments(__doc__, 3, ("nginx", "nghttpd", "h2load", "wrk", "taskset"))
    if not shutil.which("oha"):
        print("oha is not installed (cargo install oha): left out")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's worker may be another user
        with Servers(folder, options.server_cpu, options.hone) as servers:
            for title, tools in contests(options.hone, servers, options.seconds).items():
                if options.only not in title:
                    continue
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
                          f"against hone's {spread(ratios)}", flush=True)
            if options.only:
                return
            print(f"How late hone sends, {RATE}/s")
            lateness(options.hone, servers, options.seconds, options.load_cpu)
        gaps(options.hone, folder, options.seconds, options)


if __name__ == "__main__":
    main()
