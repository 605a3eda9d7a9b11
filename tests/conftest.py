"""Hypothesis draws new examples in every run, but for continuous integration, where a failure must come again."""

import os

from hypothesis import settings

settings.register_profile("dancing-cover", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("dancing-cover")
