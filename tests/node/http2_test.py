"""An app that speaks HTTP/2 alone, behind a Service that says so: Bellows scales it to zero and back as any other.

The callers are h2load's: nobody here wrote them, and they begin with HTTP/2 at once.
"""

import re
import subprocess
import unittest

from autoscaled import Autoscaled
from node_harness import TIMEOUT, manifest, note, until

CALLERS_AT_ZERO = 20
REQUESTS_STRAIGHT = 500


def http2_manifest():
    text = manifest(replicas=1, grace=10)
    for before, after in (("bellows.test/app:1", "bellows.test/nghttpd:1"),
                          ('["8080", "--delay", "20", "--start", "0", "--at-term", "end"]', '["8080"]'),
                          ("          httpGet:\n            path: /ready\n            port: http\n",
                           "          tcpSocket:\n            port: h2c\n"),
                          ("        - name: http\n", "        - name: h2c\n"),
                          ("  - name: http\n    port: 80\n    targetPort: http\n",
                           "  - name: h2c\n    port: 80\n    targetPort: h2c\n    appProtocol: kubernetes.io/h2c\n")):
        assert before in text, before
        text = text.replace(before, after)
    return text


class AnAppOfHttp2Alone(Autoscaled):
    def call(self, story, requests, connections):
        """`requests` in all, over `connections` at once. Each is answered by the app."""
        done = subprocess.run(["h2load", "-n", str(requests), "-c", str(connections), "-m", "1", f"http://{self.address()}/"],
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
        said = re.search(r"requests: .*\nstatus codes: .*", done.stdout)
        self.assertIsNotNone(said, done.stdout + done.stderr)
        note(f"{story:58} {said.group(0).splitlines()[0]}")
        self.assertIn(f" {requests} succeeded, 0 failed, 0 errored, 0 timeout", said.group(0), done.stdout)
        self.assertIn(f"status codes: {requests} 2xx", said.group(0))

    def wait_settled(self):
        """Nodes send nobody to the activators any more. h2load opens nothing anew after the GOAWAY with which those leave."""
        def is_direct():
            conditions = (self.brev() or {}).get("conditions", [])
            return any(each["type"] == "Routed" and each["reason"] == "Direct" for each in conditions)
        until(is_direct, self.seen(), TIMEOUT)

    def test_goes_to_zero_and_back(self):
        with self.explained():
            self.start(text=http2_manifest(), annotations={"window": "30s", "panic-window-percentage": "20"})
            self.wait_settled()
            self.call("HTTP/2 straight to the pod", REQUESTS_STRAIGHT, 5)
            self.wait_zero()
            self.call("HTTP/2 at zero, all at once", CALLERS_AT_ZERO, CALLERS_AT_ZERO)
            self.wait_pods(1)
            self.wait_settled()
            self.call("HTTP/2 straight to the pod again", REQUESTS_STRAIGHT, 5)
            self.wait_zero()


if __name__ == "__main__":
    unittest.main()
