//! The user's function, checked.

use crate::complaint::Complaint;
use crate::options::Options;
use crate::parameter::{Parameter, is_named, ungrouped};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, Block, FnArg, GenericParam, Generics, Ident, Item, ItemFn, ReturnType, Signature, Visibility};

pub struct Function {
    pub attributes: Attributes,
    pub vis: Visibility,
    /// The struct's name.
    pub name: Ident,
    pub generics: Generics,
    pub key: Parameter,
    pub fields: Vec<Parameter>,
    pub body: Block,
}

impl Function {
    pub fn parse(item: TokenStream, options: &Options) -> Result<Self, Vec<Complaint>> {
        let ItemFn { attrs, vis, sig, block } = match syn::parse2(item.clone()) {
            Ok(function) => function,
            Err(error) => return Err(vec![not_a_function(item, error)]),
        };
        let mut complaints = Vec::new();
        check_qualifiers(&sig, &mut complaints);
        check_generics(&sig.generics, &mut complaints);
        check_output(&sig, &mut complaints);
        check_body(block.to_token_stream(), &mut complaints);
        let name = struct_name(&sig.ident, options, &mut complaints);
        let (key, fields) = parameters(&sig, &mut complaints);
        let (Some(name), Some(key), true) = (name, key, complaints.is_empty()) else { return Err(complaints) };
        let (attributes, generics) = (Attributes::sort(attrs), sig.generics);
        Ok(Self { attributes, vis, name, generics, key, fields, body: *block })
    }

    /// Type parameters that no field is made of. A marker names them.
    pub fn unused_types(&self) -> Vec<&Ident> {
        let is_used = |ty: &Ident| self.fields.iter().any(|field| mentions(field.ty.to_token_stream(), ty));
        self.generics.type_params().map(|param| &param.ident).filter(|ty| !is_used(ty)).collect()
    }
}

/// The function's attributes, by what they are for.
#[derive(Default)]
pub struct Attributes {
    /// Conditions, for all items.
    pub conditions: Vec<Attribute>,
    /// For the struct: all that are not for others.
    pub of_struct: Vec<Attribute>,
    /// For the function that has the body.
    pub of_body: Vec<Attribute>,
}

impl Attributes {
    fn sort(attributes: Vec<Attribute>) -> Self {
        let mut sorted = Self::default();
        for attribute in attributes {
            match attribute.path().get_ident().map(Ident::to_string).as_deref() {
                Some("cfg") => sorted.conditions.push(attribute),
                Some("inline" | "expect") => sorted.of_body.push(attribute),
                Some("allow" | "warn" | "deny" | "forbid") => {
                    sorted.of_body.push(attribute.clone());
                    sorted.of_struct.push(attribute);
                }
                _ => sorted.of_struct.push(attribute),
            }
        }
        sorted
    }
}

fn not_a_function(item: TokenStream, error: syn::Error) -> Complaint {
    match syn::parse2::<Item>(item) {
        Ok(item) if !matches!(item, Item::Fn(_) | Item::Verbatim(_)) => {
            Complaint::new(item, "`#[bucket_function]` is for functions: `fn modulo(key: u32, divisor: u32) -> u32`")
        }
        _ => error.into(),
    }
}

