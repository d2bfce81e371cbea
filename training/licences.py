"""Decides whether a licence text or expression is permissive. Anything unclear counts as not permissive."""

import re

ALLOWED = [
    ("MIT", r"\bmit(-0)?\b|expat|mit license"),
    ("BSD", r"\b0?bsd\b|bsd[- ]?[0-4]?[- ]?clause"),
    ("Apache-2.0", r"apache"),
    ("ISC", r"\bisc\b|iscl"),
    ("PSF-2.0", r"\bpsf\b|python software foundation"),
    ("CC0-1.0", r"\bcc0\b|public domain|unlicense"),
    ("CC-BY", r"\bcc[- ]by[- ][34]|attribution 4\.0"),
    ("PostgreSQL", r"^postgresql$"),
]
DENIED = re.compile(
    r"gpl|general public|lesser|mozilla|\bmpl|eclipse|\bepl|cddl|eupl|share-?alike|-sa\b|non-?commercial|-nc\b|noderiv|-nd\b"
    r"|proprietary|commercial|busl|sspl|elastic|unlicensed|see license|other/",
    re.I,
)

# The first lines of a licence file, by a phrase that no other licence has.
TEXTS = [
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person"),
    ("BSD", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify,? (and/or|and) distribute this software"),
    ("CC0-1.0", r"CC0 1\.0 Universal"),
    ("CC-BY", r"Attribution (4\.0 International|3\.0)|creativecommons\.org/licenses/by/[34]|Creative Commons Attribution [34]"),
]
NOT_PERMISSIVE = re.compile(r"GNU (LESSER |AFFERO )?GENERAL PUBLIC|ShareAlike|NonCommercial|NoDeriv|Mozilla Public", re.I)


def permissive(expression: str) -> str:
    """The permissive licence that `expression` allows, or an empty string.

    In `A OR B` one permissive side is enough; everything else needs all parts to be permissive.
    """
    if not expression or len(expression) > 400:
        return ""
    if " OR " in expression or "/" in expression and re.fullmatch(r"[\w.\-]+(/[\w.\-]+)+", expression):
        sides = [permissive(side.strip(" ()")) for side in re.split(r" OR |/", expression)]
        return next((side for side in sides if side), "")
    if DENIED.search(expression):
        return ""
    parts = [part.strip(" ()") for part in re.split(r" AND | WITH |\|", expression) if part.strip(" ()")]
    found = [next((name for name, pattern in ALLOWED if re.search(pattern, part, re.I)), "") for part in parts]
    return found[0] if found and all(found) else ""


def from_text(text: str) -> str:
    """The permissive licences whose wording stands in `text`, a licence file, joined by AND; empty when there is none."""
    text = " ".join(text[:30000].split())
    if NOT_PERMISSIVE.search(text):
        return ""
    found = sorted({name for name, pattern in TEXTS if re.search(pattern, text, re.I)})
    return " AND ".join(found) or ("CC0-1.0" if re.search("public domain", text, re.I) else "")
