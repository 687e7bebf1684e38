//! Shortest paths from several vertices, to some, and on so many threads.

use super::{SQUARE, done, folder, said_in};
use std::fmt::Write;
use test_support::Random;

#[test]
fn several_sources_have_a_row_each() {
    let folder = folder("sources", &[("in.gr", SQUARE), ("reals.txt", "5 70 1.5\n70 9 2\n")]);
    for strategy in ["dijkstra", "delta-stepping", "bellman-ford"] {
        for sources in ["--source 4,2", "--source 4 --source 2"] {
            let files = "--output @d.txt --predecessors @p.txt --verify";
            let (out, _) = done(&folder, &format!("sssp @in.gr {sources} --strategy {strategy} {files}"));
            let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().take(5).collect()).collect();
            assert!(rows.contains(&vec!["4", "4", "100.0", "2", "8"]), "{out}");
            assert!(rows.contains(&vec!["2", "2", "50.0", "2", "0"]), "{out}");
            assert!(out.contains(&format!("Shortest paths by {strategy}")) && out.contains("verified"), "{out}");
            assert_eq!(said_in(&folder, "d.txt"), "4 1 1\n4 2 8\n4 3 8\n4 4 0\n2 1 inf\n2 2 0\n2 3 0\n2 4 inf\n");
            assert_eq!(said_in(&folder, "p.txt"), "4 1 4\n4 2 1\n4 3 2\n4 4 -\n2 1 -\n2 2 -\n2 3 2\n2 4 -\n");
        }
    }
    let none = u32::MAX;
    let rows = [1, 8, 8, 0, none, 0, 0, none];
    done(&folder, "sssp @in.gr --source 4,2 --output @d.npy --predecessors @p.bin --format npy");
    folder.expect_shape("d.npy", "<u4", "(2,4,)", &rows);
    done(&folder, "sssp @in.gr --source 4,2 --output @d.bin --predecessors @p.bin --format binary");
    assert_eq!(folder.read("d.bin"), crate::files::folder::bytes(&rows));
    assert_eq!(folder.read("p.bin"), crate::files::folder::bytes(&[3, 0, 1, none, none, none, 1, none]));
    // The name of a file says how it is written, if nothing else does.
    done(&folder, "sssp @reals.txt --source 70 --output @one.npy --predecessors @one.txt");
    folder.expect("one.npy", "<f4", &[f32::INFINITY, 2.0, 0.0]);
    assert_eq!(said_in(&folder, "one.txt"), "5 -\n9 70\n70 -\n");
    done(&folder, "sssp @reals.txt --source 70,5 --output @two.npy");
    folder.expect_shape("two.npy", "<f4", "(2,3,)", &[f32::INFINITY, 2.0, 0.0, 0.0, 3.5, 1.5]);
}

/// Distances by the plainest way there is: arcs are taken until nothing changes.
fn distances(n: usize, arcs: &[(usize, usize, u32)], source: usize) -> Vec<Option<u32>> {
    let mut all = vec![None; n];
    all[source] = Some(0);
    loop {
        let before = all.clone();
        for &(from, to, weight) in arcs {
            if let Some(near) = all[from] {
                all[to] = Some(all[to].map_or(near + weight, |far: u32| far.min(near + weight)));
            }
        }
        if all == before {
            return all;
        }
    }
}

