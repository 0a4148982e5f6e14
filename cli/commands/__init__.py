"""The commands, one module each; `cli.main` and `cli.commands.groups` list them.

The rest is what several of them share: their options (`options`, `looks`, `opponents`, `seating`,
`tournament_options`), how somebody comes to a table (`entering`, `nickname`,
`meeting_at`, `lobby`), how it is played there (`screen`, `playing`, `table_series`), and lines
of the shell (`shell`).
"""