fn check_qualifiers(sig: &Signature, complaints: &mut Vec<Complaint>) {
    let mut refuse = |at: Option<TokenStream>, what: &str| {
        complaints.extend(at.map(|at| Complaint::new(at, format!("a bucket function is not {what}"))));
    };
    refuse(sig.constness.map(|token| quote!(#token)), "`const`: kernels have their own version of it");
    refuse(sig.asyncness.map(|token| quote!(#token)), "`async`: kernels do not wait");
    refuse(sig.unsafety.map(|token| quote!(#token)), "`unsafe`: it is called with any key");
    refuse(sig.abi.as_ref().map(|abi| quote!(#abi)), "`extern`: it is inlined into kernels");
    refuse(sig.variadic.as_ref().map(|dots| quote!(#dots)), "variadic: each parameter becomes a field");
}

/// Types alone, with bounds where they are declared: that is what each item of the expansion repeats.
fn check_generics(generics: &Generics, complaints: &mut Vec<Complaint>) {
    for param in &generics.params {
        match param {
            GenericParam::Type(_) => {}
            GenericParam::Lifetime(param) => {
                complaints.push(Complaint::new(param, "the struct owns its fields: leave the lifetime out"));
            }
            GenericParam::Const(param) => {
                let message =
                    format!("compile-time numbers are parameters: write `#[comptime] {}: …`", snake(&param.ident));
                complaints.push(Complaint::new(param, message));
            }
        }
    }
    if let Some(clause) = &generics.where_clause {
        let message = "write bounds where the type parameter is declared, as in `<K: Key>`";
        complaints.push(Complaint::new(clause, message));
    }
}

fn check_output(sig: &Signature, complaints: &mut Vec<Complaint>) {
    let returns = "a bucket function returns the number of the bucket: `-> u32`";
    match &sig.output {
        ReturnType::Default => complaints.push(Complaint::new(&sig.ident, returns)),
        ReturnType::Type(_, ty) if is_named(&ungrouped((**ty).clone()), "u32") => {}
        ReturnType::Type(_, ty) => complaints.push(Complaint::new(ty, returns)),
    }
}

/// Refuses what means something else in a kernel.
fn check_body(body: TokenStream, complaints: &mut Vec<Complaint>) {
    let mut tokens = body.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => check_body(group.stream(), complaints),
            TokenTree::Ident(ident) if ident == "return" => {
                let message = "kernels have no `return`: assign the bucket to a variable, which is the last expression";
                complaints.push(Complaint::new(ident, message));
            }
            TokenTree::Ident(ident) if ident == "terminate" => {
                let is_macro = matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '!');
                if is_macro {
                    complaints.push(Complaint::new(ident, "this ends the kernel: each key must have a bucket"));
                }
            }
            _ => {}
        }
    }
}

fn parameters(sig: &Signature, complaints: &mut Vec<Complaint>) -> (Option<Parameter>, Vec<Parameter>) {
    let mut typed = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Typed(parameter) => typed.push(parameter.clone()),
            FnArg::Receiver(receiver) => {
                let message = "a bucket function is no method: the struct is made of its parameters, \
                               and the body names them without `self`";
                complaints.push(Complaint::new(receiver, message));
                return (None, Vec::new());
            }
        }
    }
    let mut typed = typed.into_iter();
    let Some(key) = typed.next() else {
        let message = "the first parameter is the key: `key: u32`";
        complaints.push(Complaint::new(&sig.ident, message));
        return (None, Vec::new());
    };
    let key = Parameter::parse_key(key, complaints);
    (key, typed.filter_map(|parameter| Parameter::parse_field(parameter, complaints)).collect())
}

/// The name that was asked for, or the function's in upper camel case.
fn struct_name(function: &Ident, options: &Options, complaints: &mut Vec<Complaint>) -> Option<Ident> {
    // CubeCL takes what begins otherwise for a module.
    let is_upper = |name: &str| name.starts_with(char::is_uppercase);
    if let Some(name) = &options.name {
        if !is_upper(&name.unraw().to_string()) {
            complaints.push(Complaint::new(name, "the name of a struct begins with a capital letter"));
        }
        return Some(name.clone());
    }
    let name = camel(function);
    match syn::parse_str::<Ident>(&name) {
        Ok(_) if is_upper(&name) => Some(Ident::new(&name, function.span())),
        _ => {
            let message =
                "this makes no name of a struct: add one, as in `#[bucket_function(buckets = 2, name = Parity)]`";
            complaints.push(Complaint::new(function, message));
            None
        }
    }
}

/// `by_region` as `ByRegion`.
fn camel(name: &Ident) -> String {
    let name = name.unraw().to_string();
    let words = name.split('_').map(|word| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    });
    words.collect()
}

/// `ROUNDS` as `rounds`.
fn snake(name: &Ident) -> String {
    name.unraw().to_string().to_lowercase()
}

/// Whether a name is among the tokens.
pub fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(ident) => ident == *name,
        _ => false,
    })
}
