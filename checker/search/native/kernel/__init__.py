"""The inner loops of the native search, compiled once a machine. They know no system."""
