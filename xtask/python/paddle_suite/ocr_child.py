"""PaddleOCR over a folder of pictures: `python -m paddle_suite.ocr_child ENGINE MODELS PICTURES`.

Prints JSON: for each picture a line with its name and its texts, in the order of PaddleOCR, then a
line that says whether Paddle was imported. The engine `trident` must have been registered by the
line in site-packages.
"""

import importlib.util
import json
import os
import pathlib
import site
import sys


def pipeline(engine, models):
    from paddleocr import PaddleOCR, _common_args

    if engine == "onnxruntime" and engine not in _common_args.SUPPORTED_INFERENCE_ENGINE_LIST:
        # PaddleX has this engine before PaddleOCR accepts its name.
        _common_args.SUPPORTED_INFERENCE_ENGINE_LIST.append(engine)
    return PaddleOCR(
        engine=engine,
        text_detection_model_name="PP-OCRv5_mobile_det",
        text_detection_model_dir=f"{models}/PP-OCRv5_mobile_det",
        text_recognition_model_name="PP-OCRv5_mobile_rec",
        text_recognition_model_dir=f"{models}/PP-OCRv5_mobile_rec",
        use_doc_orientation_classify=False,
        use_doc_unwarping=False,
        use_textline_orientation=False,
    )


def main():
    engine, models, pictures = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if engine == "trident":
        package = pathlib.Path(importlib.util.find_spec("trident").origin).parents[1]
        site.addsitedir(str(package))
    ocr = pipeline(engine, models)
    for file in sorted(pathlib.Path(pictures).glob("*.png")):
        (result,) = ocr.predict(str(file))
        print(json.dumps([file.stem, list(result["rec_texts"])]), file=answers, flush=True)
    print(json.dumps("paddle" in sys.modules), file=answers)


if __name__ == "__main__":
    main()
