"""The table of operators that the exporter reads."""

import unittest

import onnx

from onnx_suite import operators


class Table(unittest.TestCase):
    def test_it_is_what_the_package_says(self):
        text = operators.TABLE.read_text()
        self.assertIn(f"package onnx {onnx.__version__}.", text)
        self.assertEqual(operators.table(), text, "python -m onnx_suite.operators --bless")

    def test_element_types_have_the_names_of_the_op_table(self):
        names = [("tensor(uint8)", "u8"), ("tensor(int16)", "i16"), ("tensor(bool)", "bool")]
        names += [("tensor(float8e4m3fn)", "f8e4m3fn"), ("tensor(double)", "f64")]
        names += [("seq(tensor(float))", "seq"), ("optional(seq(tensor(int8)))", "optional")]
        for text, name in names:
            self.assertEqual(operators.element(text), name)


if __name__ == "__main__":
    unittest.main()
