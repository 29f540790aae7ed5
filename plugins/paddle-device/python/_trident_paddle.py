"""Gives Paddle the device ``mps`` when a program imports Paddle.

A line of ``trident-paddle.pth`` puts a finder in front of the others, at each start of Python; in
a virtual environment Python runs the line twice. The line imports nothing, since looking for a
module in ``site-packages`` takes longer than all the rest. The finder imports this module when
Paddle is looked for.
"""

import sys


def find_spec(finder, name, path, target):
    """Find Paddle as the other finders do, and have it extended before and after its import."""
    sys.meta_path.remove(finder)
    for other in list(sys.meta_path):
        find = getattr(other, "find_spec", None)
        spec = find and find(name, path, target)
        if spec is not None:
            if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                _extend(spec.loader)
            return spec
    return None


def _extend(loader):
    """Let the loader of Paddle name the plug-in's folder, and then add ``paddle.mps``."""
    execute = loader.exec_module

    def exec_module(module):
        from paddle_trident import folder

        folder.choose(module)
        execute(module)
        from paddle_trident.install import install

        install(module)

    loader.exec_module = exec_module
