"""Traces as an app and a collector see them.

Debian 12 has no collector of OpenTelemetry, so the one here is a server of this test. It holds each request against the
messages and fields of the published protocol (opentelemetry-proto v1, JSON as OTLP/HTTP maps it), and fails on any other.
"""

import http.server
import json
import re
import signal
import threading
import unittest

from harness import EndToEnd, free_port, get, program, until

HEX32, HEX16 = re.compile(r"[0-9a-f]{32}\Z"), re.compile(r"[0-9a-f]{16}\Z")
DIGITS = re.compile(r"-?[0-9]+\Z")  # integers of 64 bits are texts

# message: {field: message, or a check of a value}; [..]: a list of them
MESSAGES = {
    "ExportTraceServiceRequest": {"resourceSpans": ["ResourceSpans"]},
    "ResourceSpans": {"resource": "Resource", "scopeSpans": ["ScopeSpans"], "schemaUrl": str},
    "Resource": {"attributes": ["KeyValue"], "droppedAttributesCount": int},
    "ScopeSpans": {"scope": "InstrumentationScope", "spans": ["Span"], "schemaUrl": str},
    "InstrumentationScope": {"name": str, "version": str, "attributes": ["KeyValue"], "droppedAttributesCount": int},
    "Span": {"traceId": HEX32, "spanId": HEX16, "traceState": str, "parentSpanId": HEX16, "flags": int, "name": str,
             "kind": int, "startTimeUnixNano": DIGITS, "endTimeUnixNano": DIGITS, "attributes": ["KeyValue"],
             "droppedAttributesCount": int, "droppedEventsCount": int, "droppedLinksCount": int, "status": "Status"},
    "KeyValue": {"key": str, "value": "AnyValue"},
    "AnyValue": {"stringValue": str, "boolValue": bool, "intValue": DIGITS, "doubleValue": (int, float)},
    "Status": {"message": str, "code": int},
}
REQUIRED = {"Span": {"traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"}, "KeyValue": {"key", "value"}}

APP = """
import http.server, os
class App(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        names = ("traceparent", "tracestate", "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId")
        body = "".join(f"{name}: {self.headers[name]}\\n" for name in names if self.headers[name]).encode()
        self.send_response(500 if self.path == "/fails" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), App).serve_forever()
"""


def check(message, value, place):
    """What is wrong with `value` as that message of the protocol."""
    if not isinstance(value, dict):
        return [f"{place} is no {message}"]
    wrong = [f"{place} lacks {field}" for field in REQUIRED.get(message, set()) - value.keys()]
    for field, content in value.items():
        here, kind = f"{place}.{field}", MESSAGES[message].get(field)
        if kind is None:
            wrong.append(f"{here} is no field of {message}")
        elif isinstance(kind, str):
            wrong += check(kind, content, here)
        elif isinstance(kind, list):
            wrong += sum((check(kind[0], one, here) for one in content), []) if isinstance(content, list) else [f"{here} is no list"]
        elif isinstance(kind, re.Pattern):
            wrong += [] if isinstance(content, str) and kind.match(content) else [f"{here} is {content!r}"]
        elif not isinstance(content, kind):
            wrong.append(f"{here} is {content!r}")
    return wrong


class Collector:
    """OTLP over HTTP with JSON."""

    def __init__(self):
        self.spans, self.wrong, self.requests = [], [], 0
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.take(self.path, self.headers["Content-Type"], json.loads(body))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, kind, request):
        self.requests += 1
        if (path, kind) != ("/v1/traces", "application/json"):
            self.wrong.append(f"{path} {kind}")
        self.wrong += check("ExportTraceServiceRequest", request, "request")
        for resource in request["resourceSpans"]:
            source = attributes(resource["resource"])["service.name"]
            for scope in resource["scopeSpans"]:
                self.spans += [{**span, "source": source, "of": attributes(span)} for span in scope["spans"]]

    def span(self, source, **of):
        """The span of that program with these attributes, as soon as it has come."""
        def found():
            return next((span for span in list(self.spans) if span["source"] == source
                         and all(span["of"].get(key) == value for key, value in of.items())), None)
        return until(found, f"a span of {source} with {of}")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def attributes(message):
    """{key: value} of a list of KeyValue."""
    return {one["key"]: next(iter(one["value"].values())) for one in message["attributes"]}


