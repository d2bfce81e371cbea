#!/bin/bash
# Draws shapes.
draw() {
    local shape=$1
    echo "$shape"
}

function erase {
    draw nothing
}

readonly LIMIT=10
export UNIT=cm
name=circle
declare -r KIND=round
inside() (cd /; pwd)
