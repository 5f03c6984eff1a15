"""The families of properties, each against a view of the state that protocols implement."""
