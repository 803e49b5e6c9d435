"""The journal: posting entries, their rows and audit records, balances, gaming days and their closing. Every
transfer of chips or cash is written here. Nothing is changed or deleted: a correction reverses an entry and
posts another. The journal never knows why chips move; the chart says which moves a kind of event may make."""
