"""The commands, one module each; `cli.main` and `cli.commands.bench` list them."""
