"""The second opinion: a search that runs the rules themselves, as Python, on plain values."""
