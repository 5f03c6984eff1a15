"""Barriers: the gates that align, count or log them, and barriers that overtake records."""
