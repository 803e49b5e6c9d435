"""The live audit log: keys, sealing, proofs, verifying, exporting. It writes no entry; playing never waits for it."""
