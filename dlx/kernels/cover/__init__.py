"""All covers: Algorithm X on dancing links and on bit masks, and with multiplicities."""
