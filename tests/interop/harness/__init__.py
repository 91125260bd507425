"""What the checks of real clients stand on: the server, the clients' processes, the wire, the verdict.

Standard library only, so that it runs under the Python of a client's own environment too.
"""
