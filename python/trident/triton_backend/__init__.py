"""Trident as a back end of the ``triton`` package, which finds it by its entry points.

``triton`` imports ``compiler`` and ``driver`` while it is imported itself, and takes the one class
of each that implements its interface. Only what can be changed once ``triton`` is complete is in
``extensions``.

The entry ``cpu`` leads here, the entry ``trident`` to ``named``, which answers to that name alone.
"""
