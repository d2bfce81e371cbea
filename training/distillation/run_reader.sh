#!/bin/bash
# The reader's teacher, generated questions and student, on one GPU: 24 minutes.
# Run it in a folder that has data/ (see README.md), smollm2/ (by smollm2.py) and model/ (the shipped files, crates/encoder/model).
# Results: out_reader/. TOY=1: few texts and two layers of the teacher, on a CPU.
set -u
export SECONDS_TEACHER=${SECONDS_TEACHER:-720}   # the teacher's training
export UNTIL_TEACHER=${UNTIL_TEACHER:-790}       # and never later than this, in seconds from the start of this script
export SECONDS_GENERATOR=${SECONDS_GENERATOR:-75}
export UNTIL_GENERATED=${UNTIL_GENERATED:-790}
export MOST_GENERATED=${MOST_GENERATED:-120000}
export SECONDS_STUDENT=${SECONDS_STUDENT:-480}
export UNTIL_STUDENT=${UNTIL_STUDENT:-1300}
export UNTIL_ALL=${UNTIL_ALL:-1390}
export WORKERS_TEACHER=${WORKERS_TEACHER:-3} WORKERS_STUDENT=${WORKERS_STUDENT:-5}
if [ "${TOY:-0}" = 1 ]; then
  export SECONDS_TEACHER=20 UNTIL_TEACHER=700 SECONDS_GENERATOR=15 UNTIL_GENERATED=700 MOST_GENERATED=60 SECONDS_STUDENT=30 UNTIL_STUDENT=1000 UNTIL_ALL=1400
  export WORKERS_TEACHER=1 WORKERS_STUDENT=1 TESTS=14 TEST_NOTES=2
fi
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 PYTORCH_ALLOC_CONF=expandable_segments:True T0=$(date +%s.%N)
PYTHON=${PYTHON:-python3}
HERE=$(cd "$(dirname "$0")" && pwd)
mkdir -p out_reader work_reader
rm -f work_reader/*
# Whatever happens, it ends.
timeout -k 5 $((${UNTIL_ALL%.*} + 30)) "$PYTHON" "$HERE/reader.py" 2>&1 | tee out_reader/log.txt
code=${PIPESTATUS[0]}
[ "$code" = 0 ] || exit "$code"
"$PYTHON" "$HERE/average.py" model/reader.int8.safetensors out_reader/reader.mean.int8.safetensors out_reader/reader.average.int8.safetensors
