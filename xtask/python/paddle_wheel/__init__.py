"""Makes the wheel `paddle-trident` of the built plug-in and its Python modules."""
