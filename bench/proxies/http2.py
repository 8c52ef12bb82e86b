"""HTTP/2: the queue-proxy, HAProxy and nginx in turns, load by h2load, an upstream of HTTP/2 (nginx, nghttpd) or of
HTTP/1.1; one row has gRPC's C++ library at both ends (grpc_load.cpp). What the upstream is does not matter for the ratios;
nghttpd reads a body before it replies, nginx does not."""

import json
import os
import re
import shutil
import statistics
import subprocess
import time

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
NGINX_PROXY = """
daemon off; worker_processes 1; pid {folder}/h2-proxy.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; http2_max_concurrent_streams 1000; client_max_body_size 0;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  upstream app {{ server 127.0.0.1:{upstream}; keepalive 256; keepalive_requests 1000000000; }}
  server {{ listen 127.0.0.1:{port} http2; location / {{ grpc_pass grpc://app; }} }}
}}
"""
# Row: what the app speaks, connections, streams of each, path, body to send, the bar.
ROWS = {
    "h2c to h2c, GET 1 KB, 10 x 10": ("h2c", 10, 10, "/1k", None, 0.8),
    "h2c to HTTP/1.1, GET 1 KB, 10 x 10": ("http1", 10, 10, "/1k", None, 0.8),
    "like gRPC unary, POST 64 bytes, 1 x 50": ("nghttpd", 1, 50, "/test.Test/Unary", b"\0\0\0\0\x3b" + b"x" * 59, 0.8),
    "gRPC unary by its C++ library, 1 x 50": ("grpc", 1, 50, "/test.Test/Unary", None, 0.8),
    "h2c to h2c, POST 64 KB, 10 x 10": ("nghttpd", 10, 10, "/1k", b"x" * 65536, 0.9),
}
GRPC_PATH = "/test.Test/Unary"
PEERS = ("haproxy", "nginx")
# What a row needs that may be missing: the name of it, and of its Debian package.
NEEDS = {"nghttpd": ("nghttpd", "nghttp2-server"), "grpc": ("gRPC's C++ library", "libgrpc++-dev")}


def grpc_load(tools):
    """The program, compiled once; None: the library is not installed."""
    target = os.path.join(tools.folder, "grpc_load")
    if os.path.exists(target):
        return target
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "grpc++"], text=True, capture_output=True)
    if flags.returncode != 0:
        return None
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "grpc_load.cpp")
    subprocess.run(["c++", "-std=c++20", "-O2", "-o", target, source, *flags.stdout.split()], check=True)
    return target


def has_what_it_needs(tools, speaks):
    return {"nghttpd": lambda: shutil.which("nghttpd"), "grpc": lambda: grpc_load(tools)}.get(speaks, lambda: True)()


def folder_of_files(tools, sizes):
    """What nghttpd serves: files without content, which cost no disk."""
    folder = os.path.join(tools.folder, "h2-files")
    for name, size in sizes.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.truncate(size)
    return folder


def upstream(tools, speaks):
    if speaks == "http1":
        return [tools.upstream, str(contenders.UPSTREAM_PORT)]
    if speaks == "grpc":
        return [grpc_load(tools), "serve", str(contenders.UPSTREAM_PORT)]
    if speaks == "nghttpd":
        files = folder_of_files(tools, {"1k": 1024, "1g": 1 << 30, GRPC_PATH[1:]: 64})
        return ["nghttpd", "--no-tls", "-a", "127.0.0.1", "-m", "1000", "-d", files, str(contenders.UPSTREAM_PORT)]
    path = os.path.join(tools.folder, "h2-upstream.conf")
    with open(path, "w") as out:
        out.write(NGINX.format(folder=tools.folder, port=contenders.UPSTREAM_PORT, body="x" * 1024))
    return ["nginx", "-c", path]


def configured(tools, name, template, **values):
    path = os.path.join(tools.folder, name)
    with open(path, "w") as out:
        out.write(template.format(folder=tools.folder, port=contenders.PORT, upstream=contenders.UPSTREAM_PORT, **values))
    return path


def queue_proxy(tools, speaks):
    ours = contenders.queue_proxy(tools.programs, limit=0)
    protocol = "http1" if speaks == "http1" else "h2c"
    return ours.command, {**ours.env, "BELLOWS_APP_PROTOCOL": protocol, "BELLOWS_AUTOSCALER": ""}


def proxies(tools, row):
    """{name: (command, environment)}."""
    speaks, path = row[0], row[3]
    found = {"queue-proxy": queue_proxy(tools, speaks)}
    if shutil.which("haproxy"):
        file = configured(tools, f"haproxy-{speaks}.cfg", HAPROXY, proto="" if speaks == "http1" else "proto h2")
        found["haproxy"] = (["haproxy", "-db", "-f", file], {})
    if path == GRPC_PATH:
        found["nginx"] = (["nginx", "-c", configured(tools, "h2-proxy.conf", NGINX_PROXY)], {})
    return found


