"""What crosses the wire: charter, messages, envelopes, signatures, sealed frames."""
