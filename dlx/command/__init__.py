"""The command `dlx`, and the names that commands of other packages share with it: output, the progress line, Ctrl-C."""

from dlx.command.shared import *  # noqa: F403
from dlx.command.shared import __all__ as __all__
