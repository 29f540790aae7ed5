"""A Ray cluster of three nodes on this machine, Envoy, and clients that send requests."""

import json
import os
import re
import subprocess
import sys
import time

import ray
from ray import serve
from ray.cluster_utils import Cluster

import load_balancer
import trident.ray

from . import processes

#: Nodes have addresses of their own on the loopback. Ray replaces 127.0.0.1 by the machine's.
NODES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]

#: Ray's intervals are meant for days, not for minutes.
QUICK = {
    "RAY_SERVE_REPLICA_AUTOSCALING_METRIC_PUSH_INTERVAL_S": "1",
    "RAY_DEDUP_LOGS": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}
AUTOSCALING = {
    "upscale_delay_s": 1,
    "downscale_delay_s": 5,
    "look_back_period_s": 3,
    "metrics_interval_s": 1,
}

APPLICATION, DEPLOYMENT = "default", "trident"
WAIT = 90  # seconds


class World:
    """The cluster, and what runs in it and beside it."""

    def __init__(self, folder, repository):
        os.environ.update(QUICK)
        self.folder, self.repository = folder, repository
        self.envoy = self.load = None
        self.cluster = Cluster()
        self.nodes = {address: self.add_node(address) for address in NODES}
        ray.init(address=self.cluster.address, log_to_driver=False)
        serve.start(proxy_location="Disabled")

    def add_node(self, address):
        options = {"num_cpus": 1, "node_ip_address": address, "include_dashboard": False}
        return self.cluster.add_node(**options)

    def remove_node(self, address):
        self.cluster.remove_node(self.nodes.pop(address), allow_graceful=False)

    def end(self):
        if self.load:
            self.load.kill()
            self.load.wait()
        if self.envoy:
            self.envoy.stop()
        serve.shutdown()
        ray.shutdown()
        self.cluster.shutdown()

    def application(self, repository=None, **options):
        return trident.ray.app(
            repository or self.repository,
            executable=os.environ["TRIDENT"],
            endpoints=self.folder,
            grace=20,
            **options,
        )

    def deployment(self):
        """The state of the deployment, as Ray sees it."""
        return serve.status().applications[APPLICATION].deployments[DEPLOYMENT]

    def running(self):
        """The number of replicas that serve."""
        states = {str(state): count for state, count in self.deployment().replica_states.items()}
        return states.get("RUNNING", 0)

    def start_envoy(self):
        with (self.folder / "envoy.log").open("w") as log:
            self.envoy = load_balancer.Envoy(self.folder, log)
        self.wait_for(lambda: self.healthy() == 1, "Envoy sends requests to the server")

    def healthy(self):
        return min(self.envoy.healthy(protocol) for protocol in ("http", "grpc"))

    def start_load(self):
        command = [sys.executable, "-m", "cluster_suite.load"]
        command += [self.envoy.address("http"), self.envoy.address("grpc")]
        pipe = subprocess.PIPE
        self.load = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)

    def clients(self, count=None):
        """Change the number of clients of each protocol; the counts of requests so far."""
        self.load.stdin.write("\n" if count is None else f"{count}\n")
        self.load.stdin.flush()
        return json.loads(self.load.stdout.readline())

    def servers(self):
        return processes.servers(self.repository)

    def named(self, protocol="http"):
        """The addresses in Envoy's file."""
        file = self.folder / f"endpoints-{protocol}.yaml"
        text = file.read_text() if file.exists() else ""
        return re.findall(r'address: "([^"]+)", port_value: (\d+)', text)

    def settled(self, count):
        """Whether this many replicas serve, and Envoy sends requests to them and to no other."""
        counts = {len(self.named()), len(self.named("grpc")), len(self.servers())}
        return counts | {self.running(), self.healthy()} == {count}

    def wait_for(self, reached, what, seconds=WAIT):
        end = time.monotonic() + seconds
        while not reached():
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {what}; {self.picture()}")
            time.sleep(0.2)

    def picture(self):
        """The cluster in one line, for errors."""
        states = serve.status().applications
        deployments = [each.deployments.get(DEPLOYMENT) for each in states.values()]
        return f"replicas {deployments}, servers {self.servers()}, Envoy's file {self.named()}"
