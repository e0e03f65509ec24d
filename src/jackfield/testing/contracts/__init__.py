"""Contract suites: what holds for every store and every engine, for the tests of a plugin that gives one.

Subclass a suite in a test module and give it the fixture that it asks for; pytest finds its tests in your class. The
suites need pytest and pytest-asyncio (`asyncio_mode = "auto"`).
"""
