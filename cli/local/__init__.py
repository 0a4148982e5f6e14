"""What a seat on this machine uses: its tables on the disk, its broker, its bots."""
