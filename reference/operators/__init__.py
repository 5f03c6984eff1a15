"""What tasks do with records: sources, transformations, sinks. `base` says what each must offer."""
