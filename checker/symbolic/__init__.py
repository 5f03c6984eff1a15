"""What a solver says of a system: z3, and nothing that lists states."""
