"""The best covers, with a proof."""