def h2load(core, *arguments):
    """The output of a load whose requests have all succeeded, and their number."""
    command = ["taskset", "-c", core, "h2load", "-t1", *arguments]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    total, succeeded = re.search(r"requests: (\d+) total.* (\d+) succeeded", done.stdout).groups()
    if total != succeeded or int(total) == 0:
        raise RuntimeError(f"h2load: {succeeded} of {total} requests succeeded\n{done.stdout}")
    return done.stdout, int(total)


def body_arguments(tools, body):
    if body is None:
        return []
    name = os.path.join(tools.folder, "h2-body")
    with open(name, "wb") as out:
        out.write(body)
    return ["-d", name, "-H", "content-type: application/grpc", "-H", "te: trailers"]


def grpc_calls(tools, core, calls, seconds):
    done = subprocess.run(["taskset", "-c", core, grpc_load(tools), "call", str(contenders.PORT), str(calls), str(seconds)],
                          text=True, capture_output=True, check=True)
    told = json.loads(done.stdout)
    if told["failed"] or not told["answered"]:
        raise RuntimeError(f"gRPC: {told}")
    return told["answered"]


def load(tools, core, row, seconds):
    """Requests that succeeded, about."""
    speaks, connections, streams, path, body, _ = row
    if speaks == "grpc":
        return grpc_calls(tools, core, streams, seconds)
    counted = h2load(core, "-c", str(connections), "-m", str(streams), "-D", str(seconds), "--warm-up-time", "1",
                     *body_arguments(tools, body), f"http://127.0.0.1:{contenders.PORT}{path}")[1]
    return counted * (seconds + 1) / seconds  # it does not count those of its warm-up


def until_both_listen():
    for port in (contenders.UPSTREAM_PORT, contenders.PORT):
        processes.until(lambda: processes.listens(port), f"port {port} is listened at")


def cpu_of(pid):
    """Of a program and its children: nginx works in one."""
    return sum(processes.cpu_seconds(each) for each in [pid, *processes.children(pid)])


def measure_one(tools, core, row, contender, seconds):
    """CPU microseconds of the proxy for each request."""
    command, env = contender
    with processes.running(upstream(tools, row[0]), core=core), processes.running(command, env, core) as proxy:
        until_both_listen()
        load(tools, core, row, 1)
        before = cpu_of(proxy.pid)
        requests = load(tools, core, row, seconds)
        return (cpu_of(proxy.pid) - before) * 1e6 / requests


def cells_of(costs, peer):
    """The cost of a peer, and the ratio of ours to it."""
    if peer not in costs:
        return ["-", "-"]
    ratio = statistics.median(a / b for a, b in zip(costs["queue-proxy"], costs[peer]))
    return [cost_text(costs[peer]), f"**{ratio:.2f}**"]


def cost_text(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f}-{max(values):.1f})"


def table(tools, repeats, seconds, core):
    lines = ["| CPU us per request, HTTP/2 | queue-proxy | HAProxy 2.6 | ratio | nginx grpc_pass | ratio | bar |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    found = {}
    for name, row in ROWS.items():
        if not has_what_it_needs(tools, row[0]):
            what, package = NEEDS[row[0]]
            lines.append(f"| {name} | not measured, {what} ({package}) is not installed | | | | | {row[5]} |")
            continue
        these = proxies(tools, row)
        costs = {contender: [] for contender in these}
        for _ in range(repeats):
            for contender, how in these.items():
                costs[contender].append(measure_one(tools, core, row, how, seconds))
        found[name] = costs
        cells = [cost_text(costs["queue-proxy"])] + [cell for peer in PEERS for cell in cells_of(costs, peer)]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {row[5]} |")
    return lines, found


def bulk(tools, size, core):
    """Seconds of one download and one upload of `size` bytes through the queue-proxy, and how its memory grew in bytes."""
    command, env = queue_proxy(tools, "nghttpd")
    url = f"http://127.0.0.1:{contenders.PORT}"
    body = os.path.join(folder_of_files(tools, {"upload": size}), "upload")
    with processes.running(upstream(tools, "nghttpd"), core=core), processes.running(command, env, core) as proxy:
        until_both_listen()
        h2load(core, "-c1", "-n1", url + "/1k")
        before = processes.memory(proxy.pid, "VmHWM")
        started = time.monotonic()
        told, _ = h2load(core, "-c1", "-n1", url + "/1g")
        down = time.monotonic() - started
        started = time.monotonic()
        h2load(core, "-c1", "-n1", "-d", body, url + "/1k")
        up = time.monotonic() - started
        came = int(re.search(r"\((\d+)\) data", told)[1])
        return {"down": down, "up": up, "arrived": came >= size, "grew": processes.memory(proxy.pid, "VmHWM") - before}


def bulk_lines(tools, core):
    if not shutil.which("nghttpd"):
        return ["* 1 GiB over HTTP/2: not measured, nghttpd (nghttp2-server) is not installed."], {}
    found = bulk(tools, 1 << 30, core)
    whole = "every byte arrived" if found["arrived"] else "**NOT every byte arrived**"
    return [f"* 1 GiB over one stream, h2c to h2c: download {found['down']:.1f} s, upload {found['up']:.1f} s, {whole}; peak "
            f"resident memory grew by {found['grew'] / 1024:.0f} KB."], found
