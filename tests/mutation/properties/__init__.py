"""Properties that are weakened, one place at a time: some spec that expects a fall must notice."""
