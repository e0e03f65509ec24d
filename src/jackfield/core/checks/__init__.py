"""What the host checks of plugins before it uses what they give."""
