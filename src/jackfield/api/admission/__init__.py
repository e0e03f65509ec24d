"""The callers that may connect to a port of the daemon's or a proxy's, how many, and how long a request may take to
arrive.
"""
