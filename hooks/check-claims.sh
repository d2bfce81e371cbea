#!/bin/sh
# After a Markdown file was written: checks each sentence of it against what it cites, by the tool `check_claims`.
# Says nothing where all is well, nothing is cited, or Wellread is not set up; exit status 2 shows the report to the agent.
set -u
command -v wellread >/dev/null 2>&1 || exit 0
file=$(tr '\n' ' ' | sed -n 's/.*"file_path"[[:space:]]*:[[:space:]]*"\(\([^"\\]\|\\.\)*\)".*/\1/p' | sed 's/\\\(["\\/]\)/\1/g')
case $file in
*.md | *.markdown) ;;
*) exit 0 ;;
esac
[ -f "$file" ] || exit 0
# The report goes to a model: private notes are left out of it.
report=$(wellread verify "$file" --without-private --fail-on contradicted 2>/dev/null)
if [ $? -eq 6 ]; then
    printf 'Wellread: a cited source says something else. Correct these sentences:\n%s\n' "$report" >&2
    exit 2
fi
exit 0
