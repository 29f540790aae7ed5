"""What a model's file says about itself."""

import trident

#: The version of a model whose file states none.
NO_VERSION = 2**63 - 1


class ModelMetadata:
    """The facts that a model's file states."""

    def __init__(self, model: trident.Model) -> None:
        info = model.info
        self.producer_name: str = info["producer_name"]
        self.graph_name: str = info.get("graph_name", "")
        self.domain: str = info["domain"]
        self.description: str = info["doc"]
        self.graph_description: str = info.get("graph_doc", "")
        self.version: int = info["model_version"] or NO_VERSION
        self.custom_metadata_map: dict[str, str] = model.metadata
