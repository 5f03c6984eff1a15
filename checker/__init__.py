"""Questions about systems and their answers: searches, solvers, exports, and what is shown."""
