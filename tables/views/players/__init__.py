"""The register of players: finding somebody, what their entry says and has said. Whom the house excludes is never shown."""
