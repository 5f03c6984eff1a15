"""What do verdicts depend on?

Given a spec and what may differ (options, bounds, the job, the release), this room checks each
variation and hands on how the verdicts differ. Start with `which.py`. `larger.py` repeats verdicts
with larger bounds, `across_releases.py` compares releases, `fixes.py` holds a bug against its fix,
and `recording.py` writes exact counts into a spec.
"""
