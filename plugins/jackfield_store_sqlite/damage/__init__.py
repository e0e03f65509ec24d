"""How the store learns, keeps and tells that data is lost or damaged."""
