"""One mistake a file, as a small override of a protocol; each names the property that must fall."""
