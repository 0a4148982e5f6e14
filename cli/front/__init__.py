"""What front ends share: a telling as text, choices read, hints, what is done unasked."""
