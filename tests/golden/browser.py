# SPDX-License-Identifier: BSD-2-Clause
"""browser.py pages BASE AXE PATH… | live BASE SECONDS | many BASE AXE LIMPS WELL: the pages of limpet serve in a real browser; lines for browser.sh."""
import glob
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException

WIDTHS = 390, 820, 1280, 2560


def browser(script=True):
    o = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,900"):
        o.add_argument(word)
    o.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not script:
        o.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    for last in (False, False, True):
        try:
            b = webdriver.Chrome(service=Service("/usr/bin/chromedriver", service_args=["--log-level=OFF"]), options=o)
            # as of somebody who may silence, so that pages have their forms
            b.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"X-Remote-User": "anna"}})
            return b
        except WebDriverException:  # on a busy machine it may not be there in time
            if last:
                raise


def end(b):
    """Its processes end a moment after it has said so."""
    folder = b.capabilities["chrome"]["userDataDir"].encode()
    b.quit()

    def runs(path):
        try:
            with open(path, "rb") as f:
                return folder in f.read()
        except OSError:
            return False
    for _ in range(100):
        if not any(map(runs, glob.glob("/proc/[0-9]*/cmdline"))):
            break
        time.sleep(0.1)


def shape(b, width, scheme):
    b.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
    b.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print" if scheme == "print" else "",
                                                     "features": [{"name": "prefers-color-scheme", "value": "light" if scheme == "print" else scheme}]})


def words(b):
    """What a reader sees. A page that loads itself anew meanwhile is read again."""
    while True:
        try:
            return " ".join(b.find_element(By.TAG_NAME, "body").text.split())
        except StaleElementReferenceException:
            time.sleep(0.1)


def findings(b, axe):
    """What axe finds serious or critical."""
    b.execute_script(axe)
    found = b.execute_async_script("const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations))")
    return [f"{v['id']} ({v['impact']}) of {len(v['nodes'])}, as {v['nodes'][0]['html'][:100]!r}" for v in found
            if v["impact"] in ("serious", "critical")]


# What may have the focus, in order, and a word for each that is the same when the page has been renewed.
MAY = """
const word = (e) => [e.tagName, e.getAttribute('href') || e.name || e.getAttribute('aria-label') || e.textContent].join(' ');
"""
ASK = MAY + """
return [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex]')]
    .filter((e) => e.checkVisibility() && e.type !== 'hidden' && e.tabIndex >= 0).map(word)
"""
# An outline of 2 pixels, or the browser's own; nothing over the middle of it, and that on the page.
SEE = MAY + """
const e = document.activeElement, s = getComputedStyle(e), r = [...e.getClientRects()].find((r) => r.width) || e.getBoundingClientRect();
const over = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);
return [word(e), s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 1 ? 'its focus is not seen'
    : over && e.contains(over) ? '' : 'it is hidden when it has the focus'];
"""


def unseen(b):
    """What is not reached by the keyboard in the order of the page, or is not seen when it is."""
    wanted = b.execute_script(ASK)
    reached, said = [], []
    for _ in wanted:
        # a field for a time has a stop for each of its parts
        for _ in range(12):
            ActionChains(b).send_keys(Keys.TAB).perform()
            word, trouble = b.execute_script(SEE)
            if trouble:
                said.append(f"{word}: {trouble}")
            if word != "INPUT from" or reached[-1:] != [word]:
                break
        reached.append(word)
    if reached != wanted:
        at = next(i for i, (x, y) in enumerate(zip(reached, wanted)) if x != y)
        said.append(f"after {at} of {len(wanted)} comes {reached[at]!r}, not {wanted[at]!r}")
    focused.append(len(wanted))
    return said


focused = []


def pages(base, axe, *paths):
    axe = open(axe, encoding="utf-8").read()
    b = browser()
    bad = looked = 0
    for path in paths:
        b.get(path if path.startswith("file:") else base + path)
        for scheme in ("light", "dark", "print"):
            for width in WIDTHS if scheme != "print" else (794,):
                shape(b, width, scheme)
                over = b.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
                # what has no height is not painted, whatever reaches out of it
                flat = b.execute_script("""return [...document.querySelectorAll('svg')]
                    .filter((e) => e.checkVisibility() && !e.getBoundingClientRect().height).length""")
                said = [f"{flat} drawings without a height"] if flat else []
                said += ([f"{over} pixels wider than the window"] if over > 0 else []) + (findings(b, axe) if scheme != "print" else [])
                looked += 1
                for one in said:
                    bad += 1
                    print(f"bad {path} {scheme} {width}: {one}")
    for entry in b.get_log("browser"):
        bad += 1
        print(f"bad console: {entry['message'][:200]}")
    for entry in b.get_log("performance"):
        if '"Network.requestWillBeSent"' in entry["message"] and '"url":"http' in entry["message"] and f'"url":"{base}' not in entry["message"]:
            bad += 1
            print(f"bad request: {entry['message'][:300]}")
    shape(b, 1280, "light")
    for path in paths:
        b.get(path if path.startswith("file:") else base + path)
        for one in unseen(b):
            bad += 1
            print(f"bad keyboard {path}: {one}")
    end(b)
    b = browser(script=False)
    b.get(base + "/")
    plain = words(b)
    end(b)
    print(f"{looked} looks, {min(focused)} to {max(focused)} by keyboard, {bad} bad; without scripts: {'oss-s3 limps' in plain}")


