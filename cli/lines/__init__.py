"""The plain front end: lines of text on a terminal or through a pipe."""
