use super::*;

fn axis(name: &str, scale: Scale) -> Axis {
    Axis { name: name.into(), scale }
}

fn line(name: &str, stroke: Stroke, values: &[(f64, f64)]) -> Line {
    let point = |&(x, y)| Point { x, y, range: Some([y * 0.9, y * 1.1]), tooltip: format!("{name} <{y}>") };
    Line { name: name.into(), stroke, points: values.iter().map(point).collect() }
}

fn count(svg: &str, what: &str) -> usize {
    svg.matches(what).count()
}

#[test]
fn lines_have_points_tooltips_and_names() {
    let lines = vec![
        line("a & b", Stroke::Full, &[(2.0, 10.0), (4.0, 20.0), (256.0, 40.0)]),
        line("short", Stroke::Full, &[(2.0, 11.0), (4.0, 22.0)]),
        line("limit", Stroke::Limit, &[(2.0, 50.0), (256.0, 50.0)]),
    ];
    let chart = LineChart { title: "t < u".into(), x: axis("x", Scale::Log2), y: axis("y", Scale::Log10), lines };
    let svg = Chart::Lines(chart).file();
    assert_eq!((count(&svg, "<circle"), count(&svg, "<polyline"), count(&svg, "class=\"range")), (5, 3, 5));
    for text in
        ["<title>a &amp; b &lt;20&gt;</title>", ">a &amp; b</text>", "t &lt; u", ">256</text>", "prefers-color-scheme"]
    {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf") && svg.ends_with("</svg>\n"), "{svg}");
    // Names stand below each other.
    let heights: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains("class=\"end"))
        .filter_map(|line| line.split(" y=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert_eq!(heights.len(), 3);
    assert!(heights.iter().enumerate().all(|(i, a)| heights[..i].iter().all(|b| (a - b).abs() >= 14.9)), "{heights:?}");
}

#[test]
fn what_a_scale_cannot_show_is_left_out() {
    let lines = vec![line("a", Stroke::Full, &[(0.0, 1.0), (1.0, 0.0), (2.0, f64::NAN), (4.0, 2.0)])];
    let chart = LineChart { title: "t".into(), x: axis("x", Scale::Log2), y: axis("y", Scale::Log10), lines };
    let svg = chart.svg();
    assert_eq!(count(&svg, "<circle"), 1, "{svg}");
    let nothing = LineChart { lines: Vec::new(), ..chart };
    assert!(nothing.svg().ends_with("</svg>\n"));
}

#[test]
fn bars_stand_side_by_side_or_on_each_other() {
    let bar = |value: f64| Some(Bar { value, range: None, tooltip: format!("{value}") });
    let series = |name: &str, bars: [Option<Bar>; 2]| Series { name: name.into(), bars: bars.to_vec() };
    let chart = |stacked, scale| BarChart {
        title: "t".into(),
        groups_are: "graphs".into(),
        groups: vec!["one".into(), "two".into()],
        y: axis("ms", scale),
        stacked,
        series: vec![series("a", [bar(1.0), bar(2.0)]), series("b", [bar(3.0), None])],
    };
    for (stacked, scale, top) in
        [(false, Scale::Linear, ">3</text>"), (true, Scale::Linear, ">4</text>"), (false, Scale::Log10, ">5</text>")]
    {
        let svg = chart(stacked, scale).svg();
        assert_eq!(count(&svg, "</title></rect>"), 3, "{svg}");
        assert!(svg.contains(top) && svg.contains(">one</text>") && !svg.contains("NaN"), "{svg}");
    }
}

#[test]
fn histograms_have_a_bar_for_each_count() {
    let histogram = |title: &str, counts: &[u64]| {
        let edge = |i: usize| Edge { label: i.to_string(), part: i as f64 / counts.len().max(1) as f64 };
        let edges = (0..=counts.len()).map(edge).collect();
        Chart::Histogram(Histogram { title: title.into(), about: "3 keys".into(), counts: counts.into(), edges })
    };
    let svg = histogram("a < b", &[0, 3, 5]).file();
    assert_eq!(count(&svg, "class=\"bar\""), 2);
    assert!(svg.contains("a &lt; b</text>") && svg.contains("<title>1 .. 2: 3</title>"), "{svg}");
    assert!(svg.contains(">3 keys</text>") && svg.contains(">0</text>") && svg.contains(">3</text>"), "{svg}");
    assert!(svg.contains("prefers-color-scheme") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
    assert_eq!(count(&histogram("", &[]).file(), "class=\"bar\""), 0);
    assert!(histogram("", &[]).is_empty());
    // Of very many edges a few are labelled.
    assert!(count(&histogram("", &[1; 2048]).file(), "class=\"axis\"") <= 12);
}
