"""The full screen, drawn from the scenes of any game."""
