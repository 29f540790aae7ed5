"""The number of replicas, from the requests that wait in their servers.

Ray copies this module by its source into its controller, which need not have ``trident``.
"""

from typing import Any

#: The name of the figure that replicas report to Ray.
PENDING = "pending"


class PendingRequests:
    """Ray's policy: as many replicas as keep ``target`` requests waiting in each.

    Ray applies the bounds, and the delays of ``autoscaling_config``.
    """

    def __init__(self, target: float):
        self.target = target

    def __call__(self, context: Any) -> tuple[float, dict[str, Any]]:
        figures: dict[str, dict[Any, float]] = context.aggregated_metrics or {}
        waiting = figures.get(PENDING)
        if not waiting:  # no replica has reported yet
            return context.target_num_replicas, {}
        return sum(waiting.values()) / self.target, {}
