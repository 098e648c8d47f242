"""Manager: everything that a program of controllers needs, started and stopped in order (controller-runtime)."""
