"""Money and points as templates write them. Amounts are whole cents; nothing is computed but their text."""

from django import template

from ledger import money

register = template.Library()


@register.filter
def dollars(cents: int | None) -> str:
    """Format cents as `$1,234.50`, None as an empty text."""
    return "" if cents is None else money.dollars(cents).replace("-", money.MINUS)


@register.filter
def dollars_of(amount: str) -> str:
    """An amount as rows and records write it, `1234.50`, as `$1,234.50`."""
    return dollars(money.exact_cents(amount))


@register.filter
def signed_dollars(cents: int | None) -> str:
    """Format cents won or lost: `+$45.00`, `−$45.00`, `$0.00`."""
    return "" if cents is None else money.signed_dollars(cents)


@register.filter
def short_or_over(cents: int | None) -> str:
    """Return the books' balance of over/short in words: `$5.00 short` above zero, `$5.00 over` below."""
    if not cents:
        return ""
    return f"{money.dollars(cents)} short" if cents > 0 else f"{money.dollars(-cents)} over"


@register.filter
def points_of(cents: int | None, limit_cents: int) -> str:
    """Format cents as points of this limit: `40 points`, `9.5 points`. At most two decimals."""
    if cents is None or not limit_cents:
        return ""
    whole, rest = divmod(cents * 100 // limit_cents, 100)
    text = f"{whole:,}" + (f".{rest:02d}".rstrip("0") if rest else "")
    return f"{text} point" if text == "1" else f"{text} points"
