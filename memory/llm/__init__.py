"""The only model calls: choose the model, ask it, stream what it says."""
