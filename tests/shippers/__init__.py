"""`python -m tests.shippers`: how `finale validate` judges logs that a shipper has damaged."""
