"""The back end under its own name, ``TRITON_DEFAULT_BACKEND=trident``.

Triton counts the active drivers, and the compilers of a target, over all entries and wants one
each, so two entries must not hold the same classes. Those here are active only when asked for by
name, and make objects of the classes of the entry ``cpu``.
"""
