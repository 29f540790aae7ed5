"""The version of the package, which ``cargo xtask wheel paddle`` writes."""

__version__ = "0"
