"""How results are shown: terminal, Markdown, HTML, ITF."""
