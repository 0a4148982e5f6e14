"""What stays on this machine: places, journals, the identity and the known peers."""
