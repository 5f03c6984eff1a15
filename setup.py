"""Refuse to build from a checkout without links; pyproject.toml says everything else."""

import runpy

from setuptools import setup

runpy.run_path("packaging/links.py")
setup()
