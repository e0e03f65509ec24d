"""Regular expressions of JavaScript that Python matches alike."""
