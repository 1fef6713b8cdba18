"""The tool: engines, verdicts, reports and the command line. Nothing in `model` or `properties` imports it."""
