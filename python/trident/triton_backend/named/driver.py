"""The driver of the entry ``trident``."""

import os

from trident.triton_backend import driver, settings


class NamedDriver(driver.TridentDriver):
    """Chosen by name alone; calling it makes the driver of the entry ``cpu``."""

    def __new__(cls) -> driver.TridentDriver:
        return driver.TridentDriver()

    @classmethod
    def is_active(cls) -> bool:
        """Where the environment names it."""
        chosen = os.environ.get(settings.CHOICE)
        return chosen in settings.ENTRIES and chosen != settings.ENTRY
