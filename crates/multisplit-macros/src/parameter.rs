//! The function's parameters: the key, and what becomes a field.

use crate::complaint::Complaint;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Ident, Pat, PatIdent, PatType, Type};

/// A parameter as it was written.
pub struct Parameter {
    /// Comments, for the field.
    pub docs: Vec<Attribute>,
    /// Whether it is marked `#[comptime]`.
    pub comptime: bool,
    /// Whether it is marked `mut`.
    mutable: Option<syn::token::Mut>,
    pub name: Ident,
    /// Its type, reference and all.
    written: Type,
    /// Its type as a field.
    pub ty: Type,
}

impl Parameter {
    /// The name, type and attributes of any parameter.
    fn parse(parameter: PatType, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let (mut docs, mut comptime) = (Vec::new(), false);
        for attribute in parameter.attrs {
            if attribute.path().is_ident("doc") {
                docs.push(attribute);
            } else if attribute.path().is_ident("comptime") {
                comptime = true;
            } else {
                let message = "parameters have no other attributes than comments and `#[comptime]`";
                complaints.push(Complaint::new(attribute, message));
            }
        }
        let Pat::Ident(PatIdent { by_ref: None, mutability, ident, subpat: None, .. }) = *parameter.pat else {
            let message = "a parameter is a name and a type: `divisor: u32`";
            complaints.push(Complaint::new(parameter.pat, message));
            return None;
        };
        let written = ungrouped(*parameter.ty);
        Some(Self { docs, comptime, mutable: mutability, name: ident, ty: written.clone(), written })
    }

    /// The first parameter.
    pub fn parse_key(parameter: PatType, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let tokens = parameter.to_token_stream();
        let key = Self::parse(parameter, complaints)?;
        if key.comptime {
            complaints.push(Complaint::new(&tokens, "the key is not known at compile time"));
        }
        match &key.ty {
            Type::Reference(reference) => {
                let message = format!("the key is passed by value: write `{}`", text(&reference.elem));
                complaints.push(Complaint::new(reference, message));
            }
            Type::ImplTrait(ty) => complaints.push(anonymous(ty, "<K: Key>(key: K, …)")),
            ty if is_unknown_to_kernels(ty) => {
                complaints.push(Complaint::new(ty, format!("keys are of type {NUMBERS}")));
            }
            _ => {}
        }
        Some(key)
    }

    /// A parameter that becomes a field.
    pub fn parse_field(parameter: PatType, complaints: &mut Vec<Complaint>) -> Option<Self> {
        let mut field = Self::parse(parameter, complaints)?;
        if let (true, Some(token)) = (field.comptime, field.mutable) {
            complaints.push(Complaint::new(token, "what is known at compile time does not change"));
        }
        if let Type::Reference(reference) = &field.written {
            if let Some(token) = reference.mutability {
                complaints.push(Complaint::new(token, "a bucket function changes nothing: take it by `&`"));
            }
            if let Some(lifetime) = &reference.lifetime {
                complaints.push(Complaint::new(lifetime, "the struct owns its fields: leave the lifetime out"));
            }
            if field.comptime {
                complaints.push(Complaint::new(reference, "what is known at compile time is passed by value"));
            }
            field.ty = ungrouped((*reference.elem).clone());
        } else if is_named(&field.ty, "Table") {
            let message = format!("tables are passed by reference: write `&{}`", text(&field.ty));
            complaints.push(Complaint::new(&field.ty, message));
        }
        match &field.ty {
            Type::Slice(_) | Type::Array(_) => {
                let message = "data are passed in a table: write `&Table<u32>`, and `table.get(i)` for an element";
                complaints.push(Complaint::new(&field.written, message));
            }
            Type::ImplTrait(ty) => complaints.push(anonymous(ty, "<F: Buckets<Key = u32>>(key: u32, inner: &F, …)")),
            ty if !field.comptime && is_unknown_to_kernels(ty) => {
                let message = format!(
                    "run-time values are of type {NUMBERS}, tables or other bucket functions; \
                     mark what is known at compile time `#[comptime]`"
                );
                complaints.push(Complaint::new(ty, message));
            }
            _ => {}
        }
        Some(field)
    }

    /// As the parameter of a kernel's function.
    pub fn declaration(&self, attributes: TokenStream) -> TokenStream {
        let Self { mutable, name, written, .. } = self;
        let comptime = self.comptime.then(|| quote!(#[comptime]));
        quote!(#attributes #comptime #mutable #name: #written)
    }

    /// The field as the parameter's argument. Numbers are copied: the error about what cannot be is at the type.
    pub fn argument(&self) -> TokenStream {
        let name = &self.name;
        let reference = matches!(self.written, Type::Reference(_)).then(|| quote!(&));
        quote_spanned!(self.written.span()=> #reference self.#name)
    }
}

fn anonymous(ty: impl ToTokens, example: &str) -> Complaint {
    Complaint::new(ty, format!("a bucket function's types have names: write `{example}`"))
}

/// Numbers that keys and fields can be.
const NUMBERS: &str = "`u8`, `u16`, `u32`, `u64`, `i32`, `i64`, `f32` or `f64`";

/// Whether a type of Rust's own is none that a kernel is given. The compiler would say so at length.
fn is_unknown_to_kernels(ty: &Type) -> bool {
    let others = ["bool", "char", "str", "String", "i8", "i16", "i128", "u128", "isize", "usize", "Vec"];
    matches!(ty, Type::Tuple(_)) || others.iter().any(|other| is_named(ty, other))
}

/// A type as it is usually written.
fn text(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(" < ", "<").replace(" >", ">").replace(" :: ", "::")
}

/// Whether a type is called so, in whichever module.
pub fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// A type without the invisible parentheses that macros put around their arguments.
pub fn ungrouped(ty: Type) -> Type {
    match ty {
        Type::Group(group) => ungrouped(*group.elem),
        Type::Paren(paren) => ungrouped(*paren.elem),
        ty => ty,
    }
}
