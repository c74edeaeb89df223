#!/usr/bin/env python3
"""What a 4 KB answer costs each server: hone origin, nginx (a static file) and nghttpd.

  bench/origins.py [--rounds N] [--seconds S] [--hone FILE] [--cpus LOAD,SERVER]

All servers are alive at once on one CPU; h2load, on the other, asks one after the other in every round, in
an order drawn anew, as fast as it can over 16 connections. Cost is the server's own CPU time by the
scheduler's clock over the answers that h2load counted. Printed: microseconds per answer, and hone's ratio
to each, median over rounds with the smallest and the largest. Below 1: hone's origin takes less.
"""
import glob
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from peers import CONNECTIONS, Servers, arguments, pinned


def cpu_ns(pid):
    return sum(int(open(path).read().split()[0]) for path in glob.glob(f"/proc/{pid}/task/*/schedstat"))


def ask(cpu, flags, url, seconds):
    command = ["h2load", *flags, "-c", str(CONNECTIONS), "-t1", "-D", str(seconds), url]
    done = subprocess.run(pinned(cpu, command), capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return int(re.search(r"(\d+) succeeded", done.stdout).group(1))


def contest(title, servers, flags, options):
    """servers: name -> (pid, url)."""
    cost = {name: [] for name in servers}
    for _ in range(options.rounds):
        for name in random.sample(list(servers), len(servers)):
            pid, url = servers[name]
            before = cpu_ns(pid)
            count = ask(options.load_cpu, flags, url, options.seconds)
            time.sleep(0.05)  # the clock of a running thread lags up to a tick
            cost[name].append((cpu_ns(pid) - before) / 1000 / max(count, 1))
    print(title)
    for name, values in cost.items():
        ratios = [ours / theirs for ours, theirs in zip(cost["hone"], values)]
        print(f"  {name:<8} {statistics.median(values):6.2f} us per answer   hone's against it "
              f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def main():
    options = arguments(__doc__, 2, ("nginx", "nghttpd", "h2load", "taskset"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        with Servers(folder, options.server_cpu, options.hone) as servers:
            nginx, nghttpd, hone = (process.pid for process in servers.started)
            here = f"http://127.0.0.1:{servers.origin}/bytes/4096"
            contest("HTTP/1 4 KB", {"hone": (hone, here),
                                    "nginx": (nginx, f"http://127.0.0.1:{servers.h1}/4k")},
                    ["--h1"], options)
            contest("HTTP/2 4 KB, 32 streams", {"hone": (hone, here),
                                                "nghttpd": (nghttpd, f"http://127.0.0.1:{servers.h2}/4k")},
                    ["-m32"], options)


if __name__ == "__main__":
    main()
