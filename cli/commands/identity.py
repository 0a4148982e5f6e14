"""`p2p304 identity`: shows the player's key and nickname, shows and changes known peers."""

from __future__ import annotations

import json
import secrets

import click

from cli.commands.options import json_option
from cli.errors import UserError
from cli.peers import Peer, fingerprint
from cli.sanitize import safe_name, safe_text
from cli.store.identity import IdentityStore, PeersFile
from cli.store.paths import home

# Twice a seat's field: here names stand alone in their line.
CELLS = 32


@click.command("identity")
@click.option(
    "--call",
    "calls",
    nargs=2,
    metavar="WHO NAME",
    multiple=True,
    help="Call somebody you know by a name of your own.",
)
@click.option("--forget", "forgotten", metavar="WHO", multiple=True, help="Forget somebody.")
@json_option
def command(
    calls: tuple[tuple[str, str], ...],
    forgotten: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show your key and its fingerprint, your nickname and whom you know; name or forget them.

    The key is made at first use; its secret half never leaves this machine. WHO is a name, or the
    beginning of a fingerprint. Compare fingerprints by telephone or in person, once; the program
    remembers.

    \b
    Examples:
      p2p304 identity                          who am I, and whom do I know?
      p2p304 identity --call "AB2C DE3F" Banu  a name of your own for somebody
      p2p304 identity --forget Banu
    """
    root = home()
    store, peers = IdentityStore(root), PeersFile(root)
    # Drawn now if there is none: whoever asks for its fingerprint wants one.
    key = store.key(secrets.token_bytes)
    for who, name in calls:
        peer = _find_peer(peers, who)
        peers.remember(peer.key, peer.nickname, name)
    for who in forgotten:
        peers.forget(_find_peer(peers, who).key)
    known = peers.all()
    if as_json:
        rows = [
            {
                "fingerprint": fingerprint(peer.key),
                "key": peer.key.to_bytes().hex(),
                "nickname": peer.nickname,
                "petname": peer.petname,
            }
            for peer in known
        ]
        mine = {"fingerprint": fingerprint(key.public), "key": key.public.to_bytes().hex()}
        click.echo(json.dumps({**mine, "nickname": store.nickname, "known": rows}))
        return
    click.echo(f"Your fingerprint: {fingerprint(key.public)}")
    click.echo(f"Your key:         {key.public.to_bytes().hex()}")
    kept = store.nickname
    shown = (
        safe_name(kept, cells=CELLS)
        if kept
        else "none yet; 'p2p304 settings nickname NAME' chooses one"
    )
    click.echo(f"Your nickname:    {shown}")
    click.echo(f"Known players:    {len(known) or 'none yet'}")
    for peer in known:
        says = safe_name(peer.nickname, cells=CELLS)
        ours = f"{safe_name(peer.petname, cells=CELLS)}, says " if peer.petname else ""
        click.echo(f"  {fingerprint(peer.key)}  {ours}{says}")


def _find_peer(peers: PeersFile, who: str) -> Peer:
    """Return the known peer with the name or petname `who`, or else the one whose fingerprint
    begins with it.

    Raises UserError for none or several.
    """
    # Fingerprints are shown in groups, and may be copied with their spaces or in lower case.
    wanted = "".join(who.split()).upper()
    everybody = peers.all()
    # A whole name first: a name that looks like a fingerprint's beginning means the name.
    found = [peer for peer in everybody if who in (peer.nickname, peer.petname)]
    # Without `wanted`: every fingerprint begins with an empty text.
    if not found and wanted:
        found = [
            peer for peer in everybody if fingerprint(peer.key).replace(" ", "").startswith(wanted)
        ]
    if len(found) == 1:
        return found[0]
    problem = "Several players are" if found else "Nobody you know is"
    # Cut, whatever was pasted.
    shown = safe_text(who, cells=40)
    raise UserError(f"{problem} called '{shown}': give a fingerprint from 'p2p304 identity'.")
