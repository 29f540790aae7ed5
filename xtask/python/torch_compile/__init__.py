"""`torch.compile` with Inductor's Triton back end on Trident: is it right, and how fast is it?"""

import pathlib
import sys

# The transformer block is the example's.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "examples/torch_compile"))
