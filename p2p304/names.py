"""Which characters a name that people choose may have: none that acts on a screen or hides."""

from __future__ import annotations

import re
from typing import Final

# C0 and C1 controls, bidirectional marks and overrides, invisible separators, tags. Listed rather
# than looked up, because Unicode's categories change between Python versions and every seat must
# come to the same verdict. The joiners U+200C and U+200D stay: Sinhala and Tamil names are written
# with them.
_FORBIDDEN: Final = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x061C, 0x061C), (0x180E, 0x180E),
    (0x200B, 0x200B), (0x200E, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF), (0xFFF0, 0xFFFB), (0xE0000, 0xE0FFF),
)  # fmt: skip
#: A character that no name has.
FORBIDDEN: Final = re.compile(
    "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _FORBIDDEN) + "]"
)
# Listed for the same reason; tabs and line breaks are missing, since no name has them anywhere.
#: White space, with which no name begins or ends.
SPACES: Final = frozenset(
    map(chr, (0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000))
)
