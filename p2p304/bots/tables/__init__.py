"""What bots have learned from their own play, as literals that commands write."""
