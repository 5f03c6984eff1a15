"""The native search, spread over processes and machines: level by level, through files."""
