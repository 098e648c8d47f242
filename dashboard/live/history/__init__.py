"""History: every version of the followed kinds, recorded into parts of SQLite or PostgreSQL, and read at any moment."""
