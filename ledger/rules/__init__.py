"""The rules of the books: days, clocks, pieces of chips and cash, taking back, balances, sentences in another
language. They never know a row: verbs, pages and both verifiers call the same ones."""
