"""The functions of `paddle.mps`, and what `paddle` itself has for the device."""

import unittest

import numpy as np
import paddle
import paddle.mps


class Devices(unittest.TestCase):
    def setUp(self):
        paddle.mps.set_device(0)

    def test_the_device_is_there(self):
        self.assertTrue(paddle.is_compiled_with_mps())
        self.assertTrue(paddle.mps.is_available())
        self.assertEqual(paddle.mps.device_count(), 1)
        self.assertIsNone(paddle.mps.why())

    def test_devices_are_numbers_texts_and_places(self):
        tensor = paddle.ones([2])
        for device in (0, "mps", "mps:0", paddle.MPSPlace(0), tensor.place, None):
            paddle.device.set_device("cpu")
            paddle.mps.set_device(device)
            self.assertEqual(paddle.device.get_device(), "mps:0")
            self.assertEqual(paddle.mps.current_device(), 0)
            paddle.mps.synchronize(device)

    def test_places_are_paddles_own(self):
        place = paddle.MPSPlace(0)
        self.assertEqual((str(place), place.get_device_id()), ("Place(mps:0)", 0))
        self.assertIsInstance(place, paddle.MPSPlace)
        self.assertIsInstance(paddle.ones([1]).place, paddle.MPSPlace)
        for other in (paddle.CPUPlace(), paddle.ones([1], place="cpu").place, "mps", 0):
            self.assertNotIsInstance(other, paddle.MPSPlace)

    def test_other_devices_are_errors_with_a_hint(self):
        for device, kind, hint in (
            ("cpu", ValueError, "write `mps` or `mps:0`"),
            ("mps:x", ValueError, "write `mps` or `mps:0`"),
            (1, ValueError, "TRIDENT_DEVICE"),
            (-1, ValueError, "numbered from 0"),
            (True, TypeError, "paddle.MPSPlace"),
            (2.5, TypeError, "paddle.MPSPlace"),
            (paddle.CPUPlace(), TypeError, "paddle.MPSPlace"),
        ):
            for function in (paddle.mps.set_device, paddle.mps.memory_allocated, paddle.MPSPlace):
                with self.assertRaisesRegex(kind, hint):
                    function(device)

    def test_devices_have_names_and_memory(self):
        properties = paddle.mps.get_device_properties("mps:0")
        self.assertEqual(properties.name, paddle.mps.get_device_name())
        self.assertTrue(properties.name)
        self.assertGreater(properties.total_memory, 1 << 28)
        self.assertLessEqual(properties.free_memory, properties.total_memory)


class Memory(unittest.TestCase):
    BYTES = 4 << 20

    def setUp(self):
        paddle.mps.set_device(0)
        paddle.mps.empty_cache()

    def test_tensors_are_counted(self):
        before = paddle.mps.memory_allocated()
        tensor = paddle.ones([1 << 20])
        self.assertEqual(paddle.mps.memory_allocated(0) - before, self.BYTES)
        self.assertGreaterEqual(paddle.mps.memory_reserved(0), self.BYTES)
        del tensor
        self.assertEqual(paddle.mps.memory_allocated(), before)

    def test_maxima_are_reset(self):
        tensor = paddle.ones([1 << 20])
        del tensor
        self.assertGreaterEqual(paddle.mps.max_memory_allocated(), self.BYTES)
        self.assertGreaterEqual(paddle.mps.max_memory_reserved(), self.BYTES)
        paddle.mps.empty_cache()
        paddle.mps.reset_max_memory_allocated()
        paddle.mps.reset_max_memory_reserved()
        self.assertLess(paddle.mps.max_memory_allocated(), self.BYTES)
        self.assertLess(paddle.mps.max_memory_reserved(), self.BYTES)

    def test_unused_memory_is_returned(self):
        free = paddle.mps.get_device_properties().free_memory
        tensor = paddle.ones([1 << 20])
        kept = paddle.mps.memory_reserved()
        del tensor
        self.assertEqual(paddle.mps.memory_reserved(), kept)
        paddle.mps.empty_cache()
        self.assertLessEqual(paddle.mps.memory_reserved(), kept - self.BYTES)
        self.assertGreaterEqual(paddle.mps.get_device_properties().free_memory, free)

    def test_kernels_are_compiled_again_after_emptying(self):
        values = np.arange(6, dtype=np.float32)
        for _ in range(2):
            found = paddle.tanh(paddle.to_tensor(values, place="mps")).numpy()
            np.testing.assert_allclose(found, np.tanh(values), rtol=1e-6)
            paddle.mps.empty_cache()


class Kernels(unittest.TestCase):
    def test_calls_are_counted(self):
        before = paddle.mps.kernels()["add"]
        tensor = paddle.ones([3], place="mps")
        self.assertEqual((tensor + tensor).tolist(), [2, 2, 2])
        after = paddle.mps.kernels()["add"]
        self.assertEqual(after.calls, before.calls + 1)
        self.assertIn("bf16", after.dtypes)

    def test_there_are_at_least_200(self):
        kernels = paddle.mps.kernels()
        self.assertGreaterEqual(len(kernels), 200)
        self.assertTrue(all(kernel.dtypes for kernel in kernels.values()))

    def test_a_kernel_that_is_missing_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "erfinv"):
            paddle.erfinv(paddle.zeros([3], place="mps"))


class Streams(unittest.TestCase):
    def test_events_pass(self):
        paddle.mps.set_device(0)
        stream, event = paddle.mps.Stream(), paddle.mps.Event("mps:0")
        event.record(stream)
        event.record()
        self.assertTrue(event.query() and stream.query())
        event.synchronize()
        stream.wait_event(event)
        stream.synchronize()
        with self.assertRaisesRegex(ValueError, "mps:0"):
            paddle.mps.Stream("cpu")


if __name__ == "__main__":
    unittest.main()
