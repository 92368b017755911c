"""Model files: YAML that declares what the Python API can, with units, parameters and expressions, and nothing that is run.

expressions.py  numbers with units and sums of named parameters: a small grammar of its own
tree.py         a text as a tree of bounded size, with lines and columns
values.py       what stands in a file as plain data: parameters, copies, tables and meshes by path
code.py         parts and laws of one's own that a file names, where that is allowed
reading.py      files as models, with every mistake and its place
forms.py        other ways to declare a part than by its fields: Solid.block, RigidBody.box
writing.py      models as files
experiment.py   what is run, drawn and claimed: a file as a study
schema.py       the schema that editors check files with
starts.py       commented files to begin with
command.py      `condyle new`, `check`, `format`, `schema`
"""
