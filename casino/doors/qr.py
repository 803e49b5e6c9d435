"""QR codes, as pictures for a page."""

import base64

from allauth.mfa.adapter import get_adapter


def picture(text: str) -> str:
    drawn = base64.b64encode(get_adapter().build_totp_svg(text).encode()).decode()
    return f"data:image/svg+xml;base64,{drawn}"
