"""Every page of the dashboard and every state it can be in, brought about for whoever looks: pictures and tests.

A **stage** is the programs that a scene needs, real ones: a demo cluster and the dashboard. A **scene** is a page of
it and what a person does to come there.
"""
