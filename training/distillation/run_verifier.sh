#!/bin/bash
# The verifier's teachers and generator, sampled sentences, labels, two students and their mean, on one GPU: 18 minutes.
# Run it in a folder that has smollm2/ (by smollm2.py), model/ (the shipped files, crates/encoder/model), tokenizer.json (all-MiniLM-L6-v2's),
# written.jsonl.bz2 and pool.jsonl.bz2 (see README.md). Results: out_verifier/. TOY=1: random small teachers, some seconds for each stage, on a CPU.
set -u
export PYTHONUNBUFFERED=1 PYTORCH_ALLOC_CONF=expandable_segments:True TOKENIZERS_PARALLELISM=true RAYON_NUM_THREADS=4 OMP_NUM_THREADS=2
PYTHON=${PYTHON:-python3}
HERE=$(cd "$(dirname "$0")" && pwd)
T_FIT=${T_FIT:-330}         # both teachers and the generator, at the same time
T_SAMPLE=${T_SAMPLE:-120}   # two processes
T_LABEL=${T_LABEL:-80}      # both teachers at the same time
T_STUDENT=${T_STUDENT:-480} # both students at the same time
EPOCHS=${EPOCHS:-4} GEN_EPOCHS=${GEN_EPOCHS:-2}
TOY_FIT= TOY_SAMPLE= TOY_STUDENT= TOY_ARG=
if [ "${TOY:-0}" = 1 ]; then
  T_FIT=8 T_SAMPLE=20 T_LABEL=12 T_STUDENT=40 TOY_ARG=--toy TOY_FIT="--packs 4" TOY_SAMPLE="--per 4 --batch 16" TOY_STUDENT="--batch 16"
fi
O=out_verifier W=work_verifier
mkdir -p $O $W
SMOL="--smollm2 smollm2 $TOY_ARG"

run() { # seconds, name, command...: with a log, never longer than its time and a margin
  local limit=$1 name=$2
  shift 2
  timeout -k 10 $((limit + 75)) "$@" 2>&1 | tee -a $O/log.txt
  local code=${PIPESTATUS[0]}
  [ "$code" = 0 ] || echo "$name ended with $code" | tee -a $O/log.txt
  return "$code"
}
fit() { run $T_FIT "$1" $PYTHON "$HERE/verifier_teacher.py" "${@:2}" --written written.jsonl.bz2 --seconds $T_FIT $TOY_FIT $SMOL; }
sample() { run $T_SAMPLE "sample $1" $PYTHON "$HERE/verifier_generator.py" --model $W/generator.pt --written written.jsonl.bz2 --pool pool.jsonl.bz2 --share "$1" 2 --seconds $T_SAMPLE --out $W/sampled$1.jsonl $TOY_SAMPLE $SMOL; }
label() { run $T_LABEL "label $1" $PYTHON "$HERE/verifier_teacher.py" label --model $W/teacher$1.pt --seed "$1" --seconds $T_LABEL --rows written.jsonl.bz2 $W/sampled0.jsonl $W/sampled1.jsonl --out $W/labels$1.npz $SMOL; }
shipped() { run "$1" "$2" env TOKENIZERS_PARALLELISM=false $PYTHON "$HERE/verifier_student.py" --model model --tokenizer tokenizer.json --written written.jsonl.bz2 $TOY_ARG "${@:3}"; }
student() { shipped $T_STUDENT "student $1" --pool pool.jsonl.bz2 --labels $W/labels1.npz $W/labels2.npz --sampled $W/sampled0.jsonl $W/sampled1.jsonl --seconds $T_STUDENT --seed "$1" --out $W/student$1 $TOY_STUDENT "${@:2}"; }
together() { # waits for all of them
  local failed=0 job
  for job in $(jobs -p); do wait "$job" || failed=1; done
  [ $failed = 0 ] || exit 1
}

fit "teacher 1" classify --epochs $EPOCHS --seed 1 --rate 1.2e-4 --out $W/teacher1.pt &
fit "teacher 2" classify --epochs $EPOCHS --seed 2 --rate 1.8e-4 --out $W/teacher2.pt &
fit generator generate --epochs $GEN_EPOCHS --seed 3 --rate 2e-4 --out $W/generator.pt &
together
sample 0 &
sample 1 &
together
label 1 &
label 2 &
together
student 1 --rate 2.5e-4 --written-share 0.35 &
student 2 --rate 3.5e-4 --written-share 0.3 --vary 0.5 &
together
shipped 300 mean --mean $W/student1/state.pt $W/student2/state.pt --out $O || exit 1
$PYTHON "$HERE/average.py" model/verifier.int8.safetensors $O/verifier.int8.safetensors $O/verifier.average.int8.safetensors
