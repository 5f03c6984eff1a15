"""What searches that list all states share: questions, fair runs, verdicts. It searches nothing."""
