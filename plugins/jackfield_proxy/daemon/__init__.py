"""The daemon's side: keeps the processes of proxies, tells them what to do, and takes down what they served."""
