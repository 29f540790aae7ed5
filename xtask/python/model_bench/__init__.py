"""Whole models, side by side with other engines: one process each, interleaved, medians."""