# Selects the headline; and once two verdicts have come, what is selected then.
SELECT = """
const done = arguments[0], h1 = document.querySelector('h1'), events = new EventSource('/api/v1/events');
getSelection().selectAllChildren(h1);
let n = 0;
events.addEventListener('verdict', () => setTimeout(() => {
    if (++n < 3) return;
    events.close();
    done(h1.isConnected && getSelection().toString() === h1.textContent);
    getSelection().removeAllRanges();
}, 500));
"""
# What is spoken of the page, in order.
SPOKEN = """
window.spoken = [];
const status = document.querySelector('.spoken[role=status]');
if (status) new MutationObserver(() => window.spoken.push(status.textContent)).observe(status, {childList: true});
"""


def live(base, seconds):
    """Opens the page once; says what comes and goes on it, whether what is selected stays, whether the change was spoken, and that of a page which is gone."""
    b = browser()
    b.get(base + "/")
    b.execute_script("window.kept = true;" + SPOKEN)
    seen, until, wanted = [], time.monotonic() + float(seconds), True
    while time.monotonic() < until and len(seen) < 2:
        if ("s3 limps" in words(b)) == wanted:
            seen.append("comes" if wanted else "goes")
            print(seen[-1], b.title, flush=True)
            if wanted:
                print("selected" if b.execute_async_script(SELECT) else "lost what was selected", flush=True)
            wanted = False
        time.sleep(0.5)
    spoken = b.execute_script("return window.spoken")
    print("spoken" if spoken and all(x != y for x, y in zip(spoken, spoken[1:])) else f"not spoken once, but {spoken}")
    b.execute_script("history.replaceState(null, '', '/servers/none')")
    for _ in range(20):
        if gone := "knows this no more" in words(b):
            break
        time.sleep(0.5)
    print("gone" if gone else "not told that it is gone")
    print("kept" if b.execute_script("return window.kept === true") else "loaded anew")
    end(b)


def many(base, axe, limps, well):
    """A page of 500 servers: what limps is the first tile, and looks like none that is well; nobody's name is cut; the tiles are no higher, and the page no heavier,
    than they need to be."""
    axe = open(axe, encoding="utf-8").read()
    b = browser()
    b.get(base + "/")
    said = []
    for width, scheme, screens in (390, "light", 12), (1280, "dark", 5), (2560, "light", 4):
        shape(b, width, scheme)
        said += [f"{width} {scheme}: {one}" for one in findings(b, axe)]
        tall, wide, cut, odd = b.execute_script("""
            return [document.querySelector('#servers').offsetHeight, document.documentElement.scrollWidth - innerWidth,
                    [...document.querySelectorAll('.tiles a, .tiles b')].filter((e) => e.scrollWidth > e.clientWidth + 1).length,
                    document.querySelectorAll('.tiles b').length]""")
        if tall > screens * 900 + odd * 30 or wide > 0 or cut:
            said.append(f"{width}: {tall} pixels high, {wide} too wide, {cut} names cut")
    first, plain, groups, size = b.execute_script("""
        const look = (e) => [e.textContent, getComputedStyle(e).backgroundColor];
        return [look(document.querySelector('.tiles a')), [...document.querySelectorAll('.plain a')].map(look),
                [...document.querySelectorAll('#servers h3')].map((e) => e.textContent), document.documentElement.outerHTML.length]""")
    if first[0] != limps or first[1] in [p[1] for p in plain] or len(plain) < int(well):
        said.append(f"the first tile is {first}; {len(plain)} are well")
    numbers = [int(p[0][1:]) for p in plain]
    if numbers != sorted(numbers):
        said.append(f"the order is {numbers[:20]}")
    if size > 60000:
        said.append(f"{size} characters")
    print(", ".join(groups), "bad: " + "; ".join(said) if said else "")
    end(b)


{"pages": pages, "live": live, "many": many}[sys.argv[1]](*sys.argv[2:])
