//! What functions expand to, and what is said about those that cannot.

use crate::expansion;
use quote::{ToTokens, quote};
use syn::{File, Item, ItemImpl};

fn expand(options: &str, function: &str) -> File {
    match expansion(options.parse().unwrap(), function.parse().unwrap()) {
        Ok(tokens) => syn::parse2(tokens).unwrap(),
        Err(complaints) => {
            panic!("{:?}", complaints.iter().map(|complaint| &complaint.message).collect::<Vec<_>>())
        }
    }
}

/// The tokens and messages of all that is wrong.
fn complaints(options: &str, function: &str) -> Vec<(String, String)> {
    match expansion(options.parse().unwrap(), function.parse().unwrap()) {
        Ok(tokens) => panic!("accepted: {tokens}"),
        Err(complaints) => {
            complaints.into_iter().map(|complaint| (complaint.at.to_string(), complaint.message)).collect()
        }
    }
}

/// Asserts that there is one complaint, at these tokens, with these words.
#[track_caller]
fn refused(options: &str, function: &str, at: &str, says: &str) {
    let found = complaints(options, function);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, at, "{found:?}");
    assert!(found[0].1.contains(says), "{found:?}");
}

/// Items in a few words: `struct Modulo`, `impl Clone for ModuloExpand`.
fn titles(file: &File) -> Vec<String> {
    let title = |item: &Item| match item {
        Item::Struct(item) => format!("struct {}", item.ident),
        Item::Impl(item) => {
            let of = item.trait_.as_ref().map(|(_, path, _)| format!("{} for ", path.segments.last().unwrap().ident));
            format!("impl {}{}", of.unwrap_or_default(), item.self_ty.to_token_stream())
        }
        other => panic!("{}", other.to_token_stream()),
    };
    file.items.iter().map(title).collect()
}

fn structure(file: &File) -> String {
    file.items[0].to_token_stream().to_string()
}

fn implementation<'a>(file: &'a File, title: &str) -> &'a ItemImpl {
    let at = titles(file).iter().position(|found| found == title).unwrap();
    let Item::Impl(item) = &file.items[at] else { panic!("{title} is no impl") };
    item
}

fn has(item: &ItemImpl, tokens: proc_macro2::TokenStream) -> bool {
    item.to_token_stream().to_string().contains(&tokens.to_string())
}

#[test]
fn a_struct_and_its_traits() {
    let file = expand("buckets = divisor", "pub(crate) fn modulo(key: u32, divisor: u32) -> u32 { key % divisor }");
    assert_eq!(
        titles(&file),
        [
            "struct Modulo",
            "struct ModuloExpand",
            "impl Clone for ModuloExpand",
            "impl IntoMut for ModuloExpand",
            "impl CubeDebug for ModuloExpand",
            "impl CubeType for Modulo",
            "impl LaunchArg for Modulo",
            "impl Modulo",
            "impl BucketFn for Modulo",
            "impl Buckets for Modulo",
        ]
    );
    assert_eq!(
        structure(&file),
        quote!(
            pub(crate) struct Modulo {
                pub(crate) divisor: u32,
            }
        )
        .to_string()
    );
    let body = implementation(&file, "impl Modulo");
    assert!(has(
        body,
        quote!(
            fn __bucket(key: u32, #[allow(unused_variables)] divisor: u32) -> u32 {
                key % divisor
            }
        )
    ));
    assert!(has(
        implementation(&file, "impl BucketFn for Modulo"),
        quote!(
            type Key = u32;
        )
    ));
    let buckets = implementation(&file, "impl Buckets for Modulo");
    assert!(has(
        buckets,
        quote!(
            fn buckets(&self) -> u32 {
                let divisor = self.divisor;
                divisor
            }
        )
    ));
    assert!(!has(buckets, quote!(is_costly)));
}

#[test]
fn no_fields_make_a_unit() {
    let file = expand("buckets = 2, costly", "fn prime_first(key: u32) -> u32 { key & 1 }");
    assert_eq!(
        structure(&file),
        quote!(
            struct PrimeFirst;
        )
        .to_string()
    );
    assert!(has(
        implementation(&file, "impl Buckets for PrimeFirst"),
        quote!(
            fn is_costly(&self) -> bool {
                true
            }
        )
    ));
}

