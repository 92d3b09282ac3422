"""The experiments behind Memory Worth, on the code that ships.

Each module has `run(seeds, progress) -> dict` of figures (and `curves`, where it has some); those on text
also take the folder of the sentence model. `main` is the command line.
"""
