"""The backend library in a real Triton Inference Server: what it must answer and survive."""
