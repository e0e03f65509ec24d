"""Models of cloud platforms and of Hugging Face, whose requests are signed or addressed in their own ways."""
