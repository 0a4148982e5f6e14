"""How bytes travel: transports, the gate before the MQTT library, the embedded broker."""
