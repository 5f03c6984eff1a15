"""What do verdicts depend on?

Given a spec and what may differ (options, bounds, the job, the release), this room checks each
variation and hands on how the verdicts differ. Start with `which.py`. `across_releases.py` compares
releases, `bug_pairs.py` compares a bug with its fix, `decisive.py` finds the steps that make a
violation inevitable, and `recording.py` writes exact counts into a spec.
"""
