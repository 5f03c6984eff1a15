"""The cache: what it keeps, and that its keys are right."""
