//! Traces as the languages print them; the programs are made up.

use super::*;

/// The frames of a text's traces, innermost first: `path:line function`.
fn shown(text: &str) -> Vec<Vec<String>> {
    let frame = |frame: &Frame| {
        let path = frame.path.as_deref().unwrap_or("?");
        let line = frame.line.map(|line| format!(":{line}")).unwrap_or_default();
        let function = frame.function.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        format!("{path}{line}{function}")
    };
    traces(text).traces.iter().map(|trace| trace.frames.iter().map(frame).collect()).collect()
}

#[test]
fn python_ends_with_the_innermost() {
    let text = "Traceback (most recent call last):\n  File \"/home/ci/app/export.py\", line 87, in <module>\n    \
                sys.exit(main(sys.argv[1:]))\n             ^^^^^^^^^^^^^^^^^^\n  File \"/home/ci/app/export.py\", line 52, in read_log\n    \
                rows.append(parse(line))\nValueError: bad\n\nDuring handling of the above exception, another exception occurred:\n\n\
                Traceback (most recent call last):\n  File \"C:\\app\\clean.py\", line 3, in Row.of\nKeyError: 1\n";
    assert_eq!(
        shown(text),
        [
            vec!["/home/ci/app/export.py:52 read_log", "/home/ci/app/export.py:87"],
            vec!["C:/app/clean.py:3 Row.of"]
        ]
    );
    let pytest =
        "tests/test_a.py:12: in test_open\n    store.open()\nsrc/store.py:31: in open\n    raise E\n";
    assert_eq!(shown(pytest), [["src/store.py:31 open", "tests/test_a.py:12 test_open"]]);
}

#[test]
fn rust_panics_and_backtraces() {
    let text = "thread 'main' (4242) panicked at src/store.rs:31:9:\nindex out of bounds\nstack backtrace:\n   \
                0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:697:5\n   \
                1: core::panicking::panic_fmt\n             at /rustc/abc/library/core/src/panicking.rs:75:14\n   \
                2: <store::Store as store::Open>::open::h0123456789abcdef\n             at ./src/store.rs:31:9\n   \
                3: app::main::{{closure}}\n             at ./src/main.rs:7:5\n   4: std::rt::lang_start\n";
    assert_eq!(
        shown(text),
        [
            vec!["src/store.rs:31"],
            vec![
                "/rustc/abc/library/std/src/panicking.rs:697 rust_begin_unwind",
                "/rustc/abc/library/core/src/panicking.rs:75 core.panicking.panic_fmt",
                "src/store.rs:31 store.Store.open",
                "src/main.rs:7 app.main",
                "? std.rt.lang_start",
            ]
        ]
    );
    assert_eq!(shown("thread 'x' panicked at 'no, it's bad', src/a.rs:3:5"), [["src/a.rs:3"]]);
}

#[test]
fn javascript_in_node_and_in_browsers() {
    let text = "TypeError: x is undefined\n    at Store.open (/srv/app/src/store.js:31:5)\n    \
                at async Promise.all (index 0)\n    at new Reader [as make] (webpack:///./src/reader.ts?1a:7:1)\n    \
                at file:///srv/app/run.mjs:3:1\n    at Array.map (<anonymous>)\n    \
                at Module._compile (node:internal/modules/cjs/loader:1376:14)\n";
    assert_eq!(
        shown(text),
        [["/srv/app/src/store.js:31 Store.open", "src/reader.ts:7 Reader", "srv/app/run.mjs:3", "?"]]
    );
    let firefox = "open@http://localhost:8080/src/store.js:31:5\n@http://localhost:8080/main.js:2:1\n";
    assert_eq!(shown(firefox), [["src/store.js:31 open", "main.js:2"]]);
}

#[test]
fn java_and_kotlin_name_the_package_and_causes_stand_apart() {
    let text = "Exception in thread \"main\" java.lang.IllegalStateException: bad\n\tat com.acme.store.Store.open(Store.java:31)\n\t\
                at app//com.acme.MainKt$main$1.invoke(Main.kt:7)\n\tat java.base/java.util.List.of(List.java:9)\n\t... 3 more\n\
                Caused by: java.io.IOException: x\n\tat com.acme.io.Disk.read(Disk.java:12) ~[app.jar:1.0]\n\t\
                at jdk.internal.Native.call(Native Method)\n";
    assert_eq!(
        shown(text),
        [
            vec![
                "com/acme/store/Store.java:31 com.acme.store.Store.open",
                "com/acme/Main.kt:7 com.acme.MainKt.main.invoke",
                "java/util/List.java:9 java.util.List.of"
            ],
            vec!["com/acme/io/Disk.java:12 com.acme.io.Disk.read", "? jdk.internal.Native.call"]
        ]
    );
}

#[test]
fn go_takes_two_lines_a_frame() {
    let text = "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\ngithub.com/acme/app/store.(*Store).Open(0xc0000, {0x1, 0x2})\n\t\
                /home/ci/app/store/store.go:31 +0x1d\nmain.main()\n\t/home/ci/app/main.go:7 +0x9\n\ngoroutine 5 [select]:\n\
                main.run.func1()\n\t/home/ci/app/main.go:12 +0x2\ncreated by main.run in goroutine 1\n\t/home/ci/app/main.go:10 +0x3\n";
    assert_eq!(
        shown(text),
        [
            vec!["/home/ci/app/store/store.go:31 store.Store.Open", "/home/ci/app/main.go:7 main.main"],
            vec!["/home/ci/app/main.go:12 main.run", "/home/ci/app/main.go:10 main.run"]
        ]
    );
}

