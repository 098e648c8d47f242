"""Steps from one moment of the past to the next change of what a page shows."""
