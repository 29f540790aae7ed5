use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).unwrap_or_else(|e| panic!("{pattern}: {e}")).is_full_match(text)
}

/// The texts of `all`, cut at blanks, that the pattern matches as a whole.
fn of<'a>(pattern: &str, all: &'a str) -> Vec<&'a str> {
    all.split(' ').filter(|text| matches(pattern, text)).collect()
}

fn refusal(pattern: &str) -> String {
    match Regex::new(pattern) {
        Ok(_) => panic!("{pattern} is accepted"),
        Err(refusal) => refusal.to_string(),
    }
}

#[test]
fn the_whole_text_matches() {
    assert_eq!(of("a|ab|abc", "ab abc xab a"), ["ab", "abc", "a"]);
    assert!(matches("", "") && !matches("", "a") && matches("|a", "a") && matches("(?:)*", ""));
    assert!(matches("a$", "a") && !matches("a$", "a\n") && matches("(?m)a$\n^b", "a\nb"));
    assert!(!matches("a$\n^b", "a\nb") && matches(r"\Aa\z", "a"));
}

#[test]
fn perl_and_posix_classes_are_ascii() {
    assert_eq!(of(r"\d+", "12 ١٢ 1x"), ["12"]);
    assert_eq!(of(r"\w+", "é a_9 ſ"), ["a_9"]);
    assert_eq!(of(r"\W+", "é a +-"), ["é", "+-"]);
    assert!(!matches(r"\s", "\u{a0}") && !matches(r"\s", "\u{b}") && matches(r"\S", "\u{b}"));
    assert!(matches("[[:space:]]", "\u{b}") && !matches("[[:space:]]", "\u{a0}"));
    assert_eq!(of("[[:^alpha:]]", "a é 1"), ["é", "1"]);
    assert_eq!(of("[[:word:]-]+", "a-b a.b"), ["a-b"]);
    assert_eq!(of("[[:alpha]+", "[: a:l b"), ["[:", "a:l"]);
    assert!(matches(r"a\bé", "aé") && matches(r"a\B_", "a_"));
}

#[test]
fn classes() {
    assert_eq!(of("[]a]+", "] a] b"), ["]", "a]"]);
    assert_eq!(of("[^]a]", "] a b"), ["b"]);
    assert_eq!(of("[a-]+", "a- b"), ["a-"]);
    assert_eq!(of(r"[\d-z]+", "1-z y"), ["1-z"]);
    assert_eq!(of(r"[--a]+", "-a ."), ["-a", "."]);
    assert_eq!(of(r"\pN\p{Greek}\P{^Lu}", "1αA ²βÉ 1aA"), ["1αA", "²βÉ"]);
    assert!(matches(r"\p{Any}", "\u{378}") && !matches(r"\p{C}", "\u{378}"));
    assert!(matches(r"\p{Yi}", "\u{a000}"));
    assert!(matches(r"\p{Zl}", "\u{2028}") && !matches(r"[^\x00-\x{10FFFF}]", "a"));
    for nothing in [
        r"[^\x00-\x{10FFFF}]",
        r"\P{Any}",
        r"[^\x00-\x{D7FF}\x{E000}-\x{10FFFF}]",
        r"[\x{D800}-\x{DFFF}]",
    ] {
        assert!(
            ["\u{d7ff}", "\u{e000}", "a"].iter().all(|text| !matches(nothing, text)),
            "{nothing}"
        );
    }
    assert!(matches(r"[\x{D800}-\x{E000}]", "\u{e000}") && !matches(r"[\x{DFFF}-\x{E000}]", "a"));
    assert!(matches("[^a]", "\n") && !matches(".", "\n") && matches("(?s).", "\n"));
    assert!(!matches(r"\C", "é") && matches(r"\C\C", "é"));
}

#[test]
fn flags() {
    assert_eq!(of("(?i)k", "k K \u{212a} q"), ["k", "K", "\u{212a}"]);
    assert_eq!(of(r"(?i)\w", "ſ é"), ["ſ"]);
    assert_eq!(of(r"(?i)[^s]", "ſ s S t"), ["t"]);
    assert_eq!(of(r"(?i)\W", "ſ + k"), ["+"]);
    assert_eq!(of("(?i:a)b", "Ab aB"), ["Ab"]);
    assert_eq!(of("(?i)a(?-i)b", "Ab AB"), ["Ab"]);
    assert_eq!(of("(a(?i)b)c", "aBc aBC"), ["aBc"]);
    assert_eq!(of("x|(?i)a|b", "X A B"), ["A", "B"]);
    assert!(matches("(?U)a+?", "aaa") && matches("(?)a", "a") && matches("(?is-mU:A.)", "a\n"));
    assert!(matches("(?P<name>a)(?<é_1>b)", "ab"));
    assert!(matches("a(?i)*", "aa") && matches("a*(?i)*", "aa"));
}

