"""HTTP/2: the queue-proxy and HAProxy in turns, load by h2load, an upstream of HTTP/2 (nginx) or of HTTP/1.1."""

import os
import re
import shutil
import statistics
import subprocess

import contenders
import processes

NGINX = """
daemon off; worker_processes 1; pid {folder}/h2-upstream.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; http2_max_concurrent_streams 1000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port} http2;
    location / {{ return 200 "{body}"; }}
    location /test.Test/Unary {{ default_type application/grpc; return 200 "{message}"; }}
  }}
}}
"""
HAPROXY = """
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option http-keep-alive
  http-reuse always
frontend f
  bind 127.0.0.1:{port} proto h2
  default_backend b
backend b
  server s 127.0.0.1:{upstream} pool-max-conn -1 {proto}
"""
# Row: what the app speaks, connections, streams of each, path, body to send.
ROWS = {
    "h2c to h2c, GET 1 KB, 10 x 10": ("h2c", 10, 10, "/1k", None),
    "h2c to HTTP/1.1, GET 1 KB, 10 x 10": ("http1", 10, 10, "/1k", None),
    "like gRPC unary, POST 64 bytes, 1 x 50": ("h2c", 1, 50, "/test.Test/Unary", b"\0\0\0\0\x3b" + b"x" * 59),
}
BAR = 0.8


def upstream(tools, speaks):
    if speaks == "http1":
        return [tools.upstream, str(contenders.UPSTREAM_PORT)]
    path = os.path.join(tools.folder, "h2-upstream.conf")
    with open(path, "w") as out:
        out.write(NGINX.format(folder=tools.folder, port=contenders.UPSTREAM_PORT, body="x" * 1024, message="x" * 64))
    return ["nginx", "-c", path]


def proxies(tools, speaks):
    """{name: (command, environment)}."""
    ours = contenders.queue_proxy(tools.programs, limit=0)
    found = {"queue-proxy": (ours.command, {**ours.env, "BELLOWS_APP_PROTOCOL": speaks, "BELLOWS_AUTOSCALER": ""})}
    if shutil.which("haproxy"):
        path = os.path.join(tools.folder, f"haproxy-{speaks}.cfg")
        with open(path, "w") as out:
            out.write(HAPROXY.format(port=contenders.PORT, upstream=contenders.UPSTREAM_PORT,
                                     proto="proto h2" if speaks == "h2c" else ""))
        found["haproxy"] = (["haproxy", "-db", "-f", path], {})
    return found


def load(tools, core, row, seconds):
    """Requests that succeeded."""
    _, connections, streams, path, body = row
    command = ["taskset", "-c", core, "h2load", "-t1", "-c", str(connections), "-m", str(streams), "-D", str(seconds),
               "--warm-up-time", "1"]
    if body is not None:
        name = os.path.join(tools.folder, "h2-body")
        with open(name, "wb") as out:
            out.write(body)
        command += ["-d", name, "-H", "content-type: application/grpc", "-H", "te: trailers"]
    done = subprocess.run(command + [f"http://127.0.0.1:{contenders.PORT}{path}"], text=True, capture_output=True, check=True)
    total, succeeded = re.search(r"requests: (\d+) total.* (\d+) succeeded", done.stdout).groups()
    if total != succeeded or int(total) == 0:
        raise RuntimeError(f"h2load: {succeeded} of {total} requests succeeded\n{done.stdout}")
    return int(total)


def measure_one(tools, core, row, contender, seconds):
    """CPU microseconds of the proxy for each request."""
    command, env = contender
    with processes.running(upstream(tools, row[0]), core=core), processes.running(command, env, core) as proxy:
        for port in (contenders.UPSTREAM_PORT, contenders.PORT):
            processes.until(lambda: processes.listens(port), f"port {port} is listened at")
        load(tools, core, row, 1)
        before = processes.cpu_seconds(proxy.pid)
        requests = load(tools, core, row, seconds)
        # h2load does not count the requests of its warm-up, one of its seconds.
        return (processes.cpu_seconds(proxy.pid) - before) * 1e6 / (requests * (seconds + 1) / seconds)


def table(tools, repeats, seconds, core):
    lines = ["| CPU us per request, HTTP/2 | queue-proxy | HAProxy 2.6 | ratio | bar |", "| --- | --- | --- | --- | --- |"]
    found = {}
    for name, row in ROWS.items():
        costs = {contender: [] for contender in proxies(tools, row[0])}
        for _ in range(repeats):
            for contender, how in proxies(tools, row[0]).items():
                costs[contender].append(measure_one(tools, core, row, how, seconds))
        found[name] = costs
        cells = [f"{statistics.median(costs[c]):.1f} ({min(costs[c]):.1f}-{max(costs[c]):.1f})" if c in costs else "not there"
                 for c in ("queue-proxy", "haproxy")]
        ratio = (statistics.median(a / b for a, b in zip(costs["queue-proxy"], costs["haproxy"]))
                 if "haproxy" in costs else None)
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {'' if ratio is None else f'**{ratio:.2f}**'} | {BAR} |")
    return lines, found
