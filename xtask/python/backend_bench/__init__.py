"""Served models beside other backends of the same server: its processor time for each request."""
