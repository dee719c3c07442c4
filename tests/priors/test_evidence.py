"""Evidence: empty evidence changes nothing, and files of evidence reach training."""

import pytest

from aligner.cli.main import main
from aligner.links.alignments import Alignments
from aligner.links.known_links import KnownLinks
from aligner.priors.dictionary import Dictionary
from aligner.priors.evidence import Evidence
from aligner.training.loop import train
from tests.support import assert_same_parameters, bitext_of, recipe


def no_links(pairs):
    """Return a file of known links without any link."""
    empty = Alignments.from_lists([[]] * pairs)
    return KnownLinks(empty, empty)


@pytest.mark.parametrize("kind", ["ibm1", "hmm"])
def test_empty_evidence_changes_no_bit(kind, sample_bitext):
    two_stages = recipe(("ibm1", "independent", 2), (kind, "agreement", 2, 1e-6))
    *_, plain = train(sample_bitext, two_stages)
    for evidence in [
        Evidence(),
        Evidence(links=no_links(len(sample_bitext))),
        Evidence(Dictionary((("qqq", "qqq", 0.0), ("qqq qqq", "qqq", 1.0)))),
        Evidence(Dictionary(()), weight=0.0),
    ]:
        *_, last = train(sample_bitext, two_stages, evidence=evidence)
        assert_same_parameters(plain.model.pair, last.model.pair)
        assert plain.model.history == last.model.history


def test_report_has_figures_of_the_evidence_that_was_given():
    bitext = bitext_of([("a b", "x y")] * 2)
    stages = recipe(("ibm1", "independent", 1))
    known, forbidden = Alignments.from_lists([[(0, 0)], []]), Alignments.from_lists([[(1, 0)], [(0, 1)]])
    reports = [
        next(train(bitext, stages, evidence=evidence)).model.corpus
        for evidence in [
            Evidence(),
            Evidence(links=no_links(2)),
            Evidence(links=KnownLinks(known, forbidden)),
            Evidence(Dictionary((("a", "x", 1.0), ("a", "q", 1.0)))),
        ]
    ]
    names = "known_links", "forbidden_links", "dictionary_entries", "dictionary_found", "dictionary_pairs"
    assert [{name: report[name] for name in names if name in report} for report in reports] == [
        {},
        {"known_links": 0, "forbidden_links": 0},
        {"known_links": 1, "forbidden_links": 2},
        {"dictionary_entries": 2, "dictionary_found": 1, "dictionary_pairs": 2},
    ]


def test_evidence_is_read_from_files(tmp_path):
    (tmp_path / "words").write_text("a\tx\n")
    (tmp_path / "links").write_text("0-0\n")
    evidence = Evidence.read(tmp_path / "words", 2.0, tmp_path / "links")
    assert evidence.dictionary == Dictionary((("a", "x", 1.0),))
    assert evidence.weight == 2.0
    assert list(evidence.links.known) == [[(0, 0)]]
    assert Evidence.read() == Evidence()


def test_train_command_takes_evidence(tmp_path, capsys, monkeypatch):
    (tmp_path / "text").write_text("a b\tx y\n" * 3)
    (tmp_path / "words").write_text("a\ty\t5\nq\tx\n")
    (tmp_path / "known").write_text("\n1-0\n0!0\n")
    arguments = ["train", "text", "-m", "model", "--dictionary", "words", "--dictionary-weight", "2"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["align", *arguments, "--known-links", "known", "--links", "-"])
    main()
    out, err = capsys.readouterr()
    assert out == "0-1 1-0\n" * 3
    assert "2 dictionary entries; the text has all words of 1 of them" in err
    assert "1 known link and 1 forbidden link in the training pairs" in err
    (tmp_path / "known").write_text("\n" * 3)
    main()
    assert "0 known links and 0 forbidden links" in capsys.readouterr().err
    for entry, hint in (("y\ta", "its sides were exchanged"), ("q\tq", "Is the dictionary of these two")):
        (tmp_path / "words").write_text(f"{entry}\n")
        main()
        assert hint in capsys.readouterr().err
