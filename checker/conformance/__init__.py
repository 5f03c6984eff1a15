"""Model against engine: the same steps are enabled, and lead to states that look the same."""
