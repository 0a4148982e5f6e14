"""Transcripts, and the judgement of a stranger who has nothing but the file."""
