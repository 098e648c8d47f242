"""CPU and memory that objects use, as the metrics API has it, and as lists and pages write it."""
