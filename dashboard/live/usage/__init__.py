"""What objects use, from the metrics API: polled by the worker, summed up by owner, kept for a day, sent to web
processes.
"""
