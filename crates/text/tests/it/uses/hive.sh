#!/usr/bin/env bash
source lib/store.sh
. "bees.sh"

walk() {
  local count="$1"
  open_store "$count" | sort
  result=$(helper "$LIMIT")
}

walk 1 && echo "$(walk 2)"
