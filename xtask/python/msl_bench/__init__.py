"""Our Metal programs on an NVIDIA GPU beside Triton's own code: for measurement only."""
