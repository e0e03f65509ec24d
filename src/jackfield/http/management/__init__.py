"""The management side: Quart with the blueprints of the plugins and of the kernel, loaded when it is asked."""
