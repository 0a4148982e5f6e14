"""What 41 and 400 bring to bots."""
