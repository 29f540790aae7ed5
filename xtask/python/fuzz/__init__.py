"""Mutated models and tensors: an engine must answer each with a result or an error."""
