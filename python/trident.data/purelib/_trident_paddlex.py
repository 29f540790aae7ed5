"""Registers ``engine="trident"`` when a program imports PaddleX or PaddleOCR.

Every Python that starts imports this module, by a line of ``trident-paddlex.pth``: it imports
nothing itself, and each finder removes itself once its module has been found.
"""

import sys


class _Finder:
    """Finds one module as the other finders do, and has it registered in after its import."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    _register_after(spec.loader)
                return spec
        return None


def _register_after(loader):
    """Let a loader of one module register the engine in this module."""
    execute = loader.exec_module

    def exec_module(module):
        execute(module)
        from trident.paddlex import register_in

        register_in(module)

    loader.exec_module = exec_module


for _name in ("paddlex.inference.models", "paddleocr._common_args"):
    sys.meta_path.insert(0, _Finder(_name))
