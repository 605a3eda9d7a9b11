"""Pictures in PNG: those in SVG, drawn by resvg with the typeface Roboto (extra `pictures`).

The typeface comes with the extra: one of the system would look otherwise everywhere, and without any no digit is drawn.
"""

from __future__ import annotations

SHARPNESS = 2  # pixels for each unit of the picture's width


def png(picture: str) -> bytes:
    """Draws an SVG text in PNG; ImportError if resvg or Roboto is not installed."""
    try:
        from font_roboto import Roboto, RobotoBold
        from resvg_py import svg_to_bytes
    except ImportError:
        raise ImportError("pictures in PNG are drawn by resvg: pip install resvg-py font-roboto") from None
    fonts = [Roboto, RobotoBold]
    data: bytes = svg_to_bytes(
        picture, zoom=SHARPNESS, font_files=fonts, skip_system_fonts=True, sans_serif_family="Roboto"
    )
    return data
