"""Triton kernels on Trident beside PyTorch eager, in one process and in turns."""
