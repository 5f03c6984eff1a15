"""All questions about a protocol, one room each.

- `spec`: what does a spec claim, and which system does it mean?
- `search`: which states can the system reach, and what holds in them?
- `proofs`: what holds without listing states, or for all jobs, or without bounds?
- `studies`: what do verdicts depend on: options, bounds, releases?
- `logs`: is what a log tells a run of the protocol, and does it keep the properties?
- `simulation`: what happens on random runs, or on one that somebody chooses?
- `conformance`: does the engine of `reference/` do what the protocol says?
- `scenario`: what does one part of a protocol answer to one stimulus after the other?
- `export`: how does the same system read in TLA+ and in Promela?
- `report`: how is an answer shown?
- `page`: how does an answer become one HTML file that anybody can open?

A room uses the rooms below it: `page` and `ci`, then `report`, then `studies`, `simulation` and
`conformance`, then the others, then `search` and `spec`.
"""
