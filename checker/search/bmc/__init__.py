"""What a solver says of a system, and of all jobs: z3, and nothing that lists states."""
