"""The table of the benchmark."""

import math
import statistics


def table(rows):
    lines = [
        f"{'subject':16} {'peer':8} {'CPU us/request':>15} {'peer':>9} {'ratio':>6} {'bar':>5} "
        f"{'requests/s':>11} {'peer':>8} {'p50 us':>8} {'peer':>8}"
    ]
    for row in rows:
        ours, theirs = row["ours"], row["theirs"]
        lines.append(
            f"{row['subject']:16} {row['peer']:8} {ours['cpu_us']:15.1f} {theirs['cpu_us']:9.1f} "
            f"{row['ratio']:6.2f} {row['bar']:5.2f} {rate(ours):11.0f} {rate(theirs):8.0f} "
            f"{ours['p50_us']:8.0f} {theirs['p50_us']:8.0f}"
            f"{'' if row['ratio'] <= row['bar'] else '  above the bar'}"
        )
    return lines


def rate(told):
    return told["requests"] / told["seconds"]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))
