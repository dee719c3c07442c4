"""A page for each verb of the command line, made from the help that click prints."""

import inspect
from pathlib import Path

import click
from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from aligner.cli import commands
from aligner.cli.main import VERBS, align

PAGE = """# align {verb}

```{{verb}} {verb}
```
"""


def setup(app):
    """Register the directives ``verb`` and ``verbs``, and write the pages before Sphinx looks for them."""
    app.add_directive("verb", Verb)
    app.add_directive("verbs", Verbs)
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app, config):
    """Write reference/verbs/VERB.md for each verb. A page that is the same already stays as it is."""
    folder = Path(app.srcdir, "reference", "verbs")
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.stem not in VERBS:
            path.unlink()
    for verb in VERBS:
        path, page = folder / f"{verb}.md", PAGE.format(verb=verb)
        if not path.exists() or path.read_text("utf-8") != page:
            path.write_text(page, "utf-8")


class Verbs(SphinxDirective):
    """A table of all verbs."""

    def run(self):
        """Return the table."""
        rows = [f"| [`align {verb}`](verbs/{verb}.md) | {summary} |" for verb, summary in VERBS.items()]
        return self.parse_text_to_nodes("\n".join(["| verb | purpose |", "|---|---|", *rows]))


class Verb(SphinxDirective):
    """The usage, the text, the options and the examples of a verb, and of its commands."""

    required_arguments = 1

    def run(self):
        """Return the nodes of the verb."""
        (verb,) = self.arguments
        command = align.get_command(click.Context(align), verb)
        return list(self.described(click.Context(command, info_name=f"align {verb}")))

    def described(self, context):
        """Yield the nodes of a command."""
        command = context.command
        usage = f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}"
        yield nodes.literal_block(usage, usage, language="text")
        yield from paragraphs(command.help)
        headings = (
            command.options_by_heading(context)
            if isinstance(command, commands.Verb)
            else {"": command.params}
        )
        for heading, options in headings.items():
            if len(headings) > 1:
                yield nodes.rubric(text=heading)
            yield self.list_options(context, [option for option in options if option in command.params])
        yield from paragraphs(command.epilog)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = click.Context(command.get_command(context, name), context, info_name=name)
                section = nodes.section("", nodes.title(text=inner.command_path), *self.described(inner))
                self.named(section, inner.command_path)
                yield section

    def list_options(self, context, options):
        """Return a list of options of the command, each with its help."""
        listed = nodes.definition_list()
        for option in options:
            record = option.get_help_record(context)
            if isinstance(option, click.Option) and record is not None:
                name, text = record
                term = nodes.term("", "", nodes.literal(text=name))
                self.named(term, f"{context.command_path} {max(option.opts, key=len)}")
                paragraph = nodes.definition("", nodes.paragraph(text=" ".join(text.split())))
                listed += nodes.definition_list_item("", term, paragraph)
        return listed

    def named(self, node, text):
        """Give a node an id that links can name."""
        node["ids"].append(make_id(self.env, self.state.document, "", text))


def paragraphs(text):
    r"""Yield the paragraphs of a help text. Those after \b are not wrapped."""
    for part in inspect.cleandoc(text or "").replace("\f", "").split("\n\n"):
        marked, mark, lines = part.partition("\b\n")
        if not mark:
            if marked.strip():
                yield nodes.paragraph(text=" ".join(marked.split()))
            continue
        title, _, rest = lines.partition("\n")
        if title == "Examples:":
            yield nodes.rubric(text="Examples")
            lines = inspect.cleandoc(rest)
        yield nodes.literal_block(lines, lines, language="sh" if title == "Examples:" else "text")
