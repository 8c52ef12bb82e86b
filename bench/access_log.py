#!/usr/bin/env python3
"""Writes an access log of a made-up day, for measurements of `bellows simulate`.

    bench/access_log.py nginx 300 > access.log       # about 300 MB; the formats are in FORMATS
    time bellows simulate access.log

The load follows a day with a quiet night and one burst; durations are lognormal with a median of 40 ms.
"""

import math
import random
import sys
import time

DAY = 86400
BEGIN = 1790812800  # 2026-10-01, UTC
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
KINDS = 512


def clf(at):
    return time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(at))


def iso(at, took=0.0):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) + f".{int(took * 1e6) % 1000000:06d}Z"


def common(at, n):
    return f'203.0.113.{n % 251} - - [{clf(at)}] "GET /shop/items/{n * 7919 % 100000}?page={n % 9} HTTP/1.1" 200 {n * 31}'


def combined(at, n):
    return f'{common(at, n)} "https://example.com/shop" "{AGENT}"'


def caddy(at, took, n):
    return (f'{{"level":"info","ts":{at}.{int(took * 1e6) % 1000000:06d},"logger":"http.log.access.log0","msg":"handled request",'
            f'"request":{{"remote_ip":"203.0.113.{n % 251}","remote_port":"4{n % 1000:04d}","proto":"HTTP/2.0","method":"GET",'
            f'"host":"example.com","uri":"/shop/items/{n}","headers":{{"User-Agent":["{AGENT}"],"Accept":["*/*"],'
            f'"Accept-Encoding":["gzip, deflate, br"],"Cookie":["REDACTED"]}}}},"bytes_read":0,"user_id":"","duration":{took:.6f},'
            f'"size":{n * 31},"status":200,"resp_headers":{{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}}}')


def haproxy(at, took, n):
    date = time.strftime("%d/%b/%Y:%H:%M:%S", time.gmtime(at))
    ms = int(took * 1000)
    return (f'Oct  1 12:14:14 lb1 haproxy[1438]: 10.0.1.2:{33000 + n % 999} [{date}.{n % 1000:03d}] http-in static/srv{n % 4} '
            f'0/0/1/{ms}/{ms + 1} 200 {n * 31} - - ---- 1/1/1/1/0 0/0 "GET /shop/items/{n} HTTP/1.1"')


def alb(at, took, n):
    return (f'https {iso(at, took)} app/shop/50dc6c495c0c9188 203.0.113.{n % 251}:2817 10.0.0.{n % 9}:80 0.000 {took:.3f} 0.000 200 200 '
            f'34 {n * 31} "GET https://example.com:443/shop/items/{n} HTTP/1.1" "{AGENT}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 '
            f'arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/shop/73e2d6bc24d8a067 "Root=1-58337262-36d228ad5d99923122bbe354" '
            f'"example.com" "session-reused" 0 {iso(at)} "forward" "-" "-" "10.0.0.{n % 9}:80" "200" "-" "-"')


FORMATS = {
    "combined": lambda at, took, n: combined(at, n),
    "nginx": lambda at, took, n: f"{combined(at, n)} {took:.3f}",
    "apache": lambda at, took, n: f"{combined(at, n)} {int(took * 1e6)}",
    "traefik": lambda at, took, n: f'{combined(at, n)} {n} "shop@docker" "http://10.0.0.{n % 9}:80" {int(took * 1000)}ms',
    "caddy": caddy,
    "haproxy": haproxy,
    "alb": alb,
    "traefik-json": lambda at, took, n:
        f'{{"ClientAddr":"203.0.113.{n % 251}:4711","DownstreamStatus":200,"Duration":{int(took * 1e9)},"OriginDuration":{int(took * 1e9)},'
        f'"RequestMethod":"GET","RequestPath":"/shop/items/{n}","StartUTC":"{iso(at)}","level":"info","msg":"","time":"{iso(at)}"}}',
    "envoy": lambda at, took, n:
        f'{{"authority":"example.com","bytes_sent":{n * 31},"duration":{int(took * 1000)},"method":"GET","path":"/shop/items/{n}",'
        f'"response_code":200,"start_time":"{iso(at)}","upstream_host":"10.0.0.{n % 9}:80","user_agent":"{AGENT}"}}',
}


def requests_of(second, mean):
    """A day's curve, and a burst of five times the load for ten minutes at 15 h."""
    load = mean * (1 - 0.8 * math.cos(2 * math.pi * second / DAY))
    return load * (5 if 54000 <= second < 54600 else 1)


def write(format_name, megabytes, out):
    draw = random.Random(1)
    line = FORMATS[format_name]
    size = len(line(BEGIN, 0.04, KINDS)) + 1
    mean = megabytes * 1e6 / size / DAY
    owed = 0.0
    for second in range(DAY):
        owed += requests_of(second, mean)
        lines = [line(BEGIN + second, draw.lognormvariate(math.log(0.04), 0.8), draw.randrange(KINDS)) for _ in range(int(owed))]
        owed -= int(owed)
        if lines:
            out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in FORMATS:
        sys.exit(f"want a format ({', '.join(FORMATS)}) and a size in MB")
    write(sys.argv[1], float(sys.argv[2]), sys.stdout)
