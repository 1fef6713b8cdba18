"""What Go does by itself, as far as the models depend on it: errors, formats, JSON, slices, sort."""
