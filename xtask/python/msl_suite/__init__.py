"""Kernels on the emulated Metal device, every access checked."""
