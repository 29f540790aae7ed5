"""Sequences of requests sent to this server and to the real one; `suite` runs them."""
