"""The full-screen client: what happened and what is seen, drawn as text, and keys read back."""