#[test]
fn escapes() {
    let text = "\u{7}\u{c}\n\r\t\u{b}\0A\u{e9}\n8!é\u{1ff}";
    assert!(matches(r"\a\f\n\r\t\v\0\x41\x{E9}\128\!é\777", text));
    assert!(matches(r"\Qa.*\\Eb", r"a.*\b"));
    assert!(matches(r"\Qa.*\Eb", "a.*b") && matches(r"\Q(", "(") && matches(r"a\Q\E*", "aa"));
    assert!(!matches(r"\x{D800}", "a") && matches(r"\_\-", "_-"));
}

#[test]
fn repetitions() {
    assert_eq!(of("a{2}|b{1,2}|c{2,}", "a aa b bb bbb c cc ccc"), ["aa", "b", "bb", "cc", "ccc"]);
    assert_eq!(
        of("a{,2}|a{|a{01}|{a}|a{1,2", "a{,2} a{ a{01} {a} a{1,2"),
        ["a{,2}", "a{", "a{01}", "{a}", "a{1,2"]
    );
    assert!(
        matches("a{10000000000}", "a{10000000000}") && matches("a{0}", "") && matches("^*a", "a")
    );
    assert!(matches("(?:a{2}){500}", &"a".repeat(1000)));
}

#[test]
fn refusals_name_the_place() {
    assert_eq!(
        refusal("é(?=a)"),
        "`(?=` at character 2 is not valid in RE2: there is no lookaround"
    );
    for (pattern, part) in [
        (r"a(?!b)", "(?!"),
        ("(?<=a)", "(?<="),
        ("(?<!a)", "(?<!"),
        ("(?>a)", "(?>"),
        ("(?#a)", "(?#"),
        ("(?'n'a)", "(?'"),
        ("(?P=n)", "(?P"),
        ("(?P<>a)", "(?P<>"),
        ("(?P<a-b>c)", "(?P<a-"),
        ("(?i-)a", "(?i-)"),
        ("(?-:a)", "(?-:"),
        ("(?x)a", "(?x"),
        (r"\1", r"\1"),
        (r"\8", r"\8"),
        (r"\Z", r"\Z"),
        (r"\h", r"\h"),
        (r"\K", r"\K"),
        (r"\é", r"\é"),
        ("a\\", "\\"),
        (r"\E", r"\E"),
        (r"\x4", r"\x4"),
        (r"\x{}", r"\x{}"),
        (r"\x{110000}", r"\x{110000"),
        (r"\p{greek}", r"\p{greek}"),
        (r"\pX", r"\pX"),
        (r"\p{Lu", r"\p"),
        ("[a", "[a"),
        ("[]", "[]"),
        ("[z-a]", "z-a"),
        (r"[a-\d]", r"\d"),
        (r"[\b]", r"\b"),
        ("[[:foo:]]", "[:foo:]"),
        ("a**", "**"),
        ("a*+", "*+"),
        ("a{2}{3}", "{2}{3}"),
        ("*a", "*"),
        ("a|*", "*"),
        ("(+)", "+"),
        ("(?i)*", "*"),
        ("a{2,1}", "{2,1}"),
        ("a{1001}", "{1001}"),
        ("(a{100}){11}", "{11}"),
        ("(?:(?:a{0}){900}){2}", "{2}"),
        ("a)b", ")"),
        ("(a", "(a"),
        ("a)(b", ")"),
    ] {
        let told = refusal(pattern);
        assert!(told.starts_with(&format!("`{part}` at character ")), "{pattern}: {told}");
    }
}

#[test]
fn large_patterns() {
    assert!(refusal(r"\pL{1000}").contains("takes more than 8 MiB"));
    let nested = |open: &str, close: &str, n: usize| open.repeat(n) + "a" + &close.repeat(n);
    assert!(matches(&nested("(", ")", 50_000), "a") && matches(&nested("(?:", ")*", 400), "aa"));
    assert!(refusal(&nested("(b|", ")*", 400)).contains("nested more than 500 deep"));
    assert!(matches(&"a?".repeat(2000), &"a".repeat(1999)));
}
