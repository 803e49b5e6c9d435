"""The proof of the books: `audit` reads the log back offline, `log` seals and verifies it in the database,
`witness` cosigns it outside the house. It reads what the books wrote; a verb or a row never needs it."""
