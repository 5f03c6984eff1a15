"""The inner loops of the native search. They are compiled once on a machine, for all systems."""
