"""Pages of many sizes in turn, as a server of documents gets them: does the memory grow?"""

import random

from paddle_suite import trained

from . import TRIDENT
from .process import Process

MODEL = "PP-OCRv5 detector"
COUNT, SETTLED = 500, 50  # pages, and those after which the memory must not grow
STEP, LEAST, MOST = 32, 3, 27  # heights and widths, in steps


def sizes(count=COUNT, settled=SETTLED):
    """`count` different shapes [1, 3, H, W] in a random order, which is always the same.

    The largest page is among the first `settled`: a page larger than all before may take memory.
    """
    chance = random.Random(31)
    steps = range(LEAST, MOST + 1)
    found = [[1, 3, high * STEP, wide * STEP] for high in steps for wide in steps]
    found = chance.sample(found, count)
    largest = max(range(count), key=lambda page: found[page][2] * found[page][3])
    place = chance.randrange(min(settled, count))
    found[largest], found[place] = found[place], found[largest]
    return found


def growth(rows, settled=SETTLED):
    """The largest memory after the first `settled` pages ÷ the largest before."""
    before = max(row["resident"] for row in rows[:settled])
    return max(row["resident"] for row in rows[settled:]) / before


def measure(threads):
    """Rows of all pages on Trident."""
    (entry,) = [entry for entry in trained.listed() if entry["name"] == MODEL]
    model = trained.path(entry)
    with Process(TRIDENT, "", model, threads) as process:
        return process.pages("x", sizes())
