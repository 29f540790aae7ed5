"""Paddle's models on Trident, beside Paddle itself: `cargo xtask conformance paddle`."""
