"""The forms of whole files and of lines with their own regions, a module for each."""
