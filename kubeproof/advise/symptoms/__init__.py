"""Reads any text of a cluster for the symptoms of the documented bugs: `kubeproof bugs --text`.

`reading` finds the lines, `answer` asks which releases have the bugs, `rendering` makes text of the answer. What is
looked for is the table of `kubeproof/bugs/signatures.py`.
"""

from kubeproof.advise.plain import to_json
from kubeproof.advise.symptoms.answer import analyse
from kubeproof.advise.symptoms.reading import read_symptoms
from kubeproof.advise.symptoms.rendering import render

__all__ = ["analyse", "read_symptoms", "render", "to_json"]