#[test]
fn debuggers_and_sanitizers_of_c() {
    let gdb = "#0  0x0000555555 in Store::open (this=0x0, path=\"x at y\") at src/store.cc:31\n\
               #1  main (argc=1, argv=0x7ffe) at src/main.cc:7\n#2  0x00007f in __libc_start_main () from /lib/libc.so.6\n";
    assert_eq!(shown(gdb), [["src/store.cc:31 Store.open", "src/main.cc:7 main"]]);
    let asan = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\nREAD of size 4 at 0x60 thread T0\n    \
                #0 0x4f in acme::Store::open(char const*, int) /home/ci/src/store.cc:31:5\n    #1 0x50 in main src/main.c:7\n    \
                #2 0x7f in __libc_start_main (/lib/libc.so.6+0x29)\n";
    assert_eq!(
        shown(asan),
        [["/home/ci/src/store.cc:31 acme.Store.open", "src/main.c:7 main", "? __libc_start_main"]]
    );
    let lldb = "  * frame #0: 0x0001 app`Store::open(this=0x0) at store.cc:31:5\n    frame #1: 0x0002 app`main at main.cc:7:3\n";
    assert_eq!(shown(lldb), [["store.cc:31 Store.open", "main.cc:7 main"]]);
    let valgrind = "==9== Invalid read of size 4\n==9==    at 0x1091: open (store.c:31)\n==9==    by 0x1092: main (main.c:7)\n";
    assert_eq!(shown(valgrind), [["store.c:31 open", "main.c:7 main"]]);
}

#[test]
fn c_sharp_with_symbols_and_without() {
    let text = "Unhandled exception. System.InvalidOperationException: bad\n   at Acme.Store.Open(String path) in C:\\build\\src\\Store.cs:line 31\n   \
                at Acme.Program.<RunAsync>d__5.MoveNext() in /src/Program.cs:line 7\n   at System.Linq.Enumerable.First[T](IEnumerable`1 source)\n";
    assert_eq!(
        shown(text),
        [[
            "C:/build/src/Store.cs:31 Acme.Store.Open",
            "/src/Program.cs:7 Acme.Program.RunAsync",
            "? System.Linq.Enumerable.First"
        ]]
    );
}

#[test]
fn ruby_in_either_order() {
    let text = "/srv/app/store.rb:31:in 'Store#open': no such file (Errno::ENOENT)\n\tfrom /srv/app/main.rb:7:in `block in run'\n\t\
                from /srv/app/main.rb:9:in `<main>'\n";
    assert_eq!(
        shown(text),
        [["/srv/app/store.rb:31 Store.open", "/srv/app/main.rb:7 run", "/srv/app/main.rb:9"]]
    );
    let counted =
        "Traceback (most recent call last):\n\t1: from main.rb:9:in `<main>'\n\t0: from main.rb:7:in `run'\n";
    assert_eq!(shown(counted), [["main.rb:7 run", "main.rb:9"]]);
}

#[test]
fn php_names_where_it_was_thrown_and_where_it_was_called() {
    let text = "PHP Fatal error:  Uncaught RuntimeException: bad in /srv/app/src/Store.php:31\nStack trace:\n\
                #0 /srv/app/src/Reader.php(7): Acme\\Store->open('x')\n#1 {main}\n  thrown in /srv/app/src/Store.php on line 31\n";
    assert_eq!(shown(text), [["/srv/app/src/Store.php:31", "/srv/app/src/Reader.php:7"]]);
}

#[test]
fn sentences_are_no_frames() {
    let text = "Look at the store (src/store.rs:31) when it fails at 5: it opens.\n#1 priority: fix it at once\n\
                1: first of all\nThe error is in the parser.\nat least one\nsee a: b\n";
    assert_eq!(shown(text), [[""; 0]; 0]);
}

#[test]
fn a_trace_that_repeats_itself_is_read_once() {
    let one = "  File \"a.py\", line 3, in f\n    f()\n";
    let text = format!("Traceback (most recent call last):\n{}RecursionError: x\n", one.repeat(10_000));
    assert_eq!(shown(&text), [["a.py:3 f"]]);
    let many: String = (0..10_000).map(|at| format!("    at f{at} (a.js:{at}:1)\n")).collect();
    assert_eq!(shown(&many)[0].len(), MOST);
}

#[test]
fn a_log_in_which_the_same_failure_comes_again_holds_it_once() {
    let one = "Error: x\n    at f (a.js:1:1)\n    at g (b.js:2:1)\n";
    assert_eq!(traces(&one.repeat(500)).traces.len(), 1);
}

#[test]
fn paths_in_sentences_with_their_lines() {
    for (word, wanted) in [
        ("src/a.rs:31", Some(("src/a.rs", Some(31)))),
        ("(src/a.rs:31:5)", Some(("src/a.rs", Some(31)))),
        ("a.cs(31,5)", Some(("a.cs", Some(31)))),
        ("src/a.rs#L31-L40", Some(("src/a.rs", Some(31)))),
        ("store.rs.", Some(("store.rs", None))),
        ("`store.rs`", Some(("store.rs", None))),
        ("https://x.example/a.rs", None),
        ("word", None),
        ("me@x.example", None),
    ] {
        let found = path_and_line(word);
        assert_eq!(found.as_ref().map(|(path, line)| (path.as_str(), *line)), wanted, "{word}");
    }
}
