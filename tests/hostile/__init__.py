"""Bad inputs by kind, what becomes of each, and the page that tells it."""
