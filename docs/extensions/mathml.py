"""Equations as MathML, which browsers draw by themselves."""

from docutils import nodes
from latex2mathml.converter import convert


def setup(app):
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def inline(translator, node):
    """Write an equation within a line."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(translator, node):
    """Write an equation on a line of its own."""
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode
