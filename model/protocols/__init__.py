"""One file a protocol, each reading like the text that it cites in its first lines."""
