"""pictures.py PAGE FOLDER: takes the pictures of the dashboard in docs/pictures from a real run's index.html: light, dark with a cell open,
on a phone, and against the seeds."""
import pathlib, sys

from driver import Browser

page, folder = pathlib.Path(sys.argv[1]).resolve().as_uri(), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def take(name, address, width, height, dark=False, before=""):
    with Browser(width, height, dark) as b:
        b.open(page + address)
        if before:
            b.js(before)
        b.screenshot(folder / f"conformance-{name}.png")


open_cell = "document.querySelector('td.open').scrollIntoView({block: 'center'})"
take("light", "", 1200, 1000)
take("dark", "#test=002/lars_update&engine=torch", 1200, 900, dark=True, before=open_cell)
take("phone", "#suite=seeds/002", 390, 844, before="document.getElementById('matrix').scrollIntoView()")
take("seeds", "#view=seeds", 1200, 1000, before="document.querySelector('#view h2').scrollIntoView()")
