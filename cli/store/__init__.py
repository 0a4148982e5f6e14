"""The files of this machine: tables, journals, the identity, known peers and settings."""
