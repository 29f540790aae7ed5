"""The tables of the functions under torch.compile."""

import unittest

from torch_compile import report


def row(function="softmax", threads=1, ours=1e-3, cpp=2e-3, eager=8e-3):
    base = {"function": function, "type": "float32", "direction": "forward", "threads": threads}
    return base | {"ours": ours, "cpp": cpp, "eager": eager}


class Tables(unittest.TestCase):
    def test_ratio_above_one_is_faster(self):
        self.assertEqual(report.ratio(row(), "cpp"), 2)
        self.assertEqual(report.ratio(row(), "eager"), 8)

    def test_means_are_by_threads_and_leave_out_what_has_no_figure(self):
        rows = [row(), row("norm", cpp=8e-3, eager=5e-4), row(threads=2)]
        rows.append({"function": "sort", "threads": 2, "error": "no"})
        first, second = report.means(rows)
        self.assertIn("1 thread, geometric mean of 2", first)
        self.assertIn("C++ back end 4.00, eager 2.00", first)
        self.assertIn("2 threads, geometric mean of 1", second)

    def test_markdown(self):
        rows = [row(), {"function": "sort", "threads": 2, "error": "no a|b"}]
        text = report.markdown(rows, {"PyTorch": "1"})
        self.assertIn("PyTorch 1.", text)
        self.assertIn(
            "| softmax | float32 | forward | 1 | 1.00 | 2.00 | 8.00 | 2.00 | 8.00 |", text
        )
        self.assertIn("| sort | no a\\|b | | 2 |", text)


if __name__ == "__main__":
    unittest.main()