class Traces(EndToEnd):
    def collector(self):
        collector = Collector()
        self.addCleanup(collector.close)
        return collector

    def run_app(self, *flags):
        return self.run_bellows(*flags, "--", "python3", "-c", APP)

    def test_a_cold_start_is_one_trace_of_activator_queue_proxy_and_app(self):
        collector = self.collector()
        bellows = self.run_app("--otlp-endpoint", collector.url, "--initial-scale", "0", "--access-log")
        seen = get(bellows.port, "/a?key=secret").body
        _, trace, parent, flags = seen.split("\n")[0].removeprefix("traceparent: ").split("-")
        self.assertEqual(flags, "01")
        outer = collector.span("bellows-activator", **{"url.path": "/a"})
        inner = collector.span("bellows-queue-proxy", **{"url.path": "/a"})
        self.assertEqual((outer["traceId"], inner["traceId"]), (trace, trace))
        self.assertNotIn("parentSpanId", outer)
        self.assertEqual(inner["parentSpanId"], outer["spanId"])
        self.assertEqual(inner["spanId"], parent)
        self.assertLessEqual(int(outer["startTimeUnixNano"]), int(inner["startTimeUnixNano"]))
        for span in (outer, inner):
            self.assertEqual((span["name"], span["kind"], span["of"]["http.response.status_code"]), ("GET", 2, "200"))
            self.assertEqual((span["of"]["bellows.service"], span["of"]["bellows.revision"]), ("web", "web-00001"))
            self.assertNotIn("secret", json.dumps(span))
        self.assertGreater(outer["of"]["bellows.queue_ms"], 0)
        parts = [outer["of"][f"bellows.cold_start.{part}_ms"]
                 for part in ("ordered", "process_started", "ready", "forwarded", "first_byte")]
        self.assertEqual(parts[3:], sorted(parts[3:]))
        self.assertGreater(parts[-1], 0)
        self.assertEqual(outer["of"]["bellows.replica"], inner["of"]["bellows.replica"])
        self.assertEqual(collector.wrong, [])
        self.assertEqual(bellows.wait_for("cold start")["trace_id"], trace)
        journal = json.loads(get(bellows.admin, "/v1/cold-starts").body)["cold_starts"]
        self.assertEqual([(start["service"], start["trace_id"]) for start in journal], [("web", trace)])
        self.assertAlmostEqual(journal[0]["first_byte_ms"], parts[-1], delta=0.001)
        line = until(lambda: next((line for line in bellows.lines if '"url":"/a?key=secret"' in line), None), "an access line")
        self.assertEqual(json.loads(line)["trace_id"], trace)

    def test_a_callers_trace_continues_with_its_sampling(self):
        collector = self.collector()
        bellows = self.run_app("--otlp-endpoint", collector.url)
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        for flags, path in (("00", "/unsampled"), ("01", "/fails")):
            seen = get(bellows.port, path, headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-{flags}", "tracestate": "a=1"})
            self.assertIn("tracestate: a=1", seen.body)
            self.assertIn(f"traceparent: 00-{trace}-", seen.body)
        outer = collector.span("bellows-activator", **{"url.path": "/fails"})
        self.assertEqual((outer["traceId"], outer["parentSpanId"], outer["traceState"]), (trace, "00f067aa0ba902b7", "a=1"))
        self.assertEqual(outer["status"], {"code": 2})
        collector.span("bellows-queue-proxy", **{"url.path": "/fails"})
        self.assertFalse([span for span in collector.spans if span["of"]["url.path"] == "/unsampled"])
        self.assertEqual(collector.wrong, [])

    def test_b3_ids_become_a_traceparent_and_stay(self):
        bellows = self.run_app()
        seen = get(bellows.port, headers={"b3": "a3ce929d0e0e4736-00f067aa0ba902b7-1"}).body
        self.assertEqual(seen, "traceparent: 00-0000000000000000a3ce929d0e0e4736-00f067aa0ba902b7-01\n"
                               "b3: a3ce929d0e0e4736-00f067aa0ba902b7-1\n")
        seen = get(bellows.port, headers={"traceparent": "00-abc", "tracestate": "a=1"}).body
        self.assertRegex(seen, r"\Atraceparent: 00-[0-9a-f]{32}-[0-9a-f]{16}-01\n\Z")

    def test_sampling_decides_the_flag_of_traces_that_begin_here(self):
        bellows = self.run_app("--trace-sampling", "0")
        self.assertTrue(get(bellows.port).body.endswith("-00\n"))

    def test_a_missing_collector_costs_no_request_and_is_reported_once(self):
        bellows = self.run_app("--otlp-endpoint", f"http://127.0.0.1:{free_port()}")
        for _ in range(5):
            self.assertEqual(get(bellows.port).status, 200)
        failures = "bellows_activator_span_export_failures_total "
        until(lambda: any(line.startswith(failures) and float(line.split()[1]) >= 2
                          for line in get(bellows.admin, "/metrics").body.splitlines()), "two failed tries")
        self.assertEqual(get(bellows.port).status, 200)
        bellows.signal(signal.SIGTERM)
        self.assertEqual(bellows.end(), 0)
        warnings = [line for line in bellows.lines if line.startswith("{") and "spans cannot be exported" in line
                    and "queue-proxy" not in line]
        self.assertEqual(len(warnings), 1, warnings)

    def test_what_waits_is_exported_at_the_end(self):
        collector = self.collector()
        bellows = self.run_app("--otlp-endpoint", collector.url)
        self.assertEqual(get(bellows.port, "/last").status, 200)
        bellows.signal(signal.SIGTERM)
        self.assertEqual(bellows.end(), 0)
        self.assertEqual({span["source"] for span in collector.spans if span["of"]["url.path"] == "/last"},
                         {"bellows-activator", "bellows-queue-proxy"})

    def test_an_endpoint_that_cannot_be_used_is_said_at_start(self):
        for url in ("https://127.0.0.1:4318", "127.0.0.1:4318", "http://127.0.0.1", "http://127.0.0.1:4318/a b"):
            refused = self.start(program("bellows"), "run", "--otlp-endpoint", url, "--", "true")
            self.assertEqual(refused.end(), 2)
            self.assertIn("http://HOST:PORT", refused.text())


if __name__ == "__main__":
    unittest.main()
