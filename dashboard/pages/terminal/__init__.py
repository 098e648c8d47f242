"""A terminal in a container: its page, its sessions, and debug containers."""
