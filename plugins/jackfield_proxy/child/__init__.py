"""The process that serves one profile's proxy: `python -m jackfield_proxy.child`. It knows nothing but its plan, which
comes over standard input. Records of what it served go back over standard output, its log to standard error."""
