"""The live audit log: keys, sealing, proofs, verifying, exporting. Play never waits for it."""
