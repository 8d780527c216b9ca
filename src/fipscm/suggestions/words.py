"""Names of columns as words."""

import re
import unicodedata
from collections.abc import Hashable

# Between a small and a capital letter, before the last capital of several, and between letters and digits.
_SEAMS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")


def words_of(name: Hashable) -> list[str]:
    """The words and numbers of a name, in small letters without accents.

    >>> words_of("wt82_71"), words_of("lifeExp"), words_of("Größe (cm)"), words_of("HDL.chol")
    (['wt', '82', '71'], ['life', 'exp'], ['grosse', 'cm'], ['hdl', 'chol'])
    """
    return [word.lower() for word in re.findall(r"[^\W_]+", _SEAMS.sub(" ", _plain(str(name))))]


def spellings(text: str) -> set[str]:
    """A word or phrase as one run of letters, with umlauts as one letter and as two.

    >>> sorted(spellings("Körpergröße"))
    ['koerpergroesse', 'korpergrosse']
    """
    two = text.lower().translate({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"})
    return {"".join(words_of(each)) for each in (text, two)}


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(letter for letter in letters if not unicodedata.combining(letter))