#[test]
fn distances_and_paths_are_those_of_a_plain_search() {
    let (n, mut random) = (300, Random::new(7));
    let mut number = |below: usize| random.below(below as u32) as usize;
    let edges: Vec<_> = (0..700).map(|_| (number(n), number(n), number(50) as u32)).collect();
    let both: Vec<_> = edges.iter().flat_map(|&(u, v, w)| [(u, v, w), (v, u, w)]).collect();
    let text = edges.iter().fold(format!("p sp {n} {}\n", edges.len()), |mut text, (u, v, w)| {
        writeln!(text, "a {} {} {w}", u + 1, v + 1).unwrap();
        text
    });
    let folder = folder("plain", &[("in.gr", &text)]);
    for (option, arcs) in [("--directed", &edges), ("--undirected", &both)] {
        done(&folder, &format!("graph export @in.gr {option} --output @in.mtx"));
        for name in ["in.gr", "in.mtx"] {
            let option = if name == "in.gr" { option } else { "" };
            let search = format!("sssp @{name} {option} --source 1,17,300 --target 2,100 --path --verify");
            let (out, _) = done(&folder, &format!("{search} --output @d.txt"));
            let mut expected = String::new();
            for source in [0, 16, 299] {
                let all = distances(n, arcs, source);
                for (v, distance) in all.iter().enumerate() {
                    let shown = distance.map_or("inf".into(), |distance| distance.to_string());
                    writeln!(expected, "{} {} {shown}", source + 1, v + 1).unwrap();
                }
                for target in [1, 99] {
                    let start = format!("  path         from {} to {}: ", source + 1, target + 1);
                    let said = out.lines().find_map(|line| line.strip_prefix(&start)).unwrap();
                    let Some(distance) = all[target] else {
                        assert_eq!(said, "no path leads there");
                        continue;
                    };
                    let path =
                        said.strip_prefix(&format!("distance {distance}, ")).unwrap().split_once(": ").unwrap().1;
                    let path: Vec<usize> = path.split(" -> ").map(|v| v.parse::<usize>().unwrap() - 1).collect();
                    assert_eq!((path[0], path[path.len() - 1]), (source, target));
                    let weight = |step: &[usize]| {
                        let between = arcs.iter().filter(|arc| [arc.0, arc.1] == *step).map(|arc| arc.2);
                        between.min().expect("an arc of the graph")
                    };
                    assert_eq!(path.windows(2).map(weight).sum::<u32>(), distance, "{said}");
                }
            }
            assert!(said_in(&folder, "d.txt") == expected, "{name} {option}");
        }
    }
}

#[test]
fn paths_to_targets() {
    let line: String = (1..40).fold("p sp 41 39\n".into(), |mut text, v| {
        writeln!(text, "a {v} {} 2", v + 1).unwrap();
        text
    });
    let folder = folder("targets", &[("in.gr", SQUARE), ("line.gr", &line)]);
    let (out, _) = done(&folder, "sssp @in.gr --source 4 --target 3,4 --target 1");
    assert!(out.contains("path         from 4 to 3: distance 8, 3 arcs: 4 -> 1 -> 2 -> 3\n"), "{out}");
    assert!(out.contains("path         from 4 to 4: distance 0, 0 arcs: 4\n"), "{out}");
    assert!(out.contains("path         from 4 to 1: distance 1, 1 arc: 4 -> 1\n"), "{out}");
    let (out, _) = done(&folder, "sssp @in.gr --source 1,2 --target 4,3");
    for line in [
        "from 1 to 4: no path leads there",
        "from 1 to 3: distance 7, 2 arcs: 1 -> 2 -> 3",
        "from 2 to 4: no path leads there",
        "from 2 to 3: distance 0, 1 arc: 2 -> 3",
    ] {
        assert!(out.contains(&format!("  path         {line}\n")), "{out}");
    }
    let short = "from 1 to 40: distance 78, 39 arcs: 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> (28 more) -> 35 -> 36 -> 37 -> 38 -> \
                 39 -> 40; --path prints all of it\n";
    let (out, _) = done(&folder, "sssp @line.gr --target 40,41");
    assert!(out.contains(short) && out.contains("from 1 to 41: no path leads there\n"), "{out}");
    let all: Vec<String> = (1..=40).map(|v: u32| v.to_string()).collect();
    let (out, _) = done(&folder, "sssp @line.gr --target 40 --path");
    assert!(out.contains(&format!("from 1 to 40: distance 78, 39 arcs: {}\n", all.join(" -> "))), "{out}");
}

