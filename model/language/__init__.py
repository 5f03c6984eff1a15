"""The rule language: how plain Python becomes decision trees. `model.rules` is its public face."""
