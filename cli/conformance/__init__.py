"""Conformance of other people's programs: vectors, auditors and seats, tried and scored."""
