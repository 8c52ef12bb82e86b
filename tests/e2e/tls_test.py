"""https at the port for requests, by curl, openssl s_client and Chromium."""

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import unittest

import browser
from harness import DEADLINE, EndToEnd, get, metric, program, raw, until, until_equal

APP = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tls_app.py")]
HAS_TOOLS = bool(shutil.which("curl") and shutil.which("openssl"))


def openssl(*arguments, **how):
    return subprocess.run(["openssl", *arguments], capture_output=True, text=True, timeout=DEADLINE, check=False, **how)


class Authority:
    """A CA in a folder, and what it signs."""

    def __init__(self, folder, name="test CA"):
        self.folder, self.name = folder, name
        self.certificate = os.path.join(folder, "ca.pem")
        self.key = os.path.join(folder, "ca.pem.secret")
        made = openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
                       "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.certificate)
        assert made.returncode == 0, made.stderr

    def sign(self, base, hosts, subject=None, days=60, key=("ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
        """Writes BASE.crt and BASE.key."""
        os.makedirs(os.path.dirname(base), exist_ok=True)
        request = base + ".csr"
        made = openssl("req", "-new", "-newkey", *key, "-nodes",
                       "-subj", f"/CN={subject or hosts[0]}", "-keyout", base + ".key.new", "-out", request)
        assert made.returncode == 0, made.stderr
        names = ",".join(("IP:" if host[0].isdigit() else "DNS:") + host for host in hosts)
        signed = openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial",
                         "-days", str(days), "-extfile", "/dev/stdin", "-out", base + ".crt.new",
                         input=f"subjectAltName={names}\n")
        assert signed.returncode == 0, signed.stderr
        os.remove(request)
        os.replace(base + ".crt.new", base + ".crt")
        os.replace(base + ".key.new", base + ".key")
        return base + ".crt", base + ".key"


@unittest.skipUnless(HAS_TOOLS, "no curl and openssl; tools/setup --tests installs them")
class Tls(EndToEnd):
    def setUp(self):
        self.ca_folder = self.folder()
        self.ca = Authority(self.ca_folder)

    def curl(self, running, path="/", *more, host="localhost", scheme="https", port=None, ca=None):
        port = port or running.port
        return subprocess.run(["curl", "--silent", "--show-error", "--max-time", str(DEADLINE - 5), "--cacert", (ca or self.ca).certificate,
                               "--resolve", f"{host}:{port}:127.0.0.1", *more, f"{scheme}://{host}:{port}{path}"],
                              capture_output=True, timeout=DEADLINE, check=False)

    def told(self, running, *more, **how):
        done = self.curl(running, "/told", *more, **how)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def connect(self, running, *more, text="GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"):
        """What openssl s_client says of a connection."""
        done = openssl("s_client", "-connect", f"127.0.0.1:{running.port}", "-CAfile", self.ca.certificate, "-ign_eof", *more, input=text)
        return done.stdout + done.stderr

    def serve(self, *settings, hosts=("localhost", "127.0.0.1"), app=None):
        certificate, key = self.ca.sign(os.path.join(self.folder(), "shop"), list(hosts))
        return self.run_bellows("--tls-certificate", certificate, "--tls-key", key, *settings, "--", *(app or APP))

    def test_both_tls_versions_are_served_and_passed_to_the_app(self):
        running = self.serve("--trusted-proxies", "none")
        for more in (["--tlsv1.3", "--http1.1"], ["--tls-max", "1.2", "--http1.1"], ["--http2"]):
            told = self.told(running, *more, "-H", "X-Forwarded-Client-Cert: Subject=evil", "-H", "X-Forwarded-Proto: http")
            self.assertEqual(told["x-forwarded-proto"], "https")
            self.assertIn(";proto=https", told["forwarded"])
            self.assertNotIn("x-forwarded-client-cert", told)
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_handshakes_total{outcome="full"}'), 3)
        self.assertIn("alert", self.connect(running, "-alpn", "smtp"))
        self.assertIn("ALPN protocol: h2", self.connect(running, "-alpn", "http/1.1,h2"))
        self.assertIn("ALPN protocol: http/1.1", self.connect(running, "-alpn", "http/1.1"))
        self.assertIn("ALPN protocol: http/1.0", self.connect(running, "-alpn", "http/1.0"))
        self.assert_clean_exit(running)

    def test_browsers_are_told_to_use_https_alone_if_asked_to(self):
        running = self.serve("--hsts", "10m", "--redirect-listen", "127.0.0.1:0")
        port = int(next(line for line in running.lines if "redirecting to https" in line).split('"address":"127.0.0.1:')[1].split('"')[0])
        for version in ("--http1.1", "--http2"):
            for more in ([], ["-X", "OPTIONS", "-H", "Max-Forwards: 0"]):  # of the app, of Bellows
                head = self.curl(running, "/told", version, "--include", *more).stdout.split(b"\r\n\r\n")[0].lower()
                self.assertIn(b"\r\nstrict-transport-security: max-age=600\r\n", head + b"\r\n")
        self.assertNotIn("Strict-Transport-Security", get(port, "/").headers)
        self.assert_clean_exit(running)

    def test_the_minimum_version_holds(self):
        running = self.serve("--tls-minimum-version", "1.3")
        self.assertEqual(self.curl(running, "/", "--tlsv1.3").returncode, 0)
        refused = self.curl(running, "/", "--tls-max", "1.2")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("alert protocol version", refused.stderr.decode())
        self.assert_clean_exit(running)

    def test_large_bodies_pass_both_ways_with_both_versions(self):
        running = self.serve()
        size = 30_000_000
        body = os.path.join(self.folder(), "body")
        with open(body, "wb") as file:
            file.write(os.urandom(size))
        with open(body, "rb") as file:
            sum_of_body = hashlib.sha256(file.read()).hexdigest()
        for version in ("--http1.1", "--http2"):
            down = self.curl(running, f"/bytes/{size}", "--limit-rate", "60M", version)
            self.assertEqual(down.stdout, b"x" * size)
            up = self.curl(running, "/sum", "--data-binary", "@" + body, "-H", "Content-Type: x", version)
            self.assertEqual(up.stdout.decode(), sum_of_body)
        self.assert_clean_exit(running)

    def test_a_folder_has_a_certificate_for_each_name(self):
        folder = self.folder()
        self.ca.sign(os.path.join(folder, "shop"), ["shop.example"])
        self.ca.sign(os.path.join(folder, "wild"), ["*.wild.example"])
        certificate, key = self.ca.sign(os.path.join(folder, "live", "made"), ["certbot.example"])
        os.rename(certificate, os.path.join(folder, "live", "fullchain.pem"))
        os.rename(key, os.path.join(folder, "live", "privkey.pem"))
        self.ca.sign(os.path.join(folder, "tls"), ["default.example"])
        running = self.run_bellows("--tls-folder", folder, "--", *APP)
        for host in ("shop.example", "a.wild.example", "certbot.example"):
            self.assertEqual(self.told(running, host=host)["x-forwarded-host"], f"{host}:{running.port}")
        self.assertIn("subject=CN = default.example", self.connect(running, "-noservername"))
        self.assertIn("subject=CN = default.example", self.connect(running, "-servername", "unknown.example"))
        expiry = metric(running.admin, 'bellows_activator_tls_certificate_expiry_timestamp_seconds{certificate="shop"}')
        end = openssl("x509", "-in", os.path.join(folder, "shop.crt"), "-noout", "-checkend", "5100000")
        self.assertEqual(end.returncode, 0)
        self.assertGreater(expiry, 1.7e9)
        self.assert_clean_exit(running)

    def test_callers_get_a_certificate_that_they_can_verify(self):
        folder = self.folder()
        self.ca.sign(os.path.join(folder, "shop"), ["shop.example"], subject="with ECDSA")
        self.ca.sign(os.path.join(folder, "shop-rsa"), ["shop.example"], subject="with RSA", key=("rsa:2048",))
        running = self.run_bellows("--tls-folder", folder, "--", *APP)
        for kind, cipher in (("ECDSA", "ECDHE-ECDSA-AES128-GCM-SHA256"), ("RSA", "ECDHE-RSA-AES128-GCM-SHA256")):
            told = self.curl(running, "/told", "-v", "--tls-max", "1.2", "--ciphers", cipher, host="shop.example")
            self.assertEqual(told.returncode, 0, told.stderr.decode())
            self.assertIn(f"subject: CN=with {kind}", told.stderr.decode())
        for kind, algorithm in (("ECDSA", "ecdsa_secp256r1_sha256"), ("RSA", "rsa_pss_rsae_sha256")):
            said = self.connect(running, "-tls1_3", "-sigalgs", algorithm, "-servername", "shop.example",
                                text="GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n")
            self.assertIn(f"subject=CN = with {kind}", said)
            self.assertIn("HTTP/1.1 200 OK", said)
        self.assertEqual(self.curl(running, "/told", host="shop.example").returncode, 0)
        self.assert_clean_exit(running)

    def test_plain_http_gets_a_400_and_a_slow_handshake_no_slot(self):
        running = self.serve("--tls-handshake-timeout", "1s")
        answer = raw(running.port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").decode()
        self.assertIn("HTTP/1.1 400 ", answer)
        self.assertIn("use https", answer)
        silent = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(50)]
        silent[0].sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")  # the begin of a ClientHello
        self.assertEqual(self.told(running)["x-forwarded-proto"], "https")
        for each in silent:
            each.settimeout(DEADLINE)
            self.assertEqual(each.recv(100), b"")
            each.close()
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_handshakes_total{outcome="late"}'), 50)
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_handshakes_total{outcome="plain_http"}'), 1)
        self.assert_clean_exit(running)

    def test_a_second_port_redirects_and_serves_challenges(self):
        challenges = self.folder()
        with open(os.path.join(challenges, "token-1_A"), "w", encoding="ascii") as file:
            file.write("token-1_A.thumbprint")
        webroot = os.path.join(challenges, ".well-known", "acme-challenge")  # as certbot lays it out
        os.makedirs(webroot)
        with open(os.path.join(webroot, "token-2"), "w", encoding="ascii") as file:
            file.write("token-2.thumbprint")
        os.symlink("/etc/hostname", os.path.join(webroot, "link"))
        os.symlink("/etc/hostname", os.path.join(challenges, "link"))
        os.mkdir(os.path.join(challenges, "folder"))
        os.mkfifo(os.path.join(challenges, "pipe"))
        running = self.serve("--redirect-listen", "127.0.0.1:0", "--acme-folder", challenges)
        port = int(next(line for line in running.lines if "redirecting to https" in line).split('"address":"127.0.0.1:')[1].split('"')[0])
        sent = get(port, "/a/b?c=d%20e", host="shop.example", method="POST", body="x")
        self.assertEqual(sent.status, 308)
        self.assertEqual(sent.headers["Location"], f"https://shop.example:{running.port}/a/b?c=d%20e")
        self.assertEqual(get(port, "/.well-known/acme-challenge/token-1_A").body, "token-1_A.thumbprint")
        self.assertEqual(get(port, "/.well-known/acme-challenge/token-2").body, "token-2.thumbprint")
        for path in ("link", "folder", "pipe", "none", "..%2f..%2fetc%2fpasswd", "../../../etc/passwd", "", "token-1_A/", "token-1_A%00"):
            self.assertEqual(get(port, "/.well-known/acme-challenge/" + path).status, 404, path)
        self.assertEqual(get(port, "/.well-known/acme-challenge/token-1_A", method="DELETE").status, 405)
        followed = self.curl(running, "/told", "--location", scheme="http", port=port)
        self.assertEqual(json.loads(followed.stdout)["x-forwarded-proto"], "https")
        for host in (b"", b"Host:\r\n"):
            refused = raw(port, b"GET / HTTP/1.0\r\n" + host + b"\r\n")
            self.assertIn(b"HTTP/1.1 400 ", refused)
            self.assertIn(b"request: it names no host, so it has no https address; want a Host field with one", refused)
        self.assert_clean_exit(running)

    def test_changed_files_are_read_without_a_dropped_connection(self):
        folder = self.folder()
        versions = [os.path.join(folder, f"..{number}") for number in (1, 2)]
        self.ca.sign(os.path.join(versions[0], "tls"), ["localhost"])
        other = Authority(self.folder(), "next CA")
        other.sign(os.path.join(versions[1], "tls"), ["localhost"])
        os.symlink("..1", os.path.join(folder, "..data"))
        for name in ("tls.crt", "tls.key"):
            os.symlink(f"..data/{name}", os.path.join(folder, name))
        running = self.run_bellows("--tls-folder", folder, "--", *APP)
        self.told(running)
        slow = subprocess.Popen(["curl", "--silent", "--show-error", "--cacert", self.ca.certificate, "--limit-rate", "3M",
                                 f"https://localhost:{running.port}/bytes/12000000"], stdout=subprocess.PIPE, bufsize=0)
        self.addCleanup(slow.kill)
        begin = slow.stdout.read(1)
        os.symlink("..2", os.path.join(folder, "..new"))
        os.replace(os.path.join(folder, "..new"), os.path.join(folder, "..data"))
        until(lambda: self.curl(running, ca=other).returncode == 0, "the new certificate is presented")
        self.assertEqual(self.curl(running).returncode, 60)
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_reloads_total{outcome="done"}'), 1)

        with open(os.path.join(versions[1], "tls.key"), "w", encoding="ascii") as key:
            key.write("no key")
        said = running.wait_for("certificates cannot be used; the previous ones stay in force")
        self.assertIn("tls.key", said["error"])
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_reloads_total{outcome="failed"}'), 1)
        self.assertEqual(self.curl(running, ca=other).returncode, 0)
        self.assertEqual(begin + slow.communicate(timeout=DEADLINE)[0], b"x" * 12_000_000)
        self.assertEqual(slow.returncode, 0)
        self.assert_clean_exit(running)

    def test_a_hangup_reads_the_files_of_up_again(self):
        folder = self.folder()
        certificate, key = self.ca.sign(os.path.join(folder, "a"), ["localhost"])
        settings = os.path.join(folder, "bellows.yaml")
        with open(settings, "w", encoding="ascii") as file:
            file.write(f"listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nlog-format: json\ntls-certificate: {certificate}\ntls-key: {key}\n"
                       f"services:\n- name: web\n  command: {json.dumps(APP)}\n")
        checked = subprocess.run([program("bellows"), "check", settings], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertRegex(checked.stdout, r"certificate a +localhost until 20[0-9TZ:-]+ \((59|60) days\)")
        running = self.start(program("bellows"), "up", settings)
        listening = running.wait_for("listening")
        running.port = int(listening["address"].rsplit(":", 1)[1])
        self.told(running)
        running.signal(signal.SIGHUP)
        running.wait_for("certificates read")
        self.told(running)
        with open(key, "w", encoding="ascii") as file:
            file.write("no key")
        checked = subprocess.run([program("bellows"), "check", settings], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertNotEqual(checked.returncode, 0)
        self.assertIn(f'tls-key: "{key}": no private key can be read', checked.stdout)
        self.assert_clean_exit(running)

    def test_a_hangup_reloads_certificates_and_else_ends_run(self):
        certificate, key = self.ca.sign(os.path.join(self.folder(), "a"), ["localhost"])
        running = self.run_bellows("--tls-certificate", certificate, "--tls-key", key, "--", *APP)
        self.told(running)
        running.signal(signal.SIGHUP)
        running.wait_for("certificates read")
        self.told(running)

        def reload():
            done = subprocess.run([program("bellows"), "reload", "--admin", f"127.0.0.1:{running.admin}"], capture_output=True,
                                  text=True, timeout=DEADLINE, check=False)
            return done.returncode, done.stdout + done.stderr
        self.assertEqual(reload(), (0, "certificates: read again\n"))
        with open(key, "w", encoding="ascii") as file:
            file.write("no key")
        code, said = reload()
        self.assertEqual(code, 2, said)
        self.assertIn("a.key", said)
        self.assert_clean_exit(running)
        plain = self.run_bellows("--", *APP)
        plain.signal(signal.SIGHUP)
        self.assertEqual(plain.end(), 0)

    def test_what_cannot_be_used_is_told_at_the_start(self):
        folder = self.folder()
        certificate, key = self.ca.sign(os.path.join(folder, "a"), ["localhost"])
        _, other = self.ca.sign(os.path.join(folder, "b"), ["b.example"])
        activator = [program("activator"), "--autoscaler", "ws://127.0.0.1:1/v1/stats"]
        for command in ([program("bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"], activator):
            after = ["--", *APP] if "run" in command else []
            for settings, says in ((["--tls-certificate", certificate, "--tls-key", other], ["b.key", "is not the key of the certificate"]),
                                   (["--tls-certificate", folder + "/none", "--tls-key", key], ["none"]),
                                   (["--tls-folder", folder + "/none"], ["none", "No such file"]),
                                   (["--tls-certificate", certificate], ["tls-key"]),
                                   (["--tls", "self-signed", "--redirect-listen", "127.0.0.1:0", "--acme-folder", folder + "/none"],
                                    ["acme-folder", "/none", "there is no such folder"]),
                                   (["--redirect-listen", "127.0.0.1:0"], ["redirect-listen", "tls"])):
                done = subprocess.run([*command, *settings, *after], capture_output=True, text=True, timeout=DEADLINE, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                for part in says:
                    self.assertIn(part, done.stderr)

    def test_sessions_are_resumed_and_none_is_renegotiated(self):
        running = self.serve()
        for version in ("-tls1_2", "-tls1_3"):
            session = os.path.join(self.folder(), "session")
            self.assertIn("New, TLS", self.connect(running, version, "-sess_out", session))
            self.assertIn("Reused, TLS", self.connect(running, version, "-sess_in", session))
        until_equal(lambda: metric(running.admin, 'bellows_activator_tls_handshakes_total{outcome="resumed"}'), 2)
        asked = openssl("s_client", "-connect", f"127.0.0.1:{running.port}", "-tls1_2", input="R\nGET / HTTP/1.0\n\n")
        self.assertIn("no renegotiation", asked.stdout + asked.stderr)
        self.assert_clean_exit(running)

    def test_callers_show_certificates_and_the_app_learns_their_names(self):
        clients = Authority(self.folder(), "clients")
        certificate, key = clients.sign(os.path.join(self.folder(), "alice"), ["alice.example"], subject="alice")
        running = self.serve("--tls-client-ca", clients.certificate)
        for version in ("--http1.1", "--http2"):
            told = self.told(running, "--cert", certificate, "--key", key, "-H", "X-Forwarded-Client-Cert: Subject=evil", version)
            self.assertRegex(told["x-forwarded-client-cert"], r'^Hash=[0-9a-f]{64};Subject="CN=alice";DNS=alice\.example$')
        refused = self.curl(running)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("certificate required", refused.stderr.decode())
        self.assert_clean_exit(running)

        running = self.serve("--tls-client-ca", clients.certificate, "--tls-client-certificate", "optional")
        self.assertNotIn("x-forwarded-client-cert", self.told(running, "-H", "X-Forwarded-Client-Cert: Subject=evil"))
        self.assertIn("x-forwarded-client-cert", self.told(running, "--cert", certificate, "--key", key))
        self.assert_clean_exit(running)

    def test_a_self_signed_certificate_for_a_first_try(self):
        running = self.run_bellows("--tls", "self-signed", "--", *APP)
        line = next(json.loads(line) for line in running.lines if "self-signed certificate" in line)
        tried = subprocess.run([*line["try"].split(), "--silent"], capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(tried.returncode, 0, tried.stderr)
        self.assertEqual(json.loads(tried.stdout)["x-forwarded-proto"], "https")
        shown = self.connect(running)
        pem = shown[shown.index("-----BEGIN"):shown.index("-----END CERTIFICATE-----") + 26]
        self.assertIn(line["sha256_fingerprint"], openssl("x509", "-noout", "-fingerprint", "-sha256", input=pem).stdout)
        wrong = [word if "sha256//" not in word else "sha256//" + "A" * 43 + "=" for word in line["try"].split()]
        self.assertEqual(subprocess.run(wrong, capture_output=True, timeout=DEADLINE, check=False).returncode, 90)
        self.assert_clean_exit(running)


@unittest.skipUnless(browser.is_there() and HAS_TOOLS, "no chromium and chromedriver; tools/setup --tests installs them")
class TlsPage(EndToEnd):
    def test_a_page_with_events_and_a_websocket(self):
        running = self.run_bellows("--tls", "self-signed", "--", *APP)
        line = next(json.loads(line) for line in running.lines if "self-signed certificate" in line)
        page = browser.Browser(self, width=700, height=420, arguments=[
            "--ignore-certificate-errors-spki-list=" + line["try"].split("sha256//")[1].split()[0], "--user-data-dir=" + self.folder()])
        page.open(f"https://127.0.0.1:{running.port}/page")
        until(lambda: page.text("#socket") == "hello over wss", "the WebSocket echoes")
        until(lambda: page.text("#events") == "event 0 event 1 event 2", "the events arrive")
        self.assertEqual(page.text("#page"), "https: secure: true")
        if os.environ.get("BELLOWS_PICTURE"):
            page.screenshot(os.environ["BELLOWS_PICTURE"])
        self.assertEqual([line for line in page.complaints() if "favicon" not in line], [])
        running.signal(signal.SIGINT)
        until(lambda: any('"draining"' in line for line in running.lines), "it waits for the two open streams")
        running.signal(signal.SIGINT)  # at once
        self.assertEqual(running.end(), 1, running.text())


if __name__ == "__main__":
    unittest.main()
