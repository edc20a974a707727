#!/bin/sh
# Installs Debian's Weka 3.6.14 and a Java runtime, for the classifiers of the paper.
# Does nothing where both are there; elsewhere says what to do by hand.
set -eu

jar=/usr/share/java/weka.jar

needed=""
[ -f "$jar" ] || needed="weka"
command -v java >/dev/null 2>&1 || needed="$needed default-jre-headless"
if [ -z "$needed" ]; then
    echo "Weka is installed: $jar"
    exit 0
fi

by_hand() {
    echo "install_weka.sh: $1" >&2
    echo "By hand, on Debian or Ubuntu: sudo apt-get install$needed_list" >&2
    echo "Elsewhere: install Java 11 or newer, take weka.jar from Debian's package 'weka' (3.6.14)," >&2
    echo "and set FUZZYFROG_WEKA_JAR to its path." >&2
    exit 1
}

needed_list=" $(echo "$needed" | xargs)"
command -v apt-get >/dev/null 2>&1 || by_hand "apt-get was not found; this script knows Debian only."
[ "$(id -u)" -eq 0 ] || by_hand "installing packages needs root."

export DEBIAN_FRONTEND=noninteractive
# Without recommended packages: no desktop, no documentation.
# shellcheck disable=SC2086  # one word per package
apt-get install -y --no-install-recommends $needed ||
    { apt-get update && apt-get install -y --no-install-recommends $needed; } ||
    by_hand "apt-get could not install$needed_list."
[ -f "$jar" ] || by_hand "$jar is not there after the installation."
echo "Weka is installed: $jar"
