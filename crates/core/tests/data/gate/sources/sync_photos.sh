#!/usr/bin/env bash
# Copies photos from the camera card to the NAS and thins out the card.
# Usage: sync_photos.sh [-n] [-k DAYS] CARD
#   -n        dry run: show, change nothing
#   -k DAYS   keep on the card what is younger than DAYS (default 30)
#
# Written by Tarek, changed by Ines (2026-02: checksums instead of sizes).
set -euo pipefail

NAS=/mnt/nas/photos
KEEP_DAYS=30
DRY=0
MIN_FREE_GB=50
LOG="$HOME/.local/state/sync_photos.log"

while getopts "nk:" opt; do
  case "$opt" in
    n) DRY=1 ;;
    k) KEEP_DAYS="$OPTARG" ;;
    *) echo "usage: $0 [-n] [-k DAYS] CARD" >&2; exit 64 ;;
  esac
done
shift $((OPTIND - 1))
CARD="${1:?no card given}"

# The NAS must be mounted; otherwise we would fill the local disk.
if ! mountpoint -q /mnt/nas; then
  echo "NAS not mounted" >&2
  exit 2
fi

free_gb=$(df --output=avail -BG /mnt/nas | tail -1 | tr -dc '0-9')
if [ "$free_gb" -lt "$MIN_FREE_GB" ]; then
  echo "only ${free_gb} GB left" >&2
  exit 3
fi

copied=0
while IFS= read -r -d '' f; do
  day=$(date -r "$f" +%Y/%m/%d)
  target="$NAS/$day/$(basename "$f")"
  [ -e "$target" ] && continue          # never overwrites
  if [ "$DRY" -eq 0 ]; then
    mkdir -p "$(dirname "$target")"
    cp -p "$f" "$target"
    cmp -s "$f" "$target" || { echo "bad copy: $f" >&2; rm "$target"; exit 4; }
  fi
  copied=$((copied + 1))
done < <(find "$CARD/DCIM" -type f \( -iname '*.jpg' -o -iname '*.raf' \) -print0)

# Only raw files are deleted from the card; the JPEGs stay.
if [ "$DRY" -eq 0 ]; then
  find "$CARD/DCIM" -type f -iname '*.raf' -mtime +"$KEEP_DAYS" -delete
fi

echo "$(date -Is) copied=$copied dry=$DRY" >> "$LOG"
