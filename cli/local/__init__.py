"""What a seat on this machine needs beside itself: its tables, its broker, its bots."""
