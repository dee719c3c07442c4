"""Words as the text writes them, but for case, for output; the lookup folds their marks."""

from __future__ import annotations

from aligner.text.lookup import Lookup
from aligner.text.prefixes import JOINER
from aligner.text.vocabulary import Vocabulary
from aligner.text.word_table import WordTable


def first_forms(table: WordTable, lookup: Lookup) -> dict[str, str]:
    """Return the first form, in the order of a table, of each word whose marks the lookup folds."""
    text = table.text().decode("utf-8", "surrogatepass")
    forms, words = lookup._replace(fold="none").form(text), lookup.form(text)
    if forms == words:
        return {}
    first = dict(zip(reversed(words.split("\n")), reversed(forms.split("\n")), strict=True))
    return {word: form for word, form in first.items() if word != form}


def written_words(vocabulary: Vocabulary, lookup: Lookup) -> list[str]:
    """Return the words of a vocabulary as the text writes them, but for case."""
    written: dict[str, str] = {}
    for word, form in vocabulary.forms.items():
        for part in vocabulary.splits.parts(word):
            end = max((n for n in range(1, len(form) + 1) if lookup.form(form[:n]) == part), default=0)
            written.setdefault(part, form[:end] or part)
            form = form[end:].removeprefix(JOINER)
    return [written.get(word, word) for word in vocabulary.words]
