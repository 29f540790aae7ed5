"""PaddlePaddle's device ``mps``, by a plug-in that runs Paddle's kernels on Trident.

Programs import nothing from here: after ``import paddle``, ``paddle.mps`` has the functions.
"""

from paddle_trident.version import __version__

__all__ = ["__version__"]
