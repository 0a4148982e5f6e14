"""304 for four seats, under every profile and house rule."""
