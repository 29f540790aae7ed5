"""How functions are compiled."""

import os

import torch
import torch._dynamo
import torch._inductor.config as inductor
from torch._inductor.async_compile import AsyncCompile


def prepare(folder, workers=False):
    """Settings of the process: caches of its own below `folder`, and whether kernels are compiled
    by Inductor's worker processes, as they are by default, or in the process itself."""
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
    inductor.compile_threads = 2 if workers else 1
    if workers:
        # Until they are there Inductor compiles in the process.
        AsyncCompile.wakeup()
        AsyncCompile.wait_pool_ready()


def compiled(case, *backends):
    """The case's function by Inductor, once with each of these back ends for the CPU.

    The first axis of the first argument is dynamic where the case has several sizes.
    """
    torch.compiler.reset()
    return [_compiled(case, backend) for backend in backends]


def _compiled(case, backend):
    function = torch.compile(case.function, fullgraph=True, options={"cpu_backend": backend})
    if not case.dynamic:
        return function

    def marked(x, *others):
        torch._dynamo.mark_dynamic(x, 0)
        return function(x, *others)

    return marked
