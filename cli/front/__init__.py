"""What all front ends share: tellings as text, choices read, hints, and actions made unasked."""
