"""How agents ask that are started without their own protocol: by a tool, or by a hook."""
