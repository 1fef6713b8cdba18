"""What must hold of node-listing."""
