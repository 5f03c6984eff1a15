"""What all searches that list states share: questions, fair runs and verdicts, but no search."""
