"""The table of Metal programs on an NVIDIA GPU, and its bars."""

import unittest

from msl_bench import report


def row(case, ours, triton, flops=0):
    times = {"ours_ms": ours, "triton_ms": triton}
    return {"case": case, "bytes": 1 << 30, "flops": flops, "error": 1e-7} | times


def facts(*rows):
    return {"device": "a GPU", "triton": "1", "rounds": 100, "rows": rows}


class Bars(unittest.TestCase):
    def test_kernels_that_memory_bounds(self):
        fine = facts(row("add", 1.0, 1.0), row("sum", 1.1, 1.0))
        self.assertEqual(report.problems(fine), [])
        self.assertAlmostEqual(report.mean(fine), (1 / 1.1) ** 0.5)
        slow = facts(row("add", 1.0, 0.79), row("sum", 1.0, 1.0))
        found = report.problems(slow)
        self.assertEqual(len(found), 2)
        self.assertIn("add: 0.79 is below 0.8", found[0])

    def test_products(self):
        add, flops = row("add", 1.0, 1.0), 2 * 4096**3
        fast = facts(add, row("matmul f16", flops / 60e9, 0.2, flops))
        self.assertEqual(report.problems(fast), [])
        slow = facts(add, row("matmul f16", flops / 50e9, 0.2, flops))
        self.assertIn("50.0 TFLOP/s", report.problems(slow)[0])
        pair = row("attention f16", 1.0, 1.0, 1), row("attention f16, no matrices", 2.0, 1.0, 1)
        self.assertIn("gain 2.00", report.problems(facts(add, *pair))[0])

    def test_table(self):
        lines = report.table(facts(row("add", 1.0, 1.0), row("matmul f16", 1.0, 0.5, 10**12)))
        self.assertIn("| add | 1,000.0 | 1,000.0 | 1,074 GB/s | 1,074 GB/s | 1.00 | 1e-07 |", lines)
        self.assertIn("1,000.0 TFLOP/s | 2,000.0 TFLOP/s | 0.50", "\n".join(lines))


if __name__ == "__main__":
    unittest.main()
