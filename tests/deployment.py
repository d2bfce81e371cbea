"""The manifests of a folder like `packaging/deploy`, validated by schemas and printed as JSON.

The Compose file is checked by the schema of the Compose specification, as check-jsonschema carries it; those for Kubernetes by the
cluster's own schemas, as kubernetes-validate carries them, for the oldest and the newest version below. What no schema can say
is not checked here. Ends with 1 and a line for each thing that is wrong.
"""

import importlib.resources
import json
import pathlib
import sys

import jsonschema
import kubernetes_validate
import yaml

#: The oldest and the newest Kubernetes that the manifests are for.
VERSIONS = ("1.30", "1.37")


def compose_wrong(compose: object) -> list[str]:
    folder = importlib.resources.files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((folder / "compose-spec.json").read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    return [f"compose.yaml: {error.json_path}: {error.message}" for error in validator.iter_errors(compose)]


def resource_wrong(name: str, resource: dict) -> list[str]:
    wrong = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError, kubernetes_validate.InvalidSchemaError) as error:
            wrong.append(f"{name}: {resource.get('kind')} for {version}: {(str(error) or type(error).__name__).splitlines()[0]}")
    return wrong


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    compose = yaml.safe_load((folder / "compose.yaml").read_text(encoding="utf-8"))
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    wrong, resources = compose_wrong(compose), []
    for name in kustomization["resources"]:
        for resource in yaml.safe_load_all((folder / name).read_text(encoding="utf-8")):
            wrong += resource_wrong(name, resource)
            resources.append(resource)
    listed = {str(file.relative_to(folder)) for file in (folder / "kubernetes").iterdir()}
    wrong += [f"{name} is not in kustomization.yaml" for name in sorted(listed - set(kustomization["resources"]))]
    for line in wrong:
        print(line, file=sys.stderr)
    print(json.dumps({"compose": compose, "kustomization": kustomization, "resources": resources}))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
