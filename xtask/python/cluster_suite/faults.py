"""Faults of a cluster under load: servers, replicas and nodes that end, more and fewer of them.

The checks run in this order, each on the cluster that the one before has left. Every check asks
that no request has failed.
"""

import os
import subprocess
import time

import ray
from ray import serve

from trident.ray import keeper

from . import cluster, processes

#: Clients of each protocol. Requests wait for others to share a batch, so that nearly all of them
#: are pending: with a target of 4, these need one replica, and all three.
FEW, MANY = 1, 8
TARGET = 4.0

QUIET = 2  # seconds of load after each change
PORTION = 20  # requests of each protocol that must succeed in this time


def run(suite):
    world = suite.world
    for name, check in CHECKS.items():
        suite.check(name, lambda check=check: check(world))


def loads_badly(world):
    """A repository that does not load makes the deployment unhealthy; its message has the table."""
    broken = world.folder / "broken"
    try:
        serve.run(world.application(broken))
        raise AssertionError("the application runs")
    except RuntimeError:
        state = world.deployment()
    assert state.status in ("DEPLOY_FAILED", "UNHEALTHY"), state
    command = [os.environ["TRIDENT"], "serve", str(broken), "--check"]
    table = subprocess.run(command, capture_output=True, text=True).stdout
    assert "broken-model" in table and "UNAVAILABLE" in table and "\x1b" not in table, repr(table)
    assert table in state.message, f"{table!r} is not in {state.message!r}"
    assert world.named() == [], world.named()
    serve.delete(cluster.APPLICATION)


def starts(world):
    """One replica serves, and Envoy's files name it, once `serve.run` returns."""
    deploy(world)
    assert len(world.servers()) == len(world.named()) == len(world.named("grpc")) == 1
    world.start_envoy()
    world.start_load()
    flows(world, FEW)


def deploy(world):
    options = {"replicas": (1, 3), "pending": TARGET, "autoscaling": cluster.AUTOSCALING}
    serve.run(world.application(**options))


def flows(world, clients=None):
    """Requests of both protocols are answered, and none has failed since the start."""
    before = world.clients(clients)["right"]
    time.sleep(QUIET)
    counts = world.clients()
    assert not counts["wrong"], f"{len(counts['wrong'])} requests failed: {counts['wrong'][:3]}"
    for protocol in ("http", "grpc"):
        more = counts["right"].get(protocol, 0) - before.get(protocol, 0)
        assert more >= PORTION, f"{more} requests over {protocol} in {QUIET} s"


def grows(world):
    """Waiting requests start more replicas, one on each node."""
    flows(world, MANY)
    world.wait_for(lambda: world.settled(3), "three replicas")
    assert {server.address for server in world.servers()} == set(cluster.NODES)
    flows(world)


def server_is_killed(world):
    """Ray replaces a replica whose server was killed. Envoy stops to send requests to it."""
    [victim, *_] = world.servers()
    processes.kill(victim.pid)
    replaced(world, victim)


def replaced(world, victim):
    world.wait_for(
        lambda: world.settled(3) and victim not in world.servers(),
        "another replica in the place of the one that ended",
    )
    flows(world)


def replica_is_killed(world):
    """A server ends with its replica, and Ray replaces both."""
    [victim, *_] = world.servers()
    processes.kill(victim.replica)
    replaced(world, victim)


def keeper_is_killed(world):
    """The keeper of Envoy's files is started again, and knows the servers again."""
    named = sorted(world.named())
    ray.kill(keeper.find(str(world.folder), None))
    end = time.monotonic() + 6  # longer than a new keeper waits before it writes
    while time.monotonic() < end:
        assert sorted(world.named()) == named, f"{world.named()}, not {named}"
        time.sleep(0.1)
    assert ray.get_actor(f"endpoints in {world.folder}", namespace=keeper.NAMESPACE)
    flows(world)


def node_is_removed(world):
    """Servers of a node that is gone get no requests; Ray starts another replica on a new node."""
    address = cluster.NODES[-1]
    [lost] = [server for server in world.servers() if server.address == address]
    processes.kill(lost.pid)  # a machine that is gone drains nothing
    world.remove_node(address)
    world.wait_for(lambda: len(world.named()) == 2 == world.healthy(), "two servers")
    flows(world)
    world.nodes[address] = world.add_node(address)
    world.wait_for(lambda: world.settled(3), "three replicas again")
    flows(world)


def shrinks(world):
    """Replicas end when few requests wait, and finish what they have."""
    flows(world, FEW)
    world.wait_for(lambda: world.settled(1), "one replica")
    flows(world)


def is_deleted(world):
    """No server and no name is left of a deleted application."""
    world.clients(0)
    serve.delete(cluster.APPLICATION)
    world.wait_for(lambda: not world.servers() and not world.named(), "no server")


CHECKS = {
    "a repository that does not load": loads_badly,
    "one replica": starts,
    "replicas 1 to 3": grows,
    "a server is killed": server_is_killed,
    "a replica is killed": replica_is_killed,
    "the keeper is killed": keeper_is_killed,
    "a node is removed": node_is_removed,
    "replicas 3 to 1": shrinks,
    "the application is deleted": is_deleted,
}
