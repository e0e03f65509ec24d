"""The services that the prelude asks of its host: `Intl` (languages from CLDR, by babel), zones, digests.

Its own package inside the worker process, where the rest of the project is out of reach. A module is loaded when
a script first needs it. Functions take and give texts: JSON, where there is more than one value.
"""
