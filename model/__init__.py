"""What a protocol is: rules, systems, their meaning, jobs and traces. Standard library only."""
