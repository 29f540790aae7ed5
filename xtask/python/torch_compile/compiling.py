"""How functions are compiled."""

import os

import torch
import torch._dynamo
import torch._inductor.config as inductor


def prepare(folder):
    """Settings of the process: compile in it, with caches of its own below `folder`."""
    inductor.compile_threads = 1
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(folder, "inductor")
    os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")


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
