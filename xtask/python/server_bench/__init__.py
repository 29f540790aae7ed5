"""`cargo xtask bench server`: `trident serve` beside the Triton Inference Server."""
