"""The second opinion: a search that runs the rules themselves, on plain values."""
