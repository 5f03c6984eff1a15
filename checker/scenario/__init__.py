"""What does one part of a protocol answer to one stimulus after the other?

Given a scenario file, `running.py` does what each line says and hands on what was seen beside what
is expected. Start with `reading.py` (what a scenario is) and `bench.py` (what a bench offers);
`benches` has one bench for each part.
"""
