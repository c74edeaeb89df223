#!/usr/bin/env python3
"""What a request costs each load generator: hone load, h2load and wrk against one server.

  bench/generators.py [--rounds N] [--seconds S] [--hone FILE] [--cpus LOAD,SERVER]

All of them run in turn in every round, in an order drawn anew, pinned to one CPU; the server (nginx,
one worker, a static file of 4 KB; nghttpd for HTTP/2) has another. Cost is the process's own CPU time,
user and system, over the answers that it counted. Printed: microseconds per request, and each tool's
ratio to hone's, median over rounds with the smallest and the largest. Above 1: hone takes less.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CONNECTIONS = 16
RATE = 8000


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port} after 10 s")


def pinned(cpu, command):
    return ["taskset", "-c", str(cpu)] + command


class Servers:
    """nginx for HTTP/1 and nghttpd for HTTP/2, both with the same file; ended with the block."""

    def __init__(self, folder, cpu):
        self.folder, self.cpu, self.started = folder, cpu, []

    def __enter__(self):
        root = os.path.join(self.folder, "root")
        os.mkdir(root)
        with open(os.path.join(root, "4k"), "wb") as file:
            file.write(b"x" * 4096)
        self.h1, self.h2 = free_port(), free_port()
        with open(os.path.join(self.folder, "nginx.conf"), "w") as file:
            file.write(
                f"daemon off; master_process off; pid {self.folder}/pid; error_log stderr warn;\n"
                "events { worker_connections 1024; }\n"
                "http { access_log off; keepalive_requests 1000000000; "
                f"client_body_temp_path {self.folder}; proxy_temp_path {self.folder}; "
                f"fastcgi_temp_path {self.folder}; uwsgi_temp_path {self.folder}; "
                f"scgi_temp_path {self.folder};\n"
                f"server {{ listen 127.0.0.1:{self.h1}; root {root}; }} }}\n")
        self.start(["nginx", "-c", os.path.join(self.folder, "nginx.conf")])
        self.start(["nghttpd", "--no-tls", "-a", "127.0.0.1", "-n1", "-d", root, str(self.h2)])
        wait_for(self.h1)
        wait_for(self.h2)
        return self

    def start(self, command):
        log = open(os.path.join(self.folder, os.path.basename(command[0]) + ".log"), "w")
        self.started.append(subprocess.Popen(pinned(self.cpu, command), stdout=log, stderr=log))

    def __exit__(self, *unused):
        for process in self.started:
            process.kill()
            process.wait()


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
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--hone", default="build/release/bin/hone")
    parser.add_argument("--cpus", default="0,1", help="of the generator and of the server")
    options = parser.parse_args()
    missing = [name for name in ("nginx", "nghttpd", "h2load", "wrk", "taskset")
               if not shutil.which(name)]
    if missing:
        sys.exit("not here: " + ", ".join(missing) +
                 " (packages nginx-light, nghttp2-server, nghttp2-client, wrk, util-linux)")
    load_cpu, server_cpu = (int(cpu) for cpu in options.cpus.split(","))
    hone = os.path.abspath(options.hone)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # nginx's worker may be another user
        with Servers(folder, server_cpu) as servers:
            for title, tools in contests(hone, servers, options.seconds).items():
                cost = {name: [] for name in tools}
                for _ in range(options.rounds):
                    for name in random.sample(list(tools), len(tools)):
                        command, answers = tools[name]
                        used, count, _ = run(load_cpu, command, answers)
                        cost[name].append(used / max(count, 1) * 1e6)
                print(title)
                for name, values in cost.items():
                    ratios = [theirs / ours for theirs, ours in zip(values, cost["hone"])]
                    print(f"  {name:<7} us per request {spread(values)}   "
                          f"against hone's {spread(ratios)}")
            print(f"How late hone sends, {RATE}/s")
            lateness(hone, servers, options.seconds, load_cpu)


if __name__ == "__main__":
    main()
