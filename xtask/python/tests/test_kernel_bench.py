"""The bars and tables of the kernel benchmark."""

import unittest

from kernel_bench import report


def row(op="add", size="memory", threads=1, ours=1e-3, peer=2e-3, **more):
    base = {"op": op, "size": size, "shape": "n", "threads": threads}
    return base | {"ours": ours, "peer": peer, "bytes": 9 * 10**6, "flops": 0} | more


LATENCY = {
    "compile_ms": {"vector add": 5.0, "softmax": 11.0, "matmul": 1.0, "attention": 1.0},
    "disk_ms": {"vector add": 1.5, "softmax": 2.5, "matmul": 2.0, "attention": 2.0},
    "launch": {"jit_us": 15.0, "compiled_us": 6.1},
}


class Bars(unittest.TestCase):
    def met(self, rows, latency=None):
        return {what: met for what, _, _, met in report.bars(rows, latency)}

    def test_ratio_above_one_is_faster(self):
        self.assertEqual(report.ratio(row()), 2)
        self.assertEqual(report.geometric_mean([1, 4]), 2)

    def test_slowest_case_and_mean(self):
        met = self.met([row(), row("mul", ours=4e-3)])
        self.assertEqual(
            met,
            {"geometric mean of 2": False, "slowest: mul, memory, 1 thread": False},
        )

    def test_machine_figures(self):
        rows = [
            row(copy=10e9),
            row("softmax", copy=11e9),
            row("matmul", "L3", flops=10**9, gemm_crate=1.1e12),
        ]
        met = self.met(rows)
        self.assertTrue(met["add in memory ÷ copy, 1 thread"])
        self.assertFalse(met["softmax in memory ÷ copy, 1 thread"])
        self.assertTrue(met["matmul 1024³ ÷ gemm crate, 1 thread"])

    def test_latency(self):
        met = self.met([], LATENCY)
        self.assertEqual([met[f"compile {name}, ms"] for name in LATENCY["compile_ms"]],
                         [True, False, True, True])  # fmt: skip
        disk = [met[f"{name} from the disk in another process, ms"] for name in LATENCY["disk_ms"]]
        self.assertEqual(disk, [True, False, True, True])
        self.assertTrue(met["launch, jit, µs"])
        self.assertFalse(met["launch, compiled, µs"])

    def test_summary_has_a_mean_for_each_op_and_number_of_threads(self):
        rows = [row(), row(size="L2", peer=8e-3), row(threads=2, peer=5e-4), row("mul")]
        rows += [row("mul", threads=2), {"op": "exp", "size": "L2", "threads": 1, "error": "no"}]
        lines = list(report.summary(rows))
        self.assertIn("over 5 configurations", lines[0])
        self.assertIn("The lowest ratio is 0.50: add, memory, 2 threads", lines[0])
        self.assertEqual(lines[-2:], ["| add | 4.00 | 0.50 |", "| mul | 2.00 | 2.00 |"])
        self.assertEqual(list(report.summary(rows[-1:])), [])

    def test_bounds_are_ratios_for_each_number_of_threads(self):
        rows = [
            {"kernel": "add", "threads": n, "checked": 1.5 * n, "unchecked": 1.0} for n in (1, 2)
        ]
        lines = list(report.bounds_table(rows))
        self.assertEqual(lines[0], "| kernel | 1 thread | 2 threads |")
        self.assertEqual(lines[2:], ["| add | 1.50 | 3.00 |"])

    def test_a_case_without_figures_is_shown_and_not_scored(self):
        rows = [row(), {"op": "exp", "size": "L2", "threads": 1, "error": "no a|b"}]
        text = report.markdown(rows, None, {"PyTorch": "1"})
        self.assertIn("no a\\|b", text)
        self.assertIn("Geometric mean: 2.00", text)


if __name__ == "__main__":
    unittest.main()
