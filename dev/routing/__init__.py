"""What the router's weights are made from: questions that we wrote, and the script that learns from them."""
