"""The actor that keeps Envoy's files, on the machine of Envoy."""

import threading
import time
import traceback
from typing import Any

from trident.ray.endpoints import Endpoints
from trident.ray.library import load

NAMESPACE = "trident"

#: The resource that Ray gives to the head node alone.
HEAD = "node:__internal_head__"

#: Seconds between two looks for replicas that are gone.
PERIOD = 1.0


class Keeper(Endpoints):
    """The files in a folder, watched for replicas that are gone."""

    def __init__(self, folder: str):
        super().__init__(folder)
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(PERIOD)
            try:
                self.expire()
            except OSError:  # the next report gives it to a replica
                traceback.print_exc()


def find(folder: str, node: str | None) -> Any:
    """The actor of a folder; starts it if there is none."""
    ray = load("ray")
    place = f"node:{node}" if node else HEAD
    actor = ray.remote(Keeper).options(
        name=f"endpoints in {folder}",
        namespace=NAMESPACE,
        get_if_exists=True,
        lifetime="detached",
        num_cpus=0,
        resources={place: 0.001},
    )
    return actor.remote(folder)


def remove(actor: Any) -> None:
    """Ends the actor; another report starts it again."""
    load("ray").kill(actor)