#[test]
fn searches_that_reach_almost_nothing_say_why() {
    // A circle of 60 vertices whose arcs go one way, a leaf that leads into it, a leaf that is led to, two that are
    // apart, and one alone.
    let mut text = String::from("p sp 65 63\n");
    (1..=60).for_each(|v| writeln!(text, "a {v} {} 1", v % 60 + 1).unwrap());
    text += "a 61 7 1\na 9 62 1\na 63 64 1\n";
    let folder = folder("little", &[("in.gr", &text), ("first.txt", "1 2\n3 2\n4 3\n3 5\n")]);
    let note = |text: &str| format!("  note         {text}\n");
    let disconnected = |v: u32, size: u32| {
        format!(
            "the graph is not connected: it has 3 components, and {v} is in one of {size} vertices; the largest has 62"
        )
    };
    let hub = "--source 9 may reach more: it has 2 arcs, the most of the largest component";
    for (source, expected) in [
        (1, vec![]),
        (61, vec![]),
        (
            62,
            vec![
                "no arc leaves 62, but one leads to it".into(),
                "arcs are taken one way: both ways, they connect 62 with 62 of 65 vertices; --undirected does that"
                    .into(),
                hub.into(),
            ],
        ),
        (63, vec![disconnected(63, 2), hub.into()]),
        (65, vec!["65 is isolated: no arc leaves it, and none leads to it".into(), disconnected(65, 1), hub.into()]),
    ] {
        let (out, _) = done(&folder, &format!("sssp @in.gr --source {source}"));
        let found: Vec<&str> = out.split_inclusive('\n').filter(|line| line.starts_with("  note")).collect();
        let expected: Vec<String> = expected.iter().map(|text: &String| note(text)).collect();
        assert_eq!(found, expected, "{out}");
    }
    done(&folder, "graph convert @in.gr @in.bin");
    let (out, _) = done(&folder, "sssp @in.bin --source 62,1");
    assert!(out.contains("62 of 65 vertices; make the binary graph anew with --undirected"), "{out}");
    let (out, _) = done(&folder, "sssp @in.gr --source 62,63,65");
    assert_eq!(out.matches(hub).count(), 1, "{out}");
    let (out, _) = done(&folder, "sssp @first.txt --undirected");
    assert!(!out.contains("\n  note"), "{out}");
    let (out, _) = done(&folder, "sssp @first.txt --source 2");
    assert!(out.contains("no arc leaves 2, but 2 lead to it"), "{out}");
    let other = super::folder("first", &[("list.txt", "5 1\n7 1\n")]);
    let (out, _) = done(&other, "sssp @list.txt");
    assert!(out.contains("no --source was named: 1 is the first vertex of the graph"), "{out}");
}

/// While the program waits for its input, its threads are there to be counted.
#[cfg(target_os = "linux")]
#[test]
fn threads_are_those_that_were_asked_for() {
    use std::io::Write as _;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let count = |arguments: &str| {
        let mut search = crate::program::command();
        search.args(arguments.split(' ')).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = search.spawn().unwrap();
        let tasks = format!("/proc/{}/task", child.id());
        let named = || {
            let tasks = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
            let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
            names.filter(|name| name.starts_with("multisplit-")).count()
        };
        // As many as there ever are: they start one after the other.
        let (start, mut most) = (Instant::now(), 0);
        let mut since = Instant::now();
        while start.elapsed() < Duration::from_secs(20) && (most == 0 || since.elapsed() < Duration::from_millis(200)) {
            let now = named();
            if now > most {
                (most, since) = (now, Instant::now());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        child.stdin.take().unwrap().write_all(b"1 2 5\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", crate::program::text(&output.stderr));
        (most, crate::program::text(&output.stdout))
    };
    for threads in [1, 3, 7] {
        let (most, out) = count(&format!("--no-kernel-cache sssp - --device cpu --threads {threads}"));
        assert_eq!(most, threads);
        assert!(out.contains(&format!("{threads} threads available")), "{out}");
    }
    assert_eq!(count("--no-kernel-cache graph info - --threads 5").0, 5);
}
