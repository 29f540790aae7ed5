"""Print the folder of the suite's generated cases, for programs of other environments."""

import os

from .generate import cached_cases

if __name__ == "__main__":
    print(cached_cases(os.environ["TRIDENT_CACHE"]))
