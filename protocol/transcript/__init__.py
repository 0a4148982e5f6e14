"""Transcripts, and their audit by a stranger who has nothing but the file."""
