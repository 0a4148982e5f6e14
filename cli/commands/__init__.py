"""The commands, one module each; `cli.main` and `cli.commands.groups` list them."""
