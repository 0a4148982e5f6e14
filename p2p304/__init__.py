"""The rules of 304 as a library: what every move must prove, and who learns what from it."""