#[test]
fn references_and_compile_time_fields() {
    let function = "fn f(mut key: i32, /** Data. */ data: &Table<u32>, #[comptime] rounds: u32) -> u32 { 0 }";
    let file = expand("name = Other, buckets = data.len()", function);
    assert_eq!(
        structure(&file),
        quote!(
            struct Other {
                #[doc = " Data. "]
                data: Table<u32>,
                rounds: u32,
            }
        )
        .to_string()
    );
    let body = implementation(&file, "impl Other");
    let parameters = quote!((mut key: i32, #[allow(unused_variables)] data: &Table<u32>, #[comptime] rounds: u32));
    assert!(has(body, parameters));
    let bucket = implementation(&file, "impl BucketFn for Other");
    assert!(has(bucket, quote!(Other::__bucket(key, &self.data, self.rounds))));
    assert!(has(implementation(&file, "impl Buckets for Other"), quote!(let data = &self.data; data.len())));
}

#[test]
fn generic_functions() {
    let file = expand("buckets = 2", "pub fn from<K: Key>(key: K, limit: K) -> u32 { 0 }");
    assert_eq!(
        structure(&file),
        quote!(
            pub struct From<K: Key> {
                pub limit: K,
            }
        )
        .to_string()
    );
    assert!(has(implementation(&file, "impl BucketFn for From < K >"), quote!(From::<K>::__bucket(key, self.limit))));
    // No field is of the type: a marker is, and `new` makes it.
    let file = expand("buckets = m", "pub fn from<K: Key>(key: K, m: u32) -> u32 { 0 }");
    assert!(structure(&file).contains(" PhantomData < (K ,) >"), "{}", structure(&file));
    assert!(has(implementation(&file, "impl From < K >"), quote!(pub fn new(m: u32) -> Self)));
}

#[test]
fn attributes_go_where_they_belong() {
    let function = "#[doc = \"Docs.\"] #[derive(Clone)] #[cfg(unix)] #[inline(never)] #[allow(dead_code)] \
                    fn f(key: u32) -> u32 { key }";
    let file = expand("buckets = 2", function);
    let expected = quote!(
        #[cfg(unix)]
        #[doc = "Docs."]
        #[derive(Clone)]
        #[allow(dead_code)]
        struct F;
    );
    assert_eq!(structure(&file), expected.to_string());
    assert!(has(implementation(&file, "impl F"), quote!(#[inline(never)] #[allow(dead_code)] fn __bucket)));
    assert!(file.items.iter().all(|item| item.to_token_stream().to_string().starts_with("# [cfg (unix)]")));
}

#[test]
fn names() {
    let name = |function: &str| {
        let file = expand("buckets = 2", &format!("fn {function}(key: u32) -> u32 {{ 0 }}"));
        titles(&file)[0].clone()
    };
    assert_eq!(name("by_2_digits"), "struct By2Digits");
    assert_eq!(name("_hidden__twice"), "struct HiddenTwice");
    assert_eq!(name("r#match"), "struct Match");
    assert_eq!(name("AlreadyUpper"), "struct AlreadyUpper");
    for function in ["__", "_2way", "self_"] {
        refused("buckets = 2", &format!("fn {function}(key: u32) -> u32 {{ 0 }}"), function, "makes no name");
    }
    refused("buckets = 2, name = parity", "fn f(key: u32) -> u32 { 0 }", "parity", "capital letter");
}

#[test]
fn options_that_do_not_fit() {
    let function = "fn f(key: u32) -> u32 { 0 }";
    refused("", function, "", "write `#[bucket_function(buckets = …)]`");
    refused("costly", function, "", "number of buckets is missing");
    refused("buckets = 2, bukets = 3, costly", function, "bukets", "there are `buckets = …`, `costly` and `name = …`");
    refused("buckets = 2, buckets = 3", function, "buckets", "there twice");
    refused("costly, buckets = 2, costly", function, "costly", "there twice");
    refused("buckets", function, "_", "expected `=`");
    refused("buckets = ", function, "_", "expected an expression");
    refused("buckets = 2 costly", function, "_", "expected `,`");
}

#[test]
fn signatures_that_do_not_fit() {
    let refused = |function: &str, at: &str, says: &str| refused("buckets = 2", function, at, says);
    refused("fn f() -> u32 { 0 }", "f", "the first parameter is the key");
    refused("fn f(key: u32) { }", "f", "`-> u32`");
    refused("fn f(key: u32) -> usize { 0 }", "usize", "`-> u32`");
    refused("fn f(&self, key: u32) -> u32 { 0 }", "& self", "without `self`");
    refused("async fn f(key: u32) -> u32 { 0 }", "async", "`async`");
    refused("unsafe fn f(key: u32) -> u32 { 0 }", "unsafe", "`unsafe`");
    refused("const fn f(key: u32) -> u32 { 0 }", "const", "`const`");
    refused("extern \"C\" fn f(key: u32) -> u32 { 0 }", "extern \"C\"", "`extern`");
    refused("fn f<'a>(key: u32) -> u32 { 0 }", "'a", "leave the lifetime out");
    refused("fn f<const N: u32>(key: u32) -> u32 { 0 }", "const N : u32", "`#[comptime] n: …`");
    refused("fn f<K>(key: K) -> u32 where K: Key { 0 }", "where K : Key", "as in `<K: Key>`");
    refused("struct F { m: u32 }", "struct F { m : u32 }", "is for functions");
    refused("fn f(key: u32) -> u32;", "_", "expected");
}

#[test]
fn parameters_that_do_not_fit() {
    let refused = |parameters: &str, at: &str, says: &str| {
        refused("buckets = 2", &format!("fn f({parameters}) -> u32 {{ 0 }}"), at, says);
    };
    refused("key: &u32", "& u32", "by value: write `u32`");
    refused("(key, other): (u32, u32)", "(key , other)", "a name and a type");
    refused("_: u32", "_", "a name and a type");
    refused("ref key: u32", "ref key", "a name and a type");
    refused("#[comptime] key: u32", "# [comptime] key : u32", "not known at compile time");
    refused("key: impl Key", "impl Key", "<K: Key>(key: K, …)");
    refused("key: u32, [a, b]: [u32; 2]", "[a , b]", "a name and a type");
    refused("key: u32, data: Table<u32>", "Table < u32 >", "write `&Table<u32>`");
    refused("key: u32, data: &[u32]", "& [u32]", "`&Table<u32>`");
    refused("key: u32, data: [u32; 4]", "[u32 ; 4]", "`&Table<u32>`");
    refused("key: u32, data: &mut Table<u32>", "mut", "take it by `&`");
    refused("key: u32, data: &'static Table<u32>", "'static", "leave the lifetime out");
    refused("key: u32, inner: &impl Buckets", "impl Buckets", "inner: &F");
    refused("key: u32, #[comptime] rounds: &u32", "& u32", "by value");
    refused("key: u32, #[comptime] mut rounds: u32", "mut", "does not change");
    refused("key: usize", "usize", "keys are of type `u8`");
    refused("key: String", "String", "keys are of type `u8`");
    refused("key: u32, on: bool", "bool", "`#[comptime]`");
    refused("key: u32, data: &Vec<u32>", "Vec < u32 >", "tables");
    refused("key: u32, pair: (u32, u32)", "(u32 , u32)", "run-time values are of type");
    refused("key: u32, #[unused] m: u32", "# [unused]", "`#[comptime]`");
}

#[test]
fn bodies_that_do_not_fit() {
    let refused = |body: &str, at: &str, says: &str| {
        refused("buckets = 2", &format!("fn f(key: u32) -> u32 {{ {body} }}"), at, says);
    };
    refused("if key > 7 { return 1; } 0", "return", "the last expression");
    refused("if key > 7 { terminate!(); } 0", "terminate", "ends the kernel");
    expand("buckets = 2", "fn f(key: u32, terminate: u32) -> u32 { key & terminate }");
}

#[test]
fn everything_wrong_is_said_at_once() {
    let found = complaints("size = 2", "async fn f(key: &u32, data: Table<u32>) -> u64 { 0 }");
    let at: Vec<_> = found.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(at, ["size", "async", "u64", "& u32", "Table < u32 >"]);
}
