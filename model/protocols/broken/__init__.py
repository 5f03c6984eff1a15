"""One mistake a file, planted or historical, as an override of a protocol; each names what must fall."""
