"""Edit Image: pictures of items, through Pillow."""
