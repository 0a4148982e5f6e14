"""The commands, one module each; `cli.main` and `cli.commands.groups` list them.

The other modules hold what several commands share: options (`options`, `display`, `opponents`,
`seating`), how a player comes to a table (`entering`, `nickname`, `lobby`), how it plays there
(`screen`, `table_series`), and output for the shell (`shell`).
"""
