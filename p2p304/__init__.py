"""The games as a library: what a move must prove, who learns what from it; bots; tournaments."""
