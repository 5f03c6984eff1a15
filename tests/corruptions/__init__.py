"""`python -m tests.corruptions`: how `finale validate --accept` judges corrupted logs."""
