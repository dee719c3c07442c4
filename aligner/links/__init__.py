"""Links between words: alignments, their text formats, gold, symmetrisation, evaluation."""
