"""The incident page: everything that is known of one object and its family on one time line."""
