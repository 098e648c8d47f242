"""Documentation site: pages of docs/ as HTML, one folder a version."""
