//! Completions, and pages for `man`.

use super::folder;
use crate::program::success;

#[test]
fn every_shell_gets_completions() {
    for (shell, part) in [
        ("bash", "complete -F _multisplit"),
        ("zsh", "#compdef multisplit"),
        ("fish", "complete -c multisplit"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[multisplit]"),
    ] {
        let script = success(&format!("completions {shell}"));
        assert!(script.contains(part) && script.contains("histogram") && script.contains("output-dir"), "{shell}");
    }
}

#[test]
fn every_command_has_a_page() {
    let folder = folder("pages");
    let said = success(&folder.say("man --output @new/man1"));
    let pages: Vec<String> = std::fs::read_dir(folder.say("@new/man1"))
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(said.contains(&format!("{} pages", pages.len())), "{said}");
    for name in ["multisplit", "multisplit-split", "multisplit-graph-generate-rmat", "multisplit-bench-large-m"] {
        assert!(pages.contains(&format!("{name}.1")), "{name}: {pages:?}");
    }
    let page = String::from_utf8(folder.read("new/man1/multisplit-split.1")).unwrap();
    assert!(
        page.contains(".TH") && page.contains("splitters") && page.contains(".SH EXAMPLE\nExample: multisplit split"),
        "{page}"
    );
}
