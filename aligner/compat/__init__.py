"""Drop-in replacements of fast_align, atools and eflomal: their options, files and formats, our models.

Both directions are trained together by the recipe `fast`. A direction's links are the best alignment of its
model: forward, each target word has at most one source word; reverse, each source word has at most one target
word. Settings of the original programs that have no meaning here, such as numbers of iterations, are accepted
without effect.
"""
