"""The rule language: how plain Python becomes decision trees. `finale.rules` is its public face."""
