"""The documented bugs, one Markdown file each, by the system whose runs or components show them."""
