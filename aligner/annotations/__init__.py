"""Annotations of words, and their projection from one side of a bitext to the other along links.

Below, *source* is the annotated side and *target* the other side, whichever of them they are in the links.
The weight of a link is its probability, or 1 for links without probabilities.

Formats
-------
Line k annotates sentence k, except in ``conllu``. ``tags`` are one tag for each word. ``bio`` are tags
`B-LABEL` (first word of a span), `I-LABEL` (further word) and `O` (no span). ``bioes`` are the same, with
`E-LABEL` for the last word of a span and `S-LABEL` for the only one. ``spans`` are `start-end:label`, in
words from 0 with an exclusive end, such as `0-2:PER`; spans may overlap. Whether a span ends inside its
sentence is checked only if the text of the sentence is given. ``markup`` is the text itself with XML
elements, such as `<b>two words</b> and <x id="1"/> more`. Its words are the words of the line without its
tags. An element that begins or ends inside a word covers the whole word. ``conllu`` is CoNLL-U. Its words are
the lines with a plain number as ID: multiword tokens and empty nodes are left out. A sentence without words
has comments alone.

Rules
-----
Tags
    A target word takes the tag that has the greatest weight among its links, the first one if several have
    it. A word without a link takes the tag `_`.
Spans
    A span becomes one run of target words, which begins and ends with words linked to the span. It is the run
    with the greatest sum of weights, where each link of a word into the span counts as its weight and each
    other link as minus its weight; of equal runs, the longest, and of these the first.
Gaps
    By this sum, a gap of words without links is bridged. A gap of words linked elsewhere is bridged if the
    linked words on each side of it weigh at least as much as the gap. A stray link neither cuts a span nor
    stretches it.
Splits
    A span is never split. It is left out if it has no link, or loses its words to other spans.
Nesting
    A span inside another span gets its run inside the run of the innermost such span, or is left out if it
    has no link there. Spans that overlap otherwise are independent.
Overlaps
    Spans of ``bio``, and elements of ``markup`` with one parent, get runs without common words: the span with
    the greatest sum takes its run first, and the next one the best run among the words left.
Whole sentences
    An element of ``markup`` that has all words of the line, or of its parent, keeps all of them.
Empty elements
    An element of ``markup`` is never lost. If it has no words, or none of its words gets a link, it stands
    after the run of the nearest linked word before it, or before the run of the nearest linked word after it
    if that one is nearer. It stays inside its parent and never splits a sibling.
Words of CoNLL-U
    A target word takes UPOS, XPOS, FEATS and MISC from its origin: the source word that has the link with the
    greatest weight to it; of equal ones the highest in the tree, then the first. LEMMA and DEPS are not
    projected, nor is what MISC says about spaces and entities (`Entity`, `Bridge`, `SplitAnte` of CorefUD).
    Comments are kept, except `# text`.
Dependencies
    Of several target words with one origin, the one with the heaviest link, or the first of these, stands for
    it. Its head stands for the head of its origin or, if no word does, for the next source word above that.
    It keeps the DEPREL. The others get it as their head, with the DEPREL `dep`.
Roots
    The word that stands for the highest source word is the root, the first of equal ones. Words that
    have no other word above them get the root as their head.
Words without links
    In CoNLL-U, their columns are `_`, except that their head is the nearest word with a link, the later one
    of two, and their DEPREL `dep`. If no word has a link, the first one is the root and the head of all
    others.
Trees
    So heads are always a tree with one root. If a source sentence has a word without a head, the heads of the
    target words are `_`, too.
"""
