"""What is decided stays decided: a typed store of decisions, apart from the transcript."""
