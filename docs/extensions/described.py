"""Lists of what the code describes: settings, entries of registries, formats with examples, recipes."""

import re
from dataclasses import MISSING, fields
from importlib import import_module

from numpydoc.docscrape import ClassDoc
from sphinx.util.docutils import SphinxDirective

from aligner.models.export import LEXICON_FORMATS
from aligner.recipe.builtin import builtin_recipes


def setup(app):
    """Register the directives."""
    for directive in (Settings, Entries, LexiconFormats, Recipes):
        app.add_directive(directive.name, directive)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Described(SphinxDirective):
    """A directive whose content is Markdown made from an object of the code, such as ``module:Name``."""

    optional_arguments = 2

    def run(self):
        """Return the nodes of the Markdown."""
        objects = [getattr(import_module(module), name) for module, name in self.names()]
        return self.parse_text_to_nodes("\n".join(self.lines(*objects)))

    def names(self):
        """Return the module and the name of the first argument, if there is one."""
        return [argument.split(":") for argument in self.arguments[:1]]


class Settings(Described):
    """The fields of a dataclass, with their defaults and what the docstring says of them."""

    name = "settings"

    def lines(self, described):
        """Yield a definition for each field that the docstring describes."""
        documentation = ClassDoc(described, config={"show_class_members": False})
        defaults = {field.name: field.default for field in fields(described)}
        for parameter in [*documentation["Parameters"], *documentation["Attributes"]]:
            named = parameter.name.split(", ")
            terms = [f"`{name}`{default(defaults[name])}" for name in named]
            yield from definition(", ".join(terms), " ".join(first_paragraph(parameter.desc)))


def default(value):
    """Return the default of a setting as text."""
    if value is MISSING:
        return ""
    if isinstance(value, str):
        value = f'"{value}"'
    return f" (default `{str(value).lower() if isinstance(value, bool) else value}`)"


def first_paragraph(lines):
    """Yield the lines of a description up to a blank line, without references to footnotes."""
    for line in lines:
        if not line:
            return
        yield re.sub(r" ?\(?\[\d\]_(, [^)]*\))?", "", line)


class Entries(Described):
    """The entries of a registry, each with its summary."""

    name = "entries"

    def lines(self, registry):
        """Yield a row of a table for each entry."""
        yield from ("| name | meaning |", "|---|---|")
        for name in registry:
            yield f"| `{name}` | {registry.summary(name)} |"


class LexiconFormats(Described):
    """The formats of lexicons, each with an entry."""

    name = "lexicon-formats"

    def lines(self):
        """Yield the name, the summary and a translation in each format."""
        for name, form in LEXICON_FORMATS.items():
            yield from example(name, LEXICON_FORMATS.summary(name), form.line("maison", "house", 0.75))


class Recipes(Described):
    """The recipes that come with the program."""

    name = "recipes"

    def lines(self):
        """Yield a row of a table for each recipe."""
        yield from ("| recipe | summary |", "|---|---|")
        for name, summary in builtin_recipes().items():
            yield f"| `{name}` | {summary} |"


def definition(term, text):
    """Return the lines of a definition."""
    return [term, f": {text}", ""]


def example(name, summary, text):
    """Return the lines of a format's name, its summary and an example."""
    return [
        f"`{name}`",
        f": {summary}",
        "",
        "  ```text",
        *(f"  {line}" for line in text.splitlines()),
        "  ```",
        "",
    ]
