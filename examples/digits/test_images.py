"""Pictures as they are sent to `trident serve`, against Pillow and the model in ONNX Runtime."""

import io
import json
import os
import pathlib
import shutil
import struct
import tempfile
import unittest
import urllib.error
import urllib.request

import numpy as np
import onnxruntime
from PIL import Image

from classify import HERE, parse, preprocess
from server_suite.server import Server
from train import PREPROCESS

NORMAL = "mean=0.485:0.456:0.406,std=0.229:0.224:0.225"
TYPES = {"FP32": np.float32, "FP64": np.float64, "FP16": np.float16, "UINT8": np.uint8}
# Steps, the type of the output and its dimensions, and how far resized or gray pixels may be off.
CASES = {
    "rgb": (f"rgb,scale=1/255,{NORMAL},layout=nchw", "FP32", [3, -1, -1], 0),
    "exact": (f"size=20x24,rgb,scale=1/255,{NORMAL}", "FP64", [3, 24, 20], 1 / 255 / 0.224),
    "last": ("size=20x24,rgb,scale=1,layout=nhwc", "UINT8", [24, 20, 3], 1),
    "half": ("size=70x64,rgb,scale=1/255,layout=nchw", "FP16", [3, 64, 70], 1 / 255 + 1e-3),
    "gray": ("gray,scale=1,layout=nchw", "FP32", [1, -1, -1], 1),
}
DIGITS = """\
platform: "ensemble"
max_batch_size: 16
input { name: "file" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "probabilities" data_type: TYPE_FP32 dims: [ 10 ] }
ensemble_scheduling {
  step {
    model_name: "pixels" model_version: -1
    input_map { key: "file" value: "file" } output_map { key: "tensor" value: "image" }
  }
  step {
    model_name: "digits" model_version: -1
    input_map { key: "image" value: "image" }
    output_map { key: "probabilities" value: "probabilities" }
  }
}
"""


def images(steps, kind, dims, batch=16):
    """The configuration of a model that decodes pictures."""
    return (
        f'backend: "trident_image" max_batch_size: {batch}\n'
        f'input {{ name: "file" data_type: TYPE_STRING dims: [ 1 ] }}\n'
        f'output {{ name: "tensor" data_type: TYPE_{kind} dims: {dims} }}\n'
        f'parameters {{ key: "steps" value {{ string_value: "{steps}" }} }}\n'
    )


def encoded(picture, **options):
    file = io.BytesIO()
    picture.save(file, **options)
    return file.getvalue()


class Images(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.models = folder / "models"
        for name, (steps, kind, dims, _) in CASES.items():
            cls.add(name, images(steps, kind, dims))
        cls.add("pixels", images(PREPROCESS, "FP32", [1, 8, 8]))
        cls.add("digits", 'backend: "trident" max_batch_size: 16 dynamic_batching { }')
        shutil.copyfile(HERE / "digits.onnx", cls.models / "digits/1/model.onnx")
        cls.add("classify", DIGITS)
        server = Server(os.environ["TRIDENT"], cls.models, folder / "log")
        cls.server = cls.enterClassContext(server)

    @classmethod
    def add(cls, name, configuration):
        (cls.models / name / "1").mkdir(parents=True)
        (cls.models / name / "config.pbtxt").write_text(configuration)

    def infer(self, model, files, output, kind):
        """The output for some files, or the error."""
        data = b"".join(struct.pack("<I", len(file)) + file for file in files)
        tensor = {"name": "file", "datatype": "BYTES", "shape": [len(files), 1]}
        tensor["parameters"] = {"binary_data_size": len(data)}
        asked = {"name": output, "parameters": {"binary_data": True}}
        head = json.dumps({"inputs": [tensor], "outputs": [asked]}).encode()
        headers = {"Inference-Header-Content-Length": str(len(head))}
        url = f"http://{self.server.places['HTTP']}/v2/models/{model}/infer"
        request = urllib.request.Request(url, head + data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                length = int(response.headers["Inference-Header-Content-Length"])
                body = response.read()
        except urllib.error.HTTPError as error:
            return json.load(error)["error"]
        [answer] = json.loads(body[:length])["outputs"]
        return np.frombuffer(body[length:], TYPES[kind]).reshape(answer["shape"])

    def test_tensors_are_those_of_pillow(self):
        rng = np.random.default_rng(0)
        pictures = [Image.fromarray(rng.integers(0, 256, (40, 50, 3), np.uint8)) for _ in range(3)]
        files = [encoded(picture, format="PNG") for picture in pictures]
        for name, (steps, kind, _, difference) in CASES.items():
            with self.subTest(steps=steps, kind=kind):
                expected = np.concatenate([preprocess(each, parse(steps)) for each in pictures])
                result = self.infer(name, files, "tensor", kind).astype(np.float64)
                self.assertEqual(result.shape, expected.shape)
                np.testing.assert_allclose(result, expected, rtol=1e-6, atol=difference + 1e-9)

    def test_photographs_are_turned_as_their_exif_data_say(self):
        picture = Image.linear_gradient("L").resize((64, 48)).convert("RGB")
        exif = Image.Exif()
        exif[0x0112] = 6
        file = encoded(picture, format="JPEG", quality=95, exif=exif)
        result = self.infer("gray", [file], "tensor", "FP32")
        expected = preprocess(Image.open(io.BytesIO(file)), parse("gray,scale=1,layout=nchw"))
        self.assertEqual(result.shape, (1, 1, 64, 48))
        np.testing.assert_allclose(result, expected, rtol=0, atol=2)

    def test_files_become_probabilities(self):
        files = [(HERE / f"{digit}.png").read_bytes() for digit in range(10)]
        result = self.infer("classify", files, "probabilities", "FP32")
        pixels = [preprocess(Image.open(io.BytesIO(file)), parse(PREPROCESS)) for file in files]
        session = onnxruntime.InferenceSession(
            HERE / "digits.onnx", providers=["CPUExecutionProvider"]
        )
        [expected] = session.run(None, {"image": np.concatenate(pixels)})
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-7)
        self.assertEqual(result.argmax(axis=1).tolist(), list(range(10)))

    def test_files_that_do_not_fit_are_named(self):
        square, wide = (encoded(Image.new("RGB", size), format="PNG") for size in ((8, 8), (9, 8)))
        error = self.infer("exact", [square, b"no picture"], "tensor", "FP64")
        self.assertIn("element 1 of input 'file'", error)
        error = self.infer("rgb", [square, wide], "tensor", "FP32")
        self.assertIn("[3, 8, 9], and those before it [3, 8, 8]", error)


if __name__ == "__main__":
    unittest.main()
