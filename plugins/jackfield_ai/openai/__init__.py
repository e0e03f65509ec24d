"""The OpenAI node: text, images and audio."""
