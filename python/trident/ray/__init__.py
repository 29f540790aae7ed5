"""Servers on the machines of a Ray cluster, behind Envoy.

Ray Serve places one ``trident serve`` in each replica, checks it, replaces it, and changes the
number of replicas with the number of requests that wait::

    from ray import serve
    import trident.ray

    serve.start(proxy_location="Disabled")
    serve.run(trident.ray.app("models", replicas=(1, 8)))

Requests go to Envoy, which reads the addresses of the servers from two files: ``envoy -c
deploy/envoy.yaml``. Ray's own proxy is not needed.
"""

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

from trident.ray.library import load
from trident.ray.replica import Plan, Replica
from trident.ray.scaling import PendingRequests
from trident.ray.server import ServerError

__all__ = ["ServerError", "app"]

#: Seconds beyond the time that requests have to end, before Ray kills a replica.
MARGIN = 15.0

Path = str | os.PathLike[str]


def app(
    repository: Path | Sequence[Path],
    *,
    replicas: int | tuple[int, int] = 1,
    pending: float = 4.0,
    autoscaling: Mapping[str, Any] | None = None,
    cpus: float = 1.0,
    options: Sequence[str] = (),
    executable: Path | None = None,
    endpoints: Path = "deploy",
    envoy: str | None = None,
    grace: float = 30.0,
) -> Any:
    """An application for ``ray.serve.run``, whose replicas are servers of a repository.

    - ``repository``: a folder that all machines have, or an address such as ``s3://bucket/models``;
      several in a list.
    - ``replicas``: their number, or the fewest and the most; then Ray starts as many as keep
      ``pending`` requests waiting in each. ``autoscaling`` has other fields of Ray's
      ``AutoscalingConfig``, such as ``upscale_delay_s``.
    - ``cpus``: the cores of a replica, for Ray and for the server's ``--threads``.
    - ``options``: more options of ``trident serve``.
    - ``executable``: the program. By default, it is the one that ``TRIDENT_SERVE`` names, or
      ``trident`` on ``PATH``, on each machine.
    - ``endpoints``: the folder of Envoy's files, ``endpoints-http.yaml`` and
      ``endpoints-grpc.yaml``.
    - ``envoy``: the address of the node that has this folder, by default Ray's head node.
    - ``grace``: seconds that requests have to end when a replica is stopped.

    If the repository does not load, the deployment is unhealthy, and its message has the table of
    ``trident serve --check``.
    """
    fewest, most = (replicas, replicas) if isinstance(replicas, int) else replicas
    if not 1 <= fewest <= most:
        raise ValueError(f"replicas must be at least 1, and the fewest come first: {replicas}")
    if not (pending > 0 and cpus > 0 and grace >= 0):
        raise ValueError(
            f"pending and cpus must be above 0, and grace not below: {pending}, {cpus}, {grace}"
        )
    if isinstance(replicas, int) and autoscaling:
        raise ValueError("autoscaling has no effect on a fixed number: pass replicas=(1, 8)")
    plan = Plan(
        repositories=tuple(_paths(repository)),
        options=tuple(options),
        program=None if executable is None else os.fspath(executable),
        threads=math.ceil(cpus),
        endpoints=os.path.abspath(endpoints),
        envoy=envoy,
        grace=grace,
    )
    serve, fields = load("ray.serve"), load("ray.serve.config")
    number: dict[str, Any] = {"num_replicas": replicas}
    if not isinstance(replicas, int):
        policy = fields.AutoscalingPolicy(
            policy_function=PendingRequests, policy_kwargs={"target": pending}
        )
        bounds = {"min_replicas": fewest, "max_replicas": most, "policy": policy}
        config = fields.AutoscalingConfig(**{**(autoscaling or {}), **bounds})
        number = {"num_replicas": "auto", "autoscaling_config": config}
    deployment = serve.deployment(
        Replica,
        name="trident",
        ray_actor_options={"num_cpus": cpus},
        health_check_period_s=2,
        health_check_timeout_s=10,
        graceful_shutdown_wait_loop_s=0.1,
        graceful_shutdown_timeout_s=grace + MARGIN,
        **number,
    )
    return deployment.bind(plan)


def _paths(repository: Path | Sequence[Path]) -> list[str]:
    """Repositories as every process of the cluster finds them: workers have other folders."""
    if isinstance(repository, str | os.PathLike):
        repository = [repository]
    if not repository:
        raise ValueError("repository is an empty list: pass a folder of models")
    return [
        text if "://" in text else os.path.abspath(text)
        for text in (os.fspath(each) for each in repository)
    ]
