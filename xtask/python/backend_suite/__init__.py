"""The backend library in a real Triton Inference Server: what it must answer and survive."""

import os

# Programs are started while gRPC has threads: its handlers of forks would end them.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
