"""Leader election by a Lease (client-go's tools/leaderelection)."""
