"""A native search that is spread over processes and machines, level by level, through files."""
