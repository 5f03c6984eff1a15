"""`python -m tests.clocks`: how `finale validate` judges logs of several machines."""
