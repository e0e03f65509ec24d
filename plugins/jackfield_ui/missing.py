"""The page of an installation without the built interface."""

MISSING_PAGE = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Jackfield</title>
<style nonce="__CSP_NONCE__">
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }
code { font: 14px ui-monospace, monospace; }
pre { padding: 1rem; border: 1px solid #8886; border-radius: 4px; overflow-x: auto; }
</style>
</head>
<body>
<main>
<h1>Jackfield runs, without its browser interface</h1>
<p>Where this installation was built, Node.js 20.19 or newer, or <code>npm</code>, was missing.
So it holds no interface. Everything else works: the command line (<code>jackfield --help</code>)
and <a href="/docs">the API</a>.</p>
<p>In a clone, with Node.js 20.19 or newer, build the interface. Then install Jackfield
from the clone again, and restart the daemon:</p>
<pre><code>cd plugins/jackfield_ui/frontend
npm ci
npm run build</code></pre>
<p>Or install a released wheel, which has it.</p>
</main>
</body>
</html>
"""
