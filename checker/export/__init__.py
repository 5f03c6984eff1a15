"""Systems as TLA+ and Promela, for an outside opinion: TLC and SPIN count and judge the same."""
