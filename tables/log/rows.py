"""The floor's checks for verifying the books: rows that have no audit record of their own, by the records they follow from."""

from tables.log import fee_rows, house_rows, player_rows, round_rows, table_rows

QUESTIONS = (
    *table_rows.QUESTIONS,
    *player_rows.QUESTIONS,
    *round_rows.QUESTIONS,
    *fee_rows.QUESTIONS,
    *house_rows.QUESTIONS,
)
