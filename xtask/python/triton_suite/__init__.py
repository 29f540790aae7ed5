"""Upstream Triton's own tests: run them on a device in worker processes, judge, report."""
