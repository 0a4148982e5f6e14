"""Transports of frames, the MQTT client around its library, and the embedded broker."""
