"""Where contents of histories stand, and how much there is of them."""
