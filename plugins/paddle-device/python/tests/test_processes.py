"""Starts and exits, children, and what the package costs programs without Paddle."""

import statistics
import unittest

from programs import run

CHILDREN = """
import multiprocessing, os
import paddle

def work(answers):
    x = paddle.ones([64, 64], place="mps")
    answers.put(float((x @ x + x).sum()))

if __name__ == "__main__":
    x = paddle.ones([64, 64], place="mps")
    print(float((x @ x).sum()))
    child = os.fork()
    if child == 0:
        os._exit(0 if float((x @ x + x).sum()) == 64 * 64 * 65 else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=work, args=(answers,))
    process.start()
    print(answers.get(timeout=60))
    process.join()
    print(process.exitcode, float((x @ x).sum()))
"""

SPAWNED = """
import pathlib, subprocess, sys
pathlib.Path("program.py").write_text('''
import multiprocessing
import paddle

def work(x):
    return float((paddle.ones([x, x], place="mps") @ paddle.ones([x, x], place="mps")).sum())

if __name__ == "__main__":
    paddle.mps.set_device(0)
    pool = multiprocessing.get_context("spawn").Pool(1)
    print(pool.map(work, [2, 8]))
    pool.close()
    pool.join()
''')
print(subprocess.run([sys.executable, "program.py"], capture_output=True, text=True).stdout)
"""

COST = """
import io, site, sys, time
line = open(site.getsitepackages()[0] + "/trident-paddle.pth").read()
sys.meta_path = [f for f in sys.meta_path if type(f).__name__ != "TridentPaddle"]
known = set(sys.modules)
start = time.perf_counter()
exec(line)
print(time.perf_counter() - start, sorted(set(sys.modules) - known))
"""


class Processes(unittest.TestCase):
    def test_forked_children_work(self):
        expected = [str(64.0**3), "0", str(64.0 * 64 * 65), f"0 {64.0**3}"]
        self.assertEqual(run(CHILDREN).splitlines(), expected)

    def test_spawned_children_work(self):
        self.assertEqual(run(SPAWNED).strip(), "[8.0, 512.0]")

    def test_exits_are_clean(self):
        for end in ("", "sys.exit(0)", "os._exit(0)", "del x; paddle.mps.empty_cache()"):
            program = f"import os, sys, paddle; x = paddle.ones([8], place='mps') * 2; {end}"
            run(program)

    def test_starts_without_paddle_cost_little(self):
        # Half a millisecond is allowed; the machine may be busy, so the median counts.
        lines = [run(COST).split(maxsplit=1) for _ in range(9)]
        self.assertLess(statistics.median(float(seconds) for seconds, _ in lines), 500e-6)
        self.assertEqual({modules for _, modules in lines}, {"[]\n"})

    def test_the_finder_is_there_once_and_leaves(self):
        program = """
            import sys
            names = lambda: [type(f).__name__ for f in sys.meta_path].count("TridentPaddle")
            before = names()
            import paddle
            print(before, names())
        """
        self.assertEqual(run(program), "1 0\n")


if __name__ == "__main__":
    unittest.main()
