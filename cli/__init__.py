"""The command line ``align``: one file for each verb, which parses options and calls the library."""
