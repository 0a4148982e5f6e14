"""304 for four, six or eight seats, under every profile and house rule."""
