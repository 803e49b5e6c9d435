"""The Merkle tree and its signed checkpoints, by RFC 9162 and C2SP. It never knows what a record means."""
