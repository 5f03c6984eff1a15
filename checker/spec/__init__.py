"""What does a spec claim, and which system does it mean?

Given a TOML file and the catalogue of protocols, this room hands on a `Spec`: a protocol in a
setting, what is expected of it, and the system to search. Mistakes are coded errors with file, line
and key. Start with `claim.py` (what a spec is), then `reading.py` (how it is read).
"""
