"""`Intl` for scripts: languages from CLDR, by babel, and time zones by zoneinfo.

A package of its own inside the worker process, where the rest of the project is out of reach; loaded when a script
first needs it. Functions take and give texts: JSON, where there is more than one value.
"""
