"""Label and field selectors, as the API server reads them."""
