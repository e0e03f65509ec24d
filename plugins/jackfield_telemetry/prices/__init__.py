"""What tokens cost."""
