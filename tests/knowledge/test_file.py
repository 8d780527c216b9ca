"""Knowledge files: read as written, and every mistake in one sentence with its line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fipscm import Knowledge
from fipscm.errors import FileError, FipscmError, KnowledgeError
from fipscm.knowledge.file import KnowledgeFile, as_toml
from fipscm.knowledge.statement import Statement, added, joined, statements_of

NAMES = ["sex", "race", "schooling", "wage", "hours"]


@pytest.fixture
def read(tmp_path):
    def run(text, names=NAMES, **options):
        (tmp_path / "knowledge.toml").write_text(text, encoding="utf-8")
        return KnowledgeFile.read(tmp_path / "knowledge.toml").knowledge(names, **options)

    return run


def test_statements_are_combined(read):
    known = read("""
        roots = ["sex"]
        [[known]]
        roots = ["race"]
        why = "Born with."
        [[known]]
        tiers = [["schooling"], ["wage"]]
        leaves = ["hours"]
        forbidden = [["sex", "wage"]]
        required = [["schooling", "wage"]]
        """)
    edges = {"required_edges": [("schooling", "wage")], "forbidden_edges": [("sex", "wage")]}
    assert known == Knowledge(tiers=[["schooling"], ["wage"]], roots=["sex", "race"], leaves=["hours"], **edges)


def test_several_lists_of_tiers_need_not_be_one(read):
    known = read('[[known]]\ntiers = [["schooling"], ["wage"]]\n[[known]]\ntiers = [["race"], ["hours"]]')
    ordered = {(NAMES[i], NAMES[j]) for i, j in zip(*known.must_precede(NAMES).nonzero(), strict=True)}
    assert ordered == {("schooling", "wage"), ("race", "hours")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('roots = ["sex"]\nleaves = ["wge"]', "line 2: Unknown column 'wge': did you mean 'wage'?"),
        ('tiers = [\n  ["sex"],\n  ["wge"],\n]', "line 3: Unknown column 'wge'"),
        ('[[known]]\nroots = ["sex"]\n\n[[known]]\nroots = ["wge"]', "line 5: Unknown column 'wge'"),
        ('roots = ["sex"\nleaves = 1', "line 2: "),
        ('roots = ["sex]', "line 1: "),
        ('roots = ["sex"', "line 1: "),
        ('[[known]]\nroot = ["sex"]', "line 2: Unknown key 'root': did you mean 'roots'?"),
        ('[known]\nroots = ["sex"]', "double brackets"),
        ('roots = "sex"', "line 1: 'roots' is a list, as in"),
        ('tiers = ["sex", "wage"]', "line 1: 'tiers' is a list, as in"),
        ('forbidden = [["sex"]]', "line 1: an edge in 'forbidden' is a cause and an effect"),
        ("roots = [1.5]", "line 1: the names in 'roots' are not all written in quotes"),
        ('tiers = [["sex"], ["sex"]]', "line 1: 'sex' stands in two tiers"),
        ('roots = ["sex"]\n[[known]]\nwhy = "So."', "line 3: this reason stands alone"),
        ('roots = ["sex"]\nwhy = 1', "line 2: 'why' is a reason in quotes"),
        ('roots = ["sex"]\nrequired = [["wage", "sex"]]', "line 2 contradicts line 1: change or remove"),
        ('required = [["wage", "wage"]]', "line 1 contradicts itself"),
        (
            '[[known]]\ntiers = [["sex"], ["wage"]]\n[[known]]\ntiers = [["race"], ["hours"]]\n'
            '[[known]]\ntiers = [["wage"], ["race"]]\n[[known]]\ntiers = [["hours"], ["sex"]]\n',
            "line 8 contradicts lines 2, 4 and 6",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(read, text, message):
    with pytest.raises(FipscmError) as told:
        read(text)
    assert str(told.value).startswith("knowledge.toml, line ")
    assert message in str(told.value)
    assert str(told.value).endswith(".")


def test_what_was_typed_is_named_beside_the_line_that_contradicts_it(read):
    with pytest.raises(KnowledgeError, match="line 1 contradicts the options given"):
        read('required = [["wage", "sex"]]', known=Knowledge(roots=["sex"]))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(FileError, match=r"Cannot read the knowledge in .*No such file"):
        Knowledge.load(tmp_path / "none.toml")
    (tmp_path / "latin.toml").write_bytes('roots = ["größe"]'.encode("latin-1"))
    with pytest.raises(FileError, match="not written in UTF-8"):
        Knowledge.load(tmp_path / "latin.toml")
    with pytest.raises(FileError, match="Cannot write"):
        Knowledge(roots=["sex"]).save(tmp_path / "none" / "k.toml")


@pytest.mark.parametrize("text", ["", "# nothing is known yet\n"])
def test_an_empty_file_says_nothing_and_that_is_told(read, text):
    with pytest.warns(UserWarning, match=r"knowledge\.toml says nothing"):
        assert read(text) == Knowledge()


def test_columns_that_were_set_aside_are_left_out_and_named(read):
    with pytest.warns(UserWarning, match=r"says of 'race' is left out"):
        known = read('roots = ["sex", "race"]\nforbidden = [["race", "wage"]]', set_aside={"race": "is constant"})
    assert known == Knowledge(roots=["sex"])


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)), st.text(min_size=1, max_size=5))
def test_saved_knowledge_comes_back(tmp_path_factory, order, letters):
    a, b, c, d, e = (f"{letters}{number}".strip() or "x" for number in order)
    known = Knowledge([(a, b)], [(d, e)], [[a], [b, c]], roots=[a], leaves=[e], before=[(a, d), (d, e)], randomised=[c])
    path = tmp_path_factory.mktemp("k") / "k.toml"
    known.save(path)
    names = sorted({a, b, c, d, e})
    again = Knowledge.load(path)
    assert (again.allowed(names) == known.allowed(names)).all()
    assert (again.precedence(names) == known.precedence(names)).all()


def test_statements_join_to_the_same_knowledge():
    known = Knowledge([("a", "b")], [("c", "d")], [["a"], ["b"]], ["a"], ["d"], [("a", "c")], ["c"])
    assert joined(statements_of(known)) == known


def test_reasons_are_written():
    assert 'why = "It \\"is\\" so."' in as_toml([Statement("roots", (("a",),), 'It "is" so.')])


def test_what_is_known_wins_over_statements_added():
    known = Knowledge(tiers=[["wage"], ["schooling"]], required_edges=[("race", "hours")])
    statements = [
        Statement("tiers", (("schooling",), ("wage", "hours"))),
        Statement("roots", (("sex", "schooling"),)),
        Statement("leaves", (("wage",),)),
    ]
    found, kept, dropped = added(statements, known, NAMES)
    assert [each.columns for each in kept] == [("schooling", "hours"), ("sex",), ()]
    assert dropped == statements
    assert (found.required_edges, found.tiers) == (known.required_edges, known.tiers)
    assert not found.allowed(NAMES)[NAMES.index("schooling"), NAMES.index("hours")]
