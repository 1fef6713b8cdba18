"""What must hold of a pod whose victims are deleted after its cycle."""
