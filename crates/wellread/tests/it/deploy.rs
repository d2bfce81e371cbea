//! The manifests of `packaging/deploy`: valid by the schemas of those who read them, and true to the program. `deploy_run` runs what
//! they say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::desk::{Desk, Ran, copy, repository};
use crate::packages::python;

/// What a process of the server has at most: eight connections and the one that holds its locks; one that serves has eight more
/// for the accounts.
const CONNECTIONS: u64 = 9;
const CONNECTIONS_OF_SERVER: u64 = 17;

pub fn folder() -> PathBuf {
    repository().join("packaging/deploy")
}

/// Validates the manifests of a folder and prints them as JSON.
fn validate(folder: &Path) -> Ran {
    let mut command = python("import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')");
    Ran::of(command.arg(repository().join("tests/deployment.py")).arg(folder))
}

pub fn manifests() -> Value {
    let ran = validate(&folder());
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    ran.json()
}

pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub fn texts(value: &Value) -> Vec<String> {
    list(value).map(|one| one.as_str().unwrap().to_owned()).collect()
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

/// The pods that the resources make: the name of the resource, and what it says of a pod.
fn pods(manifests: &Value) -> Vec<(&str, &Value)> {
    let made = list(&manifests["resources"]).filter(|one| !one["spec"]["template"].is_null());
    made.map(|one| (text(&one["metadata"]["name"]), &one["spec"]["template"])).collect()
}

fn containers(pod: &Value) -> Vec<&Value> {
    list(&pod["spec"]["initContainers"]).chain(list(&pod["spec"]["containers"])).collect()
}

/// Resources of one kind.
fn of_kind<'a>(manifests: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    list(&manifests["resources"]).filter(move |one| one["kind"] == kind)
}

