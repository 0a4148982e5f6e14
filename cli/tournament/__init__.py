"""A tournament on this machine: its folder, its way to the others, its bracket, its audit."""
