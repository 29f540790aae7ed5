"""Times of calls that take turns of about TURN seconds.

Threads of OpenMP go on spinning for some milliseconds after their work and take the core from the
other's, and a system takes a while to give an idle core back. So a turn begins with a pause, and
with calls for WARM seconds that are not counted. A figure is the median over the turns of the time
per call.
"""

import statistics
import time

TURN, PAUSE, WARM = 0.02, 0.004, 0.01


def turn(call, calls):
    """Seconds per call, of this many calls after those that are not counted."""
    time.sleep(PAUSE)
    end = time.perf_counter() + WARM
    call()
    while time.perf_counter() < end:
        call()
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) / calls


def interleaved(calls, rounds):
    """Median seconds per call of each."""
    repeats = [max(1, round(TURN / max(turn(call, 1), 1e-7))) for call in calls]
    times = [[] for _ in calls]
    for k in range(rounds):
        order = range(len(calls)) if k % 2 else reversed(range(len(calls)))
        for i in order:
            times[i].append(turn(calls[i], repeats[i]))
    return [statistics.median(record) for record in times]
