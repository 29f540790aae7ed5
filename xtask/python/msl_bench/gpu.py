"""Kernels in PTX on an NVIDIA GPU, by the driver's own interface."""

import ctypes

import torch

REGISTERS = 4  # CU_FUNC_ATTRIBUTE_NUM_REGS
ERROR_LOG, ERROR_LOG_BYTES = 5, 6  # CU_JIT_ERROR_LOG_BUFFER and its size

driver = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(driver, name)(*arguments)
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorName(status, ctypes.byref(text))
        raise RuntimeError(f"{name}: {text.value.decode()}")


class Kernel:
    """An entry of a PTX text."""

    def __init__(self, text, entry, threads):
        torch.empty(1, device="cuda")  # makes the context
        self.threads = threads
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        log = ctypes.create_string_buffer(1 << 14)
        names = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            call("cuModuleLoadDataEx", ctypes.byref(self.module), text.encode(), 2, names, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error}: {log.value.decode()}") from None
        entry = entry.encode()
        call("cuModuleGetFunction", ctypes.byref(self.function), self.module, entry)

    def registers(self):
        count = ctypes.c_int()
        call("cuFuncGetAttribute", ctypes.byref(count), REGISTERS, self.function)
        return count.value

    def launch(self, programs, arguments):
        """A call that launches the kernel: with addresses of tensors, then all numbers at once."""
        tensors = [given for given in arguments if isinstance(given, torch.Tensor)]
        numbers = [given for given in arguments if not isinstance(given, torch.Tensor)]
        kinds = [ctypes.c_float if isinstance(given, float) else ctypes.c_int for given in numbers]
        fields = [(f"field{i}", kind) for i, kind in enumerate(kinds)]
        scalars = type("Scalars", (ctypes.Structure,), {"_fields_": fields})(*numbers)
        values = [ctypes.c_void_p(tensor.data_ptr()) for tensor in tensors]
        values += [scalars] if numbers else []
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

        def run(keep=(tensors, values)):
            call(
                "cuLaunchKernel", self.function, *programs, 1, self.threads, 1, 1, 0, stream,
                pointers, None,
            )  # fmt: skip

        return run
