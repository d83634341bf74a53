"""site_pages.py FOLDER: the documentation site in a browser without a network: search, an op's entry, the results' page, both colour schemes, a phone's width."""
import pathlib, sys

from driver import Browser

root = pathlib.Path(sys.argv[1]).resolve().as_uri()


def quiet(b, page):
    others = [u for u in b.requests() if not u.startswith(("file:", "data:", "about:"))]
    assert not others, f"{page} asks for {others}"


def background(b):
    return b.js("return getComputedStyle(document.body).backgroundColor")


colours = {}
for width, height, dark in ((1280, 900, False), (1280, 900, True), (390, 844, False), (390, 844, True)):
    with Browser(width, height, dark) as b:
        for page in ("/index.html", "/reference/ops-activations.html", "/reference/objects.html", "/headers/vinea.html", "/ops.html", "/notebooks/arrays.html", "/about/changelog.html"):
            b.open(root + page)
            wide = b.js("return document.documentElement.scrollWidth")
            assert wide <= width, f"{page} is {wide} wide where the window has {width}"
            quiet(b, page)
        colours[dark] = background(b)
        b.open(root + "/search.html?q=softmax")
        b.wait_until(lambda: b.count("#search-results li") > 0, "the search finds no softmax")
        assert "softmax" in b.text("#search-results").lower()
        quiet(b, "the search")
        b.open(root + "/reference/ops-activations.html#softmax")
        assert "vn_softmax(vn_array *x, int64_t axis)" in b.text("#softmax"), b.text("#softmax")
        b.open(root + "/reference/objects.html#checkpoints")
        assert "continues from step 10" in b.text("#checkpoints"), b.text("#checkpoints")
        b.open(root + "/conformance/index.html")
        quiet(b, "the results")
assert colours[False] != colours[True], "dark pages look like light ones"