/// What the image of the program sets before anybody else does.
pub fn image_environment() -> BTreeMap<String, String> {
    let file = fs::read_to_string(repository().join("packaging/Containerfile")).unwrap();
    let line = file.lines().find_map(|line| line.strip_prefix("ENV ")).unwrap();
    let pairs = line.split(' ').map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn the_manifests_are_valid_and_what_is_wrong_is_noticed() {
    manifests();
    let wrong = [
        ("compose.yaml", "cap_drop: [ALL]", "cap_drop: ALL"),
        ("compose.yaml", "stop_grace_period: 20s", "stop_grace: 20s"),
        ("kubernetes/api.yaml", "readOnlyRootFilesystem: true", "readonlyRootFilesystem: true"),
        ("kubernetes/network.yaml", "policyTypes: [Ingress]", "policyTypes: Ingress"),
        ("kubernetes/vault.yaml", "kind: PersistentVolumeClaim", "kind: PersistentVolumes"),
        ("kustomization.yaml", "  - kubernetes/worker.yaml\n", ""),
    ];
    for (file, right, changed) in wrong {
        let copied = tempfile::tempdir().unwrap();
        copy(&folder(), copied.path());
        let path = copied.path().join(file);
        let before = fs::read_to_string(&path).unwrap();
        assert!(before.contains(right), "{file}: {right}");
        fs::write(&path, before.replacen(right, changed, 1)).unwrap();
        let ran = validate(copied.path());
        assert!(ran.status == Some(1) && !ran.stderr.trim().is_empty(), "{file}: {changed}: {ran:?}");
    }
}

#[test]
fn the_cluster_gets_the_files_that_the_documents_name() {
    let [ours, theirs] = ["packaging/deploy/role.sql", "docs/postgresql/role.sql"]
        .map(|file| fs::read_to_string(repository().join(file)).unwrap());
    assert_eq!(ours, theirs, "kustomize reads no file outside of its folder, so role.sql is there twice");
    let manifests = manifests();
    for file in list(&manifests["kustomization"]["configMapGenerator"]).flat_map(|made| texts(&made["files"]))
    {
        assert!(folder().join(&file).is_file(), "{file}");
    }
}

/// Every variable of ours is one that a setting has, and every command one that there is.
#[test]
fn variables_and_commands_are_those_of_the_program() {
    let manifests = manifests();
    let page = fs::read_to_string(repository().join("docs/book/src/reference/settings.md")).unwrap();
    let known = |name: &str| page.contains(&format!("`{name}`"));
    let (mut names, mut commands) = (BTreeSet::new(), Vec::new());
    for (name, service) in manifests["compose"]["services"].as_object().unwrap() {
        if service["image"].as_str().is_some_and(|image| image.contains("wellread")) {
            names.extend(service["environment"].as_object().unwrap().keys().cloned());
            commands.push((name.as_str(), texts(&service["command"])));
        }
    }
    for (name, pod) in pods(&manifests) {
        for container in containers(pod).into_iter().filter(|container| container["image"] == "wellread") {
            names.extend(list(&container["env"]).map(|one| text(&one["name"]).to_owned()));
            commands.push((name, texts(&container["args"])));
        }
    }
    let settings = list(&manifests["kustomization"]["configMapGenerator"])
        .flat_map(|made| texts(&made["literals"]))
        .map(|literal| literal.split_once('=').unwrap().0.to_owned());
    names.extend(settings.filter(|name| name != "HOME"));
    let unknown: Vec<&String> = names.iter().filter(|name| !known(name)).collect();
    assert!(unknown.is_empty() && names.len() > 7, "{unknown:?} of {names:?}");
    assert_eq!(commands.len(), 8, "four processes in each of the two: {commands:?}");
    for (name, words) in commands {
        let ran = Ran::of(Desk::bare().command().args(&words).arg("--help"));
        assert_eq!(ran.status, Some(0), "{name}: {words:?}: {ran:?}");
    }
}

/// Nobody is root, nobody gains rights, nobody writes where no volume is, and everybody says what they need.
#[test]
fn every_container_has_as_little_as_it_needs() {
    let manifests = manifests();
    for (name, service) in manifests["compose"]["services"].as_object().unwrap() {
        assert_eq!((&service["read_only"], text(&service["cap_drop"][0])), (&true.into(), "ALL"), "{name}");
        assert_eq!(text(&service["security_opt"][0]), "no-new-privileges:true", "{name}");
        assert!(!text(&service["user"]).starts_with("0:"), "{name}");
        assert!(!service.to_string().contains("PASSWORD\":\""), "{name}: a password is in a file");
    }
    for (name, pod) in pods(&manifests) {
        let spec = &pod["spec"];
        assert_eq!(spec["automountServiceAccountToken"], false, "{name}");
        assert_eq!(spec["securityContext"]["runAsNonRoot"], true, "{name}");
        for container in containers(pod) {
            let limits = &container["securityContext"];
            assert_eq!(limits["readOnlyRootFilesystem"], true, "{name}");
            assert_eq!(limits["allowPrivilegeEscalation"], false, "{name}");
            assert_eq!(text(&limits["capabilities"]["drop"][0]), "ALL", "{name}");
            let resources = &container["resources"];
            for needed in [&resources["requests"]["cpu"], &resources["requests"]["memory"]] {
                assert!(needed.is_string(), "{name}: {resources}");
            }
            assert!(resources["limits"]["memory"].is_string(), "{name}");
        }
    }
}

/// What is named somewhere is there: volumes, claims, files of configuration, and the pods that services, budgets and rules of the
/// network choose.
#[test]
fn whatever_a_resource_names_is_there() {
    let manifests = manifests();
    let kustomization = &manifests["kustomization"];
    let maps: BTreeSet<&str> =
        list(&kustomization["configMapGenerator"]).map(|made| text(&made["name"])).collect();
    let claims: BTreeSet<&str> =
        of_kind(&manifests, "PersistentVolumeClaim").map(|one| text(&one["metadata"]["name"])).collect();
    for (name, pod) in pods(&manifests) {
        let owner = list(&manifests["resources"])
            .find(|one| one["metadata"]["name"] == name && !one["spec"]["template"].is_null())
            .unwrap();
        let templates =
            list(&owner["spec"]["volumeClaimTemplates"]).map(|claim| text(&claim["metadata"]["name"]));
        let volumes: BTreeSet<&str> =
            list(&pod["spec"]["volumes"]).map(|volume| text(&volume["name"])).chain(templates).collect();
        let mut used = BTreeSet::new();
        for container in containers(pod) {
            used.extend(list(&container["volumeMounts"]).map(|mount| text(&mount["name"])));
            for from in list(&container["envFrom"]) {
                assert!(maps.contains(text(&from["configMapRef"]["name"])), "{name}");
            }
        }
        assert_eq!(used, volumes, "{name}: every volume is used, and every one used is there");
        for volume in list(&pod["spec"]["volumes"]) {
            let map = &volume["configMap"]["name"];
            assert!(map.is_null() || maps.contains(text(map)), "{name}: {volume}");
            let claim = &volume["persistentVolumeClaim"]["claimName"];
            assert!(claim.is_null() || claims.contains(text(claim)), "{name}: {volume}");
        }
        let service = &owner["spec"]["serviceName"];
        let is_it = |one: &Value| one["metadata"]["name"] == *service;
        assert!(service.is_null() || of_kind(&manifests, "Service").any(is_it), "{name}");
    }
    let labels: Vec<&Value> =
        pods(&manifests).into_iter().map(|(_, pod)| &pod["metadata"]["labels"]).collect();
    let is_chosen = |wanted: &Value| {
        let wanted = wanted.as_object().unwrap();
        labels.iter().any(|labels| wanted.iter().all(|(key, value)| labels[key.as_str()] == *value))
    };
    for service in of_kind(&manifests, "Service") {
        assert!(is_chosen(&service["spec"]["selector"]), "{service}");
    }
    for budget in of_kind(&manifests, "PodDisruptionBudget") {
        assert!(is_chosen(&budget["spec"]["selector"]["matchLabels"]), "{budget}");
    }
    for rule in of_kind(&manifests, "NetworkPolicy") {
        let wanted = &rule["spec"]["podSelector"]["matchLabels"];
        assert!(wanted.is_null() || is_chosen(wanted), "{rule}");
    }
}

/// All processes together ask for no more connections than the database gives.
#[test]
fn the_database_has_a_connection_for_everybody() {
    let manifests = manifests();
    let most = |words: &[String]| -> u64 {
        let set = words.iter().find_map(|word| word.strip_prefix("max_connections="));
        set.unwrap().parse().unwrap()
    };
    let of_role = |words: &[String]| match words.iter().any(|word| word == "api") {
        true => CONNECTIONS_OF_SERVER,
        false => CONNECTIONS,
    };
    let mut wanted = 0;
    for (name, pod) in pods(&manifests) {
        let words = texts(&pod["spec"]["containers"][0]["args"]);
        if words.first().is_some_and(|word| word == "serve") {
            let owner = list(&manifests["resources"])
                .find(|one| one["kind"] == "StatefulSet" && one["metadata"]["name"] == name);
            wanted += owner.unwrap()["spec"]["replicas"].as_u64().unwrap() * of_role(&words);
        }
    }
    let database = pods(&manifests).into_iter().find(|(name, _)| *name == "wellread-database").unwrap().1;
    let given = most(&texts(&database["spec"]["containers"][0]["args"]));
    // Three are kept for superusers, and the migration has its own.
    assert!(wanted > 0 && wanted + 3 + CONNECTIONS <= given, "{wanted} of {given}");
    let services = manifests["compose"]["services"].as_object().unwrap();
    let served = services.values().map(|service| texts(&service["command"]));
    let wanted: u64 = served.filter(|words| words[0] == "serve").map(|words| of_role(&words)).sum::<u64>()
        + 3
        + CONNECTIONS;
    assert!(wanted <= most(&texts(&services["database"]["command"])), "{wanted}");
}

/// If there is kubectl, it puts the resources together as `kubectl apply -k` does.
#[test]
fn kustomize_puts_the_resources_together() {
    if Command::new("kubectl").args(["version", "--client"]).output().is_err() {
        wellread_testkit::skip("kubectl is not installed");
        return;
    }
    let ran = Ran::of(Command::new("kubectl").arg("kustomize").arg(folder()));
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for there in ["kind: StatefulSet", "kind: Job", "namespace: wellread", "GRANT USAGE ON SCHEMA wellread"] {
        assert!(ran.stdout.contains(there), "{there}");
    }
}
