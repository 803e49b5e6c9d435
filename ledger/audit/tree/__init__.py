"""The Merkle tree and its signed checkpoints, by RFC 9162 and C2SP. It knows bytes, never what a record means."""
