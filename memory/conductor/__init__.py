"""One conductor for the whole server: takes a message, runs its turn, lets nothing out unchecked."""
