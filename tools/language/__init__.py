"""The language rule of the project, checked over its pages, messages, docstrings and the interface's words.

Google's developer style in the parts that a program can see. A sentence has 25 words at most, is in the present tense,
and does not begin with `What`, `Who` or `Whose`. Some phrases are banned. Harper reads the grammar and the banned
phrases (`house/*.weir`, one rule each, with its own test). The rest stands in `rules.py`.
"""
