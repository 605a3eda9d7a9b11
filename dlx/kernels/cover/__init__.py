"""All covers: Algorithm X on dancing links, on bit masks, and on sparse sets."""
