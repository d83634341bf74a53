"""site_pictures.py SITE FOLDER: takes the pictures of the documentation site in docs/pictures: light and dark, on a desktop and on a phone."""
import pathlib, sys

from driver import Browser

site, folder = pathlib.Path(sys.argv[1]).resolve().as_uri(), pathlib.Path(sys.argv[2])


def take(name, page, width, height, dark=False):
    with Browser(width, height, dark) as b:
        b.open(site + page)
        b.screenshot(folder / f"site-{name}.png")


take("light", "/index.html", 1200, 800)
take("dark", "/reference/ops-losses.html#cross_entropy", 1200, 800, dark=True)
take("phone", "/quick-start.html", 390, 844)
take("phone-dark", "/reference/ops-losses.html#cross_entropy", 390, 844, dark=True)
