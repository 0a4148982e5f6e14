"""What 304 brings to bots: its auction, what is believed of cards, how it is played."""
