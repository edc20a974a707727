#!/bin/sh
# Installs Debian's Chromium, in which the tests open the reports.
# Does nothing where it is there; elsewhere says what to do by hand.
set -eu

if [ -x /usr/bin/chromium ]; then
    echo "Chromium is installed: /usr/bin/chromium"
    exit 0
fi

by_hand() {
    echo "install_chromium.sh: $1" >&2
    echo "By hand, on Debian: sudo apt-get install chromium chromium-driver" >&2
    echo "Elsewhere: install Chromium or Chrome and set FUZZYFROG_CHROMIUM to its path." >&2
    echo "Without a browser the tests in tests/report/test_browser.py are skipped." >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 || by_hand "apt-get was not found; this script knows Debian only."
[ "$(id -u)" -eq 0 ] || by_hand "installing packages needs root."

export DEBIAN_FRONTEND=noninteractive
# Without recommended packages: no desktop, no documentation.
apt-get install -y --no-install-recommends chromium chromium-driver ||
    { apt-get update && apt-get install -y --no-install-recommends chromium chromium-driver; } ||
    by_hand "apt-get could not install Chromium."
[ -x /usr/bin/chromium ] || by_hand "apt-get left no /usr/bin/chromium."
echo "Chromium is installed: /usr/bin/chromium"
