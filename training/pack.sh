#!/bin/sh
# Puts what the GPU machine needs into carry_a (base model, evaluation sets), carry_b (records) and
# carry_c (a model to compare with). pack.sh BASE_MODEL_FOLDER [OTHER_MODEL.safetensors]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$here/carry_a" "$here/carry_b" "$here/carry_c"
"${PYTHON:-python3}" - "$1" "$here/carry_a" <<'PYTHON'
import sys
from safetensors.torch import load_file, save_file
weights = load_file(sys.argv[1] + "/model.safetensors")
kept = {name: value.half().contiguous() for name, value in weights.items() if value.is_floating_point() and "pooler" not in name}
save_file(kept, sys.argv[2] + "/model.f16.safetensors")
PYTHON
cp "$1/tokenizer.json" "$here/data/sets.json.gz" "$here/carry_a/"
[ -z "${2:-}" ] || cp "$2" "$here/carry_c/other.int8.safetensors"
bzip2 -9 --stdout "$here/data/records.jsonl" > "$here/carry_b/records.jsonl.bz2"
du -sb "$here/carry_a" "$here/carry_b" "$here/carry_c"
