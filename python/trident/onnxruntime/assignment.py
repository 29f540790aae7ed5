"""Which nodes of a model each provider of a session runs."""

from dataclasses import dataclass

from trident.onnxruntime import model_file, prepared
from trident.onnxruntime.errors import Fail

#: The entry without which a session does not say it, as in ONNX Runtime.
RECORD = "session.record_ep_graph_assignment_info"


@dataclass(frozen=True)
class OrtEpAssignedNode:
    """A node of the model's graph."""

    name: str
    domain: str
    op_type: str


@dataclass(frozen=True)
class OrtEpAssignedSubgraph:
    """Nodes that a provider runs together."""

    ep_name: str
    nodes: tuple[OrtEpAssignedNode, ...]

    def get_nodes(self) -> list[OrtEpAssignedNode]:
        """The nodes in the model's order."""
        return list(self.nodes)


def of_model(source: str | bytes, provider: str) -> list[OrtEpAssignedSubgraph]:
    """The nodes of the graph, which the first provider runs as a whole.

    Raises ``Fail`` for a model that Trident has compiled: its nodes are not those of an ONNX file.
    """
    data = prepared.read(source)
    try:
        nodes = tuple(OrtEpAssignedNode(*node) for node in model_file.nodes(data))
    except ValueError as error:
        raise Fail.of(
            f"the nodes of {provider} are those of an ONNX file, which the model is not: {error}"
        ) from error
    return [OrtEpAssignedSubgraph(provider, nodes)] if nodes else []
