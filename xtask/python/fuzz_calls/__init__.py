"""Mutated sequences of calls of ``trident.Model`` and ``trident.onnxruntime``.

A call gives the numbers that NumPy gives, or raises an exception of a documented class.
"""
