"""Fair cards among seats that trust nobody: proofs, messages, ledger, session, audit. No I/O."""
