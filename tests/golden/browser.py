# SPDX-License-Identifier: BSD-2-Clause
"""browser.py pages BASE AXE ID… | live BASE SECONDS: the pages of limpet serve in a real browser; lines for browser.sh."""
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
            return webdriver.Chrome(service=Service("/usr/bin/chromedriver", service_args=["--log-level=OFF"]), options=o)
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


def pages(base, axe, *paths):
    axe = open(axe, encoding="utf-8").read()
    b = browser()
    bad = looked = 0
    for path in paths:
        b.get(base + path)
        for scheme in ("light", "dark", "print"):
            for width in WIDTHS if scheme != "print" else (794,):
                shape(b, width, scheme)
                over = b.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
                said = ([f"{over} pixels wider than the window"] if over > 0 else []) + (findings(b, axe) if scheme != "print" else [])
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
    # Each link is reached by the keyboard, and is seen when it is. The page changes while it is looked at: no element is held.
    shape(b, 1280, "light")
    b.get(base + "/")
    links = b.execute_script("return [...document.querySelectorAll('a[href]')].filter((a) => a.checkVisibility()).length")
    reached = set()
    for _ in range(links + 5):
        ActionChains(b).send_keys(Keys.TAB).perform()
        href, outline = b.execute_script("const e = document.activeElement; return [e.outerHTML, getComputedStyle(e).outlineStyle]")
        if outline == "none" and href.startswith("<a"):
            bad += 1
            print(f"bad focus: {href[:100]}")
        reached.add(href)
    n = len([h for h in reached if h.startswith("<a")])
    if n < min(links, 5):
        bad += 1
        print(f"bad keyboard: {n} of {links} links were reached")
    end(b)
    b = browser(script=False)
    b.get(base + "/")
    plain = words(b)
    end(b)
    print(f"{looked} looks, {bad} bad; without scripts: {'oss-s3 limps' in plain}")


def live(base, seconds):
    """Opens the page once; says what comes and goes on it."""
    b = browser()
    b.get(base + "/")
    b.execute_script("window.kept = true")
    seen, until, wanted = [], time.monotonic() + float(seconds), True
    while time.monotonic() < until and len(seen) < 2:
        if ("s3 limps" in words(b)) == wanted:
            seen.append("comes" if wanted else "goes")
            print(seen[-1], b.title, flush=True)
            wanted = False
        time.sleep(0.5)
    print("kept" if b.execute_script("return window.kept === true") else "loaded anew")
    end(b)


{"pages": pages, "live": live}[sys.argv[1]](*sys.argv[2:])
