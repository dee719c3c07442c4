"""The command line ``align``: one file for each verb, which parses options and calls the library."""

# The verbs import most of the library inside their commands, so that --help starts quickly.
