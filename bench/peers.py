"""What the benchmarks against other tools share: their servers, their arguments, free ports."""
import argparse
import os
import shutil
import socket
import subprocess
import sys
import time

CONNECTIONS = 16
PACKAGES = {"nginx": "nginx-light", "nghttpd": "nghttp2-server", "h2load": "nghttp2-client", "wrk": "wrk",
            "taskset": "util-linux"}


def arguments(about, seconds, needed):
    """The command line; ends the program where a tool that it needs is not here."""
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--seconds", type=int, default=seconds)
    parser.add_argument("--hone", type=os.path.abspath, default="build/release/bin/hone")
    parser.add_argument("--cpus", default="0,1", help="of the load and of the servers")
    parser.add_argument("--only", default="", help="contests with this in their title")
    options = parser.parse_args()
    options.load_cpu, options.server_cpu = (int(cpu) for cpu in options.cpus.split(","))
    missing = [name for name in needed if not shutil.which(name)]
    if missing:
        packages = ", ".join(PACKAGES[name] for name in missing)
        sys.exit(f"not here: {', '.join(missing)} (packages: {packages})")
    return options


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
    """nginx for HTTP/1, nghttpd for HTTP/2, both with the same file, and hone's origin; ended with the
    block."""

    def __init__(self, folder, cpu, hone):
        self.folder, self.cpu, self.hone, self.started = folder, cpu, hone, []

    def __enter__(self):
        root = os.path.join(self.folder, "root")
        os.makedirs(root, exist_ok=True)
        with open(os.path.join(root, "4k"), "wb") as file:
            file.write(b"x" * 4096)
        self.h1, self.h2, self.origin = free_port(), free_port(), free_port()
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
        self.start([self.hone, "origin", "--listen", f"127.0.0.1:{self.origin}"])
        for port in (self.h1, self.h2, self.origin):
            wait_for(port)
        return self

    def start(self, command):
        log = open(os.path.join(self.folder, os.path.basename(command[0]) + ".log"), "w")
        self.started.append(subprocess.Popen(pinned(self.cpu, command), stdout=log, stderr=log))

    def __exit__(self, *unused):
        for process in self.started:
            process.kill()
            process.wait()
